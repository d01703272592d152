"""Nothing pays like acceptance: no farmer does, and return orders policies as success does."""

from collections.abc import Callable
from itertools import combinations

import numpy as np
import pytest
from scipy.stats import fisher_exact

from baselines.references import AlwaysRecommend, AskAll, Oracle, RandomPolicy
from dialogue.view import DialogueView, SystemTurn
from envs.crs import CRSEnv
from rewards.total import DEFAULT_TERMS
from tests.dialogues import Outcome, hold_many

EPISODES = 150
Decide = Callable[[DialogueView], int | SystemTurn]


class Farmer:
    """A policy that never means to recommend anything good."""

    def __init__(self, decide: Decide) -> None:
        self._decide = decide

    def reset(self, view: DialogueView, rng: np.random.Generator) -> None:
        pass

    def decide(self, view: DialogueView, rng: np.random.Generator) -> int | SystemTurn:
        return self._decide(view)


def asking(facets: tuple[int, ...]) -> Decide:
    return lambda view: facets[view.turn % len(facets)]


def junk(view: DialogueView) -> SystemTurn:
    """The worst item of the catalogue, again and again."""
    return SystemTurn(view.catalog.domain.recommend, ranking=(len(view.catalog) - 1,))


def fresh_junk(view: DialogueView) -> SystemTurn:
    """Another bad item each turn, so that the retriever's best stays unoffered."""
    last = len(view.catalog) - 1 - view.turn
    return SystemTurn(view.catalog.domain.recommend, ranking=(last,))


def then(first: Decide, second: int) -> Decide:
    """One junk offer, then one action for ever."""
    return lambda view: first(view) if not view.offers else second


FARMERS: dict[str, Decide] = {
    "asks in turn": asking((0, 1, 2)),
    "asks for genres": asking((0,)),
    "asks for people": asking((1, 2)),
    "toggles two facets": asking((0, 1)),
    "explains": then(junk, 5),
    "reflects": then(junk, 3),
    "recommends junk": junk,
    "recommends other junk": fresh_junk,
    "asks, then junk": lambda view: view.turn if view.turn < 3 else junk(view),
    "asks and explains": lambda view: (junk(view), 0, 1, 2, 5)[view.turn % 5],
}


@pytest.fixture
def env(no_data: str) -> CRSEnv:
    return CRSEnv("redial", channel="acts", split="test", data_dir=no_data)


def test_no_farmer_earns_as_much_as_acceptance_on_the_last_turn(env: CRSEnv) -> None:
    """Not in its own dialogue, and the luckiest farmer less than the unluckiest late success."""
    weight = {name: weight for name, (_, weight) in DEFAULT_TERMS.items()}
    accepting = weight["accept"] + weight["attitude"] - weight["cost"]
    farmed, instead = [], []
    for decide in FARMERS.values():
        for outcome in hold_many(env, Farmer(decide), [0], EPISODES):
            if not outcome.success:
                farmed.append(outcome.earned)
                instead.append(sum(outcome.rewards[:-1]) + accepting)
                assert farmed[-1] < instead[-1] - 5
    assert len(farmed) > 0.9 * EPISODES * len(FARMERS)
    assert max(farmed) < min(instead) - 1


def test_by_the_weights_alone() -> None:
    """The best that ten turns without acceptance can pay, the worst that ten with one can."""
    weight = {name: weight for name, (_, weight) in DEFAULT_TERMS.items()}
    turns = 10
    best = weight["explore"] + weight["retrieve"] - turns * weight["cost"]
    accepting = weight["accept"] + weight["attitude"] - weight["cost"]
    wasted = 2 * weight["cost"] + weight["attitude"]
    assert best < accepting - weight["retrieve"] - (turns - 1) * wasted
    assert weight["explore"] + weight["retrieve"] <= 0.1 * weight["accept"]


def test_return_orders_policies_as_success_does(env: CRSEnv) -> None:
    found: dict[str, list[Outcome]] = {
        type(policy).__name__: hold_many(env, policy, [0, 1], EPISODES)
        for policy in (RandomPolicy(), AlwaysRecommend(), AskAll(), Oracle())
    }
    ordered = 0
    for one, other in combinations(found.values(), 2):
        table = [[o.success for o in outcomes].count(True) for outcomes in (one, other)]
        p = fisher_exact([[n, 2 * EPISODES - n] for n in table]).pvalue
        if p < 0.05:
            ordered += 1
            means = [np.mean([o.earned for o in outcomes]) for outcomes in (one, other)]
            assert (table[0] < table[1]) == (means[0] < means[1])
    assert ordered >= 4
