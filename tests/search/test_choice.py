import pytest

from search import combine
from search.choice import best_action
from search.nodes import ChanceNode, DecisionNode
from search.result import summarise
from search.settings import UCTSettings


def test_table_13_of_the_paper() -> None:
    scores = combine((0.6667, 0.3333), (0.4444, 0.5556), 0.7, 0.3)
    assert scores == pytest.approx((0.6, 0.4), abs=5e-5)


def test_table_13_from_counts_and_unnormalised_priors() -> None:
    assert combine((2, 1), (4, 5), 0.7, 0.3) == pytest.approx((0.6, 0.4))


def test_nothing_visited_leaves_the_prior() -> None:
    assert combine((0, 0), (1, 3), 0.7, 0.3) == pytest.approx((0.075, 0.225))


def test_lengths_must_agree() -> None:
    with pytest.raises(ValueError, match="2 visits and 3 priors"):
        combine((1, 1), (1, 1, 1), 0.5, 0.5)


def test_highest_score_wins() -> None:
    assert best_action((0.2, 0.5, 0.3), (9.0, 0.0, 9.0), (1, 1, 1)) == 1


def test_equal_scores_go_to_the_higher_mean() -> None:
    assert best_action((0.4, 0.4, 0.2), (0.1, 0.2, 0.9), (1, 1, 1)) == 1


def test_an_untried_action_loses_a_tie_against_any_mean() -> None:
    assert best_action((0.5, 0.5), (None, -100.0), (1, 1)) == 1


def test_full_ties_go_to_the_lower_index() -> None:
    assert best_action((0.5, 0.5), (0.1, 0.1), (1, 1)) == 0


def test_an_action_without_prior_is_never_chosen() -> None:
    assert best_action((0.0, 0.0), (None, None), (0.0, 1.0)) == 1


@pytest.mark.parametrize(("prior_visits", "chosen"), [(0.0, 1), (3.0, 1), (40.0, 0)])
def test_a_prior_that_counts_for_visits_holds_few_simulations_back(
    prior_visits: float, chosen: int
) -> None:
    """Six of eight simulations went to the action that the prior thinks less of."""
    root = DecisionNode()
    root.visits = 8
    for action, visits in ((0, 2), (1, 6)):
        child = ChanceNode(action, 0.5)
        child.visits = visits
        root.children.append(child)
    settings = UCTSettings(w_tree=1.0, w_prior=0.0, prior_visits=prior_visits)
    found = summarise(root, (0.75, 0.25), settings)
    assert found.action == chosen
    total = 8 + prior_visits
    expected = [(2 + 0.75 * prior_visits) / total, (6 + 0.25 * prior_visits) / total]
    assert found.scores == pytest.approx(expected)
    assert found.visits == (2, 6)
