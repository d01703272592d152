"""Fixed waves with virtual loss."""

import json
import pickle
import random
from collections.abc import Callable, Iterable
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest

from search import UCT, UCTSettings
from search.lockstep import StepMap
from tests.search.problems import Bandit, FixedEvaluator, RandomProblem, Tiger, decision_nodes

SETTINGS = UCTSettings(wave=4, depth=4)


def trace(step_map: StepMap = map, settings: UCTSettings = SETTINGS) -> str:
    problem = RandomProblem(11, n_states=8, n_actions=4)
    result = UCT(problem, problem, settings, step_map).search(random.Random(3), 203)
    return json.dumps(result.to_json(4), allow_nan=False)


def backwards(function: Callable[[Any], Any], jobs: list[Any]) -> Iterable[Any]:
    return [function(job) for job in reversed(jobs)][::-1]


def elsewhere(function: Callable[[Any], Any], jobs: list[Any]) -> Iterable[Any]:
    """What another process would do: work on copies of everything."""
    parcels = [pickle.dumps((function, job)) for job in jobs]
    return [remote(job) for remote, job in map(pickle.loads, parcels)]


def test_a_thread_pool_gives_what_map_gives() -> None:
    with ThreadPoolExecutor(4) as pool:
        assert trace(pool.map) == trace(map)


@pytest.mark.parametrize("step_map", [backwards, elsewhere])
def test_order_and_place_of_steps_do_not_matter(step_map: StepMap) -> None:
    assert trace(step_map) == trace(map)


def test_a_sequential_search_leaves_the_map_alone() -> None:
    def refuse(function: Callable[[Any], Any], jobs: list[Any]) -> Iterable[Any]:
        raise AssertionError("called")

    assert trace(refuse, UCTSettings()) == trace(map, UCTSettings())


def test_a_map_that_loses_results_is_an_error() -> None:
    with pytest.raises(ValueError, match="shorter"):
        trace(lambda function, jobs: [function(job) for job in jobs[1:]])


def test_the_whole_wave_is_selected_before_anything_is_backed_up() -> None:
    sizes = []

    def spy(function: Callable[[Any], Any], jobs: list[Any]) -> Iterable[Any]:
        sizes.append(len(jobs))
        return map(function, jobs)

    bandit = Bandit((0.0, 1.0))
    UCT(bandit, FixedEvaluator((1.0, 1.0)), UCTSettings(wave=4), spy).search(random.Random(0), 10)
    assert sizes == [4, 4, 2]


def test_nothing_stays_pending_and_every_simulation_is_counted() -> None:
    problem = RandomProblem(11, n_states=8, n_actions=4)
    result = UCT(problem, problem, SETTINGS).search(random.Random(3), 203)
    assert sum(result.visits) == result.root.visits == 203
    for node in decision_nodes(result.root):
        assert node.pending == 0
        assert sum(child.visits for child in node.children) <= node.visits
        for child in node.children:
            assert child.pending == 0
            assert sum(outcome.visits for outcome in child.outcomes.values()) == child.visits


def test_virtual_loss_spreads_a_wave_over_equal_actions() -> None:
    # Without exploration the first arm would take the whole second wave.
    bandit = Bandit((1.0, 1.0, 1.0, 1.0))
    evaluator = FixedEvaluator((1.0,) * 4)
    visits = {
        loss: UCT(bandit, evaluator, UCTSettings(exploration=0.0, wave=4, virtual_loss=loss))
        .search(random.Random(0), 8)
        .visits
        for loss in (0.0, 1.0)
    }
    assert visits == {0.0: (5, 1, 1, 1), 1.0: (2, 2, 2, 2)}


def test_waves_converge_too() -> None:
    settings = UCTSettings(wave=8)
    exact = Tiger().solve(0.5, settings.depth, settings.discount)
    search = UCT(Tiger(), FixedEvaluator((1.0, 1.0, 1.0)), settings)
    result = search.search(random.Random(0), 10_000)
    assert result.action == 0
    assert result.values[0] == pytest.approx(exact[0], abs=0.04)


@pytest.mark.parametrize("depth", [1, 2, 3])
def test_a_wave_takes_as_many_steps_in_a_row_as_it_has_plies(depth: int) -> None:
    """What a language model costs in time: plies, not simulations times plies."""
    sizes = []

    def spy(function: Callable[[Any], Any], jobs: list[Any]) -> Iterable[Any]:
        sizes.append(len(jobs))
        return map(function, jobs)

    UCT(Tiger(), FixedEvaluator((1.0, 0.0, 0.0)), UCTSettings(wave=5, depth=depth), spy).search(
        random.Random(0), 10
    )
    assert sizes == [5] * (2 * depth)
