"""What rollouts expect to be offered later."""

import random
from dataclasses import replace

from hypothesis import given
from hypothesis import strategies as st

from catalogs.catalog import Catalog
from dialogue.acts import Kind
from dialogue.view import DialogueView
from planners.acceptance import AcceptanceEstimate
from planners.exploitation import RANKING
from planners.foresight import Foresight
from planners.tools import PlannerTools
from simulators.imagined import GoalPool
from tests.planners.situations import (
    EXPLAIN,
    GENRE,
    RECOMMEND,
    act,
    go_on,
    hear,
    model,
    pool,
    view_of,
)
from tests.small_world import PLAIN, films

RATE = 0.3


def foresight(start: DialogueView, goals: GoalPool) -> Foresight:
    tools = PlannerTools(start.catalog)
    estimate = AcceptanceEstimate(goals, tools.seen, RATE)
    return Foresight(start, tools.retriever, goals, estimate)


def expected(start: DialogueView, view: DialogueView, goals: GoalPool, count: int) -> list[int]:
    """The definition, goal by goal."""
    tools = PlannerTools(start.catalog)
    before = [item for item, reaction in start.offers if reaction == Kind.REJECT]
    rejected = [item for item, reaction in view.offers if reaction == Kind.REJECT]
    rejected = [item for item in rejected if item not in before]
    kept = 0
    for k, (goal, acceptable) in enumerate(goals.goals):
        pairs = list(enumerate(goal.values))
        liked = all(
            value in values or value in start.state.likes[f]
            for f, values in pairs
            for value in view.state.likes[f]
        )
        disliked = any(
            value in values and value not in start.state.dislikes[f]
            for f, values in pairs
            for value in view.state.dislikes[f]
        )
        if liked and not disliked and not any(acceptable >> item & 1 for item in rejected):
            kept |= 1 << k
    found = list(tools.retriever.top(view, max(count, RANKING)))
    if kept:
        chances = AcceptanceEstimate(goals, tools.seen, RATE)
        worth = {item: chances.worth(item, kept) for item in found[:RANKING]}
        found[:RANKING] = sorted(found[:RANKING], key=lambda item: -worth[item])
    return found[:count]


@given(seed=st.integers(0, 2**32), turns=st.integers(0, 5), count=st.integers(1, 12))
def test_it_is_the_first_items_by_the_goals_that_are_left(
    seed: int, turns: int, count: int
) -> None:
    rng = random.Random(seed)
    start = view_of(films())
    hear(start, *([act(Kind.LIKE, GENRE, seed % 5)] if seed % 2 else []))
    goals = pool(start, 30, seed)
    made = foresight(start, goals)
    world = model(start).sample(rng)
    for _ in range(turns):
        if world.terminated or world.truncated:
            break
        world.advance(rng.choice([GENRE, 1, 2, RECOMMEND]))
    assert list(made.top(world.view, count)) == expected(start, world.view, goals, count)


def test_a_value_said_in_a_rollout_leaves_the_goals_that_want_it(small: Catalog) -> None:
    start = view_of(small)
    hear(start)
    goals = pool(start, 200)
    made = foresight(start, goals)
    wanted = goals.goals[0][0].values[GENRE][0]
    later = start.fork()
    go_on(later, GENRE, act(Kind.LIKE, GENRE, wanted))
    best = made.top(later, 1)[0]
    assert any(
        wanted in goal.values[GENRE] and acceptable >> best & 1 for goal, acceptable in goals.goals
    )


def test_what_no_goal_explains_keeps_the_order_of_the_retriever(small: Catalog) -> None:
    start = view_of(small)
    hear(start)
    goals = pool(start, 1)
    strange = next(v for v in range(5) if v not in goals.goals[0][0].values[GENRE])
    later = start.fork()
    go_on(later, GENRE, act(Kind.LIKE, GENRE, strange))
    found = foresight(start, goals).top(later, 5)
    assert found == PlannerTools(small).retriever.top(later, 5)


def test_an_offer_that_was_undecided_at_the_start_counts_once_it_is_rejected(
    small: Catalog,
) -> None:
    start = view_of(small)
    hear(start)
    item = PlannerTools(small).retriever.top(start, 1)[0]
    go_on(start, RECOMMEND, act(Kind.DETAILS, other=item), item=item)
    goals = pool(start, 200)
    later = start.fork()
    go_on(later, EXPLAIN, act(Kind.REJECT, -1, -1, item), item=item)
    assert later.offers == [(item, Kind.REJECT)]
    assert list(foresight(start, goals).top(later, 5)) == expected(start, later, goals, 5)
    without = [pair for pair in goals.goals if not pair[1] >> item & 1]
    assert len(without) < len(goals.goals)


def test_rollouts_offer_what_is_foreseen_and_now_what_is_refined(small: Catalog) -> None:
    class Chosen:
        """An offer that no retriever would make first."""

        def top(self, view: DialogueView, count: int) -> tuple[int, ...]:
            return tuple(i for i in (7, 6, 5) if not view.offered >> i & 1)[:count]

    start = view_of(small)
    hear(start)
    made = model(start, replace(PLAIN, patience=9.0), offer=3, offers=Chosen())
    world, rng = made.sample(random.Random(0)), random.Random(1)
    world.user.acceptable = 0
    made.step(world, RECOMMEND, rng)
    made.step(world, RECOMMEND, rng)
    assert [item for item, _ in world.view.offers] == [3, 7]
