"""Bookkeeping of the search, checked by hand."""

import json
import math
import os
import random
import subprocess
import sys
from pathlib import Path

import pytest

from search import UCT, UCTSettings
from search.nodes import ChanceNode, DecisionNode
from search.selection import pending_mean, select_puct, select_uct
from tests.search.problems import Bandit, Chain, FixedEvaluator, RandomProblem, Tiger

ONE = FixedEvaluator((1.0,))


def test_returns_of_a_two_step_chain() -> None:
    settings = UCTSettings(discount=0.5, depth=3)
    result = UCT(Chain([3.0, 4.0]), ONE, settings).search(random.Random(0), 3)
    # By hand: 4 from the second node, 3 + 0.5 * 4 from the root, nothing after the end.
    first = result.root.children[0]
    second_node = first.outcomes[0]
    second = second_node.children[0]
    end = second.outcomes[1]
    assert (result.root.visits, result.root.total) == (3, 15.0)
    assert (first.visits, first.total) == (3, 15.0)
    assert (second_node.visits, second_node.total) == (3, 12.0)
    # The first simulation ended the tree at the second node and played on from there.
    assert (second.visits, second.total) == (2, 8.0)
    assert (end.visits, end.total, end.prior, end.children) == (2, 0.0, None, [])
    assert result.values == (5.0,)


def test_the_value_at_the_depth_limit_is_discounted_and_depth_counts_from_the_root() -> None:
    chain = Chain([1.0, 1.0, 1.0, 100.0], ends=False)
    evaluator = FixedEvaluator((1.0,), value=8.0)
    result = UCT(chain, evaluator, UCTSettings(discount=0.5, depth=3)).search(random.Random(0), 9)
    assert result.values == (1.0 + 0.5 + 0.25 + 0.125 * 8.0,)


def test_no_value_is_asked_for_after_the_end() -> None:
    class Refusing(FixedEvaluator):
        def value(self, world: object) -> float:
            raise AssertionError("the world has ended")

    result = UCT(Chain([1.0, 1.0]), Refusing((1.0,)), UCTSettings(depth=2, discount=1.0)).search(
        random.Random(0), 5
    )
    assert result.values == (2.0,)


def test_table_13_from_end_to_end() -> None:
    class Episode(Bandit):
        """The rewards of the paper's three iterations, in order."""

        def __init__(self) -> None:
            super().__init__((0.0, 0.0))
            self.left = [(1, 2.5), (0, 20.1), (0, 10.5)]

        def step(self, world: None, action: int, rng: random.Random) -> tuple[str, float, bool]:
            expected, reward = self.left.pop(0)
            assert action == expected
            return "end", reward, True

    result = UCT(Episode(), FixedEvaluator((4.0, 5.0))).search(random.Random(0), 3)
    assert result.visits == (2, 1)
    assert result.values == pytest.approx((15.3, 2.5))
    assert result.scores == pytest.approx((0.6, 0.4))
    assert result.action == 0
    assert result.changed_decision


def test_actions_without_prior_are_never_visited() -> None:
    bandit = Bandit((0.0, 100.0, 0.5, 100.0))
    result = UCT(bandit, FixedEvaluator((1.0, 0.0, 1.0, 0.0))).search(random.Random(0), 200)
    assert result.visits[1] == result.visits[3] == 0
    assert result.values[1] is result.values[3] is None
    assert result.action == 2
    assert sum(result.visits) == result.simulations == 200


def test_rollouts_avoid_actions_without_prior_too() -> None:
    class Strict(Chain):
        n_actions = 2

        def step(
            self, world: list[int], action: int, rng: random.Random
        ) -> tuple[object, float, bool]:
            assert action == 1
            return super().step(world, action, rng)

    search = UCT(Strict([0.0] * 9, ends=False), FixedEvaluator((0.0, 1.0)), UCTSettings(depth=8))
    assert search.search(random.Random(0), 50).visits == (0, 50)


def test_as_many_simulations_as_actions_leave_the_decision_to_the_prior() -> None:
    bandit = Bandit((9.0, 0.0, 9.0, 9.0, 9.0))
    evaluator = FixedEvaluator((0.2, 0.3, 0.15, 0.25, 0.1))
    result = UCT(bandit, evaluator).search(random.Random(0), 5)
    assert result.visits == (1, 1, 1, 1, 1)
    assert result.action == 1
    assert not result.changed_decision


def test_actions_are_expanded_by_prior() -> None:
    evaluator = FixedEvaluator((0.2, 0.3, 0.15, 0.25, 0.1))
    result = UCT(Bandit((0.0,) * 5), evaluator).search(random.Random(0), 3)
    assert [child.action for child in result.root.children] == [1, 3, 0]


def test_all_zero_priors_at_the_root_are_an_error() -> None:
    with pytest.raises(ValueError, match="zero to all 2 actions at the root"):
        UCT(Bandit((0.0, 0.0)), FixedEvaluator((0.0, 0.0))).search(random.Random(0), 1)


def test_all_zero_priors_further_down_are_an_error() -> None:
    class Dying(FixedEvaluator):
        def prior(self, world: list[int]) -> tuple[float, ...]:
            return (1.0,) if world[0] == 0 else (0.0,)

    with pytest.raises(ValueError, match="zero to all 1 actions at a state inside a simulation"):
        UCT(Chain([0.0] * 5), Dying((1.0,))).search(random.Random(0), 1)


def test_zero_simulations_are_refused() -> None:
    with pytest.raises(ValueError, match="ask for >= 1"):
        UCT(Bandit((0.0,)), ONE).search(random.Random(0), 0)


@pytest.mark.parametrize("bad", [math.nan, math.inf])
def test_a_return_that_is_not_finite_is_an_error(bad: float) -> None:
    with pytest.raises(ValueError, match="must give finite rewards"):
        UCT(Chain([0.0, bad]), ONE).search(random.Random(0), 1)


def parent(*children: tuple[int, float, float]) -> DecisionNode:
    node = DecisionNode()
    for action, (visits, total, prior) in enumerate(children):
        child = ChanceNode(action, prior)
        child.visits, child.total = visits, total
        node.children.append(child)
        node.visits += visits
        node.total += total
    return node


def test_uct_selection_by_hand() -> None:
    # sqrt(2 ln 10 / N): 0.759 for 8 visits, 1.517 for 2; means 0.75 and 0.1.
    node = parent((8, 6.0, 0.5), (2, 0.2, 0.5))
    assert select_uct(node, 1.0, 0.0).action == 1
    assert select_uct(node, 0.8, 0.0).action == 0


def test_puct_selection_by_hand() -> None:
    # sqrt(10) * prior / (1 + N): 0.316 for 8 visits and prior 0.9, 0.105 for 2 and 0.1.
    node = parent((8, 6.0, 0.9), (2, 1.6, 0.1))
    assert select_puct(node, 1.0, 0.0).action == 0
    assert select_puct(node, 0.1, 0.0).action == 1


def test_pending_simulations_push_the_next_one_elsewhere() -> None:
    node = parent((2, 1.0, 0.5), (2, 0.9, 0.5))
    for select in (select_uct, select_puct):
        assert select(node, 1.0, 1.0).action == 0
    node.pending = node.children[0].pending = 1
    for select in (select_uct, select_puct):
        assert select(node, 1.0, 1.0).action == 1


def test_mean_of_an_action_with_pending_simulations() -> None:
    node = parent((3, 6.0, 0.5), (1, 0.0, 0.5), (0, 0.0, 0.1))
    for child in node.children:
        child.pending = 1
    means = [pending_mean(child, node, 0.5) for child in node.children]
    assert means == pytest.approx([2.0 - 0.5 / 4, 0.0 - 0.5 / 2, 1.5 - 0.5])
    assert pending_mean(node.children[2], DecisionNode(), 0.5) == -0.5


def test_same_seed_same_trace_and_another_seed_another() -> None:
    problem = RandomProblem(5, n_states=6, n_actions=4)
    traces = [
        json.dumps(
            UCT(problem, problem).search(random.Random(seed), 200).to_json(3), allow_nan=False
        )
        for seed in (1, 1, 2)
    ]
    assert traces[0] == traces[1] != traces[2]


def test_the_hash_seed_does_not_matter() -> None:
    code = (
        "import json, random; from search import UCT; from tests.search.problems import *\n"
        "result = UCT(Tiger(), FixedEvaluator((1, 1, 1))).search(random.Random(7), 500)\n"
        "print(json.dumps(result.to_json(3)))"
    )
    outputs = {
        subprocess.run(
            [sys.executable, "-c", code],
            env={**os.environ, "PYTHONHASHSEED": seed},
            cwd=Path(__file__).parents[2],
            capture_output=True,
            text=True,
            check=True,
        ).stdout
        for seed in ("0", "1", "2")
    }
    here = UCT(Tiger(), FixedEvaluator((1, 1, 1))).search(random.Random(7), 500)
    assert outputs == {json.dumps(here.to_json(3)) + "\n"}


def test_trace_of_a_chain() -> None:
    settings = UCTSettings(discount=0.5)
    trace = UCT(Chain([3.0, 4.0]), ONE, settings).search(random.Random(0), 2).to_json(1)
    assert trace == {
        "chosen": 0,
        "changed_decision": False,
        "simulations": 2,
        "visits": [2],
        "values": [5.0],
        "priors": [1.0],
        "scores": [1.0],
        "tree": {
            "visits": 2,
            "value": 5.0,
            "priors": [1.0],
            "actions": [
                {
                    "action": 0,
                    "visits": 2,
                    "value": 5.0,
                    "prior": 1.0,
                    "outcomes": [
                        {
                            "observation": "0",
                            "visits": 2,
                            "value": 4.0,
                            "priors": [1.0],
                            "actions": [],
                        }
                    ],
                }
            ],
        },
    }


def test_trace_leaves_out_rare_nodes() -> None:
    bandit = Bandit((0.0, 5.0))
    result = UCT(bandit, FixedEvaluator((1.0, 1.0))).search(random.Random(0), 50)
    actions = result.to_json(1, min_visits=10)["tree"]["actions"]
    assert [entry["action"] for entry in actions] == [1]
    assert result.to_json(0)["tree"]["actions"] == []
