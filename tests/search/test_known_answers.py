"""The search against problems solved exactly."""

import random
from typing import get_args

import pytest

from search import UCT, UCTSettings
from search.settings import Selection
from tests.search.problems import Bandit, FixedEvaluator, Tiger, Trap

EVEN = FixedEvaluator((1.0, 1.0, 1.0))


def tiger_errors(settings: UCTSettings, simulations: int, exact: list[float]) -> list[float]:
    errors = []
    for seed in range(5):
        result = UCT(Tiger(), EVEN, settings).search(random.Random(seed), simulations)
        value = result.values[0]
        assert value is not None
        errors.append(abs(value - exact[0]))
        assert simulations < 1000 or result.action == exact.index(max(exact))
    return errors


@pytest.mark.parametrize("selection", get_args(Selection))
@pytest.mark.parametrize("normalize", [False, True])
def test_tiger_converges_to_expectimax(selection: Selection, normalize: bool) -> None:
    settings = UCTSettings(selection=selection, normalize=normalize)
    exact = Tiger().solve(0.5, settings.depth, settings.discount)
    assert exact == pytest.approx([0.21125, -0.25, -0.25])
    few, more, many = (sum(tiger_errors(settings, n, exact)) / 5 for n in (30, 1000, 10_000))
    assert few > 2 * more > 4 * many
    assert many < 0.04


def test_tiger_with_settled_belief_opens_the_other_door() -> None:
    class AfterListening(Tiger):
        def sample(self, rng: random.Random) -> int:
            return int(rng.random() < 0.02)  # 0: the tiger is on the left

    settings = UCTSettings()
    exact = AfterListening().solve(0.98, settings.depth, settings.discount)
    result = UCT(AfterListening(), EVEN, settings).search(random.Random(0), 4000)
    assert result.action == exact.index(max(exact)) == 2
    assert result.values[2] == pytest.approx(exact[2], abs=0.02)


def test_tiger_reads_what_it_hears() -> None:
    root = UCT(Tiger(), EVEN).search(random.Random(0), 10_000).root
    listening = next(child for child in root.children if child.action == 0)
    for first, wanted in (("left", 2), ("right", 1)):
        heard = next(c for c in listening.outcomes[first].children if c.action == 0)
        twice = heard.outcomes[first]
        assert max(twice.children, key=lambda child: child.visits).action == wanted


@pytest.mark.parametrize("selection", get_args(Selection))
def test_search_overrules_a_greedy_prior(selection: Selection) -> None:
    settings = UCTSettings(depth=2, discount=1.0, selection=selection)
    result = UCT(Trap(), FixedEvaluator((0.6, 0.4)), settings).search(random.Random(0), 400)
    assert result.action == 1
    assert result.changed_decision
    assert result.values == pytest.approx((0.3, 1.0))


def test_the_best_arm_takes_almost_all_visits() -> None:
    bandit = Bandit((0.2, 0.8, 0.5), noise=0.2)
    result = UCT(bandit, EVEN, UCTSettings(exploration=0.3)).search(random.Random(3), 5000)
    assert result.visits[1] > 0.9 * 5000
    assert result.values[1] == pytest.approx(0.8, abs=0.01)


def test_normalising_makes_the_scale_of_rewards_irrelevant() -> None:
    visits = []
    for scale in (1.0, 1024.0):
        bandit = Bandit((0.25 * scale, 0.75 * scale, 0.5 * scale), noise=0.25 * scale)
        search = UCT(bandit, EVEN, UCTSettings(normalize=True))
        visits.append(search.search(random.Random(3), 300).visits)
    assert visits[0] == visits[1]


def test_without_normalising_large_rewards_drown_exploration() -> None:
    bandit = Bandit((250.0, 750.0, 500.0))
    assert UCT(bandit, EVEN).search(random.Random(3), 300).visits == (1, 298, 1)
