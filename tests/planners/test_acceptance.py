"""Estimated acceptance against the definition, goal by goal."""

import random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from catalogs.catalog import Catalog, members
from planners.acceptance import AcceptanceEstimate
from planners.tools import PlannerTools
from simulators.imagined import GoalPool
from tests.planners.situations import hear, pool, view_of
from tests.small_world import films


def chance(goals: GoalPool, item: int, rate: float, catalog: Catalog) -> float:
    met = sum(1 for _, acceptable in goals.goals if acceptable >> item & 1)
    unseen = 1.0 - PlannerTools(catalog).seen.probability(item, rate)
    return met / len(goals.goals) * unseen


@given(seed=st.integers(0, 10_000), rate=st.floats(0.0, 0.49))
def test_it_is_the_mean_over_goals_of_being_a_target_and_unseen(seed: int, rate: float) -> None:
    view = view_of(films())
    hear(view)
    goals = pool(view, 40, seed)
    made = AcceptanceEstimate(goals, PlannerTools(view.catalog).seen, rate)
    for item in range(len(view.catalog)):
        assert made.of(item) == pytest.approx(chance(goals, item, rate, view.catalog))
        assert 0.0 <= made.of(item) <= 1.0
        met = {k for k, (_, bits) in enumerate(goals.goals) if bits >> item & 1}
        assert set(members(made.met(item))) == met


@given(seed=st.integers(0, 10_000))
def test_some_of_the_goals_are_worth_their_share(seed: int) -> None:
    view = view_of(films())
    hear(view)
    goals = pool(view, 40, seed)
    made = AcceptanceEstimate(goals, PlannerTools(view.catalog).seen, 0.3)
    some = random.Random(seed).getrandbits(40)
    for item in range(len(view.catalog)):
        parts = made.worth(item, some) + made.worth(item, made.everything & ~some)
        assert parts == pytest.approx(made.worth(item, made.everything))
