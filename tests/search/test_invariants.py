"""What holds for any problem."""

import json
import random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from search import UCT, SearchResult, UCTSettings
from tests.search.problems import RandomProblem, Recorder, chance_nodes, decision_nodes

problems = st.builds(
    RandomProblem,
    seed=st.integers(0, 2**32),
    n_states=st.integers(1, 8),
    n_actions=st.integers(1, 6),
)
settings_of_a_search = st.builds(
    UCTSettings,
    exploration=st.floats(0, 5),
    discount=st.floats(0, 1),
    depth=st.integers(1, 6),
    selection=st.sampled_from(["uct", "puct"]),
    normalize=st.booleans(),
    wave=st.integers(1, 5),
    virtual_loss=st.floats(0, 3),
)
budgets = st.integers(1, 120)
seeds = st.integers(0, 2**32)


def run(
    problem: RandomProblem, constants: UCTSettings, budget: int, seed: int
) -> tuple[SearchResult, list[tuple[int, float]]]:
    recorder = Recorder(problem, problem)
    result = UCT(recorder, recorder, constants).search(random.Random(seed), budget)
    return result, recorder.returns(constants.discount)


@settings(max_examples=60, deadline=None)
@given(problems, settings_of_a_search, budgets, seeds)
def test_counts_add_up(
    problem: RandomProblem, constants: UCTSettings, budget: int, seed: int
) -> None:
    result, _ = run(problem, constants, budget, seed)
    assert sum(result.visits) == result.simulations == result.root.visits == budget
    for taken in chance_nodes(result.root):
        assert taken.visits == sum(outcome.visits for outcome in taken.outcomes.values()) > 0
    for node in decision_nodes(result.root)[1:]:
        ended_here = node.visits - sum(child.visits for child in node.children)
        # Whatever has children was reached first by a rollout: once, or by a part of one wave.
        if node.children:
            assert 1 <= ended_here <= constants.wave
        assert ended_here >= 0


@settings(max_examples=60, deadline=None)
@given(problems, settings_of_a_search, budgets, seeds)
def test_no_action_without_prior_and_each_expanded_in_order(
    problem: RandomProblem, constants: UCTSettings, budget: int, seed: int
) -> None:
    result, _ = run(problem, constants, budget, seed)
    assert result.priors[result.action] > 0.0
    assert sum(result.priors) == pytest.approx(1.0)
    for node in decision_nodes(result.root):
        priors = [child.prior for child in node.children]
        assert all(prior > 0.0 for prior in priors)
        assert priors == sorted(priors, reverse=True)
        if node.prior is not None and node.untried:
            assert all(child.visits == 1 for child in node.children)


@settings(max_examples=60, deadline=None)
@given(problems, settings_of_a_search, budgets, seeds)
def test_values_are_means_of_the_simulations_returns(
    problem: RandomProblem, constants: UCTSettings, budget: int, seed: int
) -> None:
    sequential = UCTSettings(
        exploration=constants.exploration,
        discount=constants.discount,
        depth=constants.depth,
        selection=constants.selection,
        normalize=constants.normalize,
    )
    result, returns = run(problem, sequential, budget, seed)
    assert len(returns) == budget
    low, high = min(gain for _, gain in returns), max(gain for _, gain in returns)
    for action, value in enumerate(result.values):
        mine = [gain for first, gain in returns if first == action]
        assert result.visits[action] == len(mine)
        if value is None:
            assert not mine
        else:
            assert value == pytest.approx(sum(mine) / len(mine), abs=1e-9)
            assert low - 1e-9 <= value <= high + 1e-9


@settings(max_examples=40, deadline=None)
@given(problems, settings_of_a_search, budgets, seeds)
def test_the_choice_is_the_best_score_and_the_trace_is_json(
    problem: RandomProblem, constants: UCTSettings, budget: int, seed: int
) -> None:
    result, _ = run(problem, constants, budget, seed)
    assert result.scores[result.action] == max(result.scores)
    greedy = result.priors.index(max(result.priors))
    assert result.changed_decision == (result.action != greedy)
    trace = json.loads(json.dumps(result.to_json(6), allow_nan=False))
    assert trace["chosen"] == result.action
    assert trace["visits"] == list(result.visits)


@settings(max_examples=30, deadline=None)
@given(problems, settings_of_a_search, budgets, seeds)
def test_the_same_seed_gives_the_same_search(
    problem: RandomProblem, constants: UCTSettings, budget: int, seed: int
) -> None:
    first, _ = run(problem, constants, budget, seed)
    second, _ = run(problem, constants, budget, seed)
    assert first.to_json(6) == second.to_json(6)
