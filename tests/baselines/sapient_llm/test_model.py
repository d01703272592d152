"""SAPIENT-LLM's search problem: its costs, its choice of a facet, its leaves."""

import random
from collections.abc import Sequence

import pytest

from baselines.candidates import BeliefSettings, weigh
from baselines.extraction import SpokenState, embedded_extraction, state_of
from baselines.sapient_llm.model import ASK, RECOMMEND, AskOrRecommend
from baselines.sapient_llm.settings import SapientSettings
from baselines.steps import Nothing
from retrieval.situation import spoken_situation
from search import UCT
from tests.baselines.texts_only import opened
from tests.small_world import films, index

SMALL = films()
RNG = random.Random(1)


def spoken(text: str, **changes: object) -> SpokenState:
    situation = spoken_situation(opened(SMALL, text))
    state = state_of(situation, embedded_extraction(situation, Nothing()))
    fields = {name: getattr(state, name) for name in SpokenState.__slots__}
    return SpokenState(**{**fields, **changes})


def problem(
    text: str = "Hi.",
    turn: int = 0,
    settings: SapientSettings | None = None,
    items: Sequence[int] = range(len(SMALL)),
    **changes: object,
) -> AskOrRecommend:
    state = spoken(text, **changes)
    found = weigh(SMALL, items, state.taste, BeliefSettings())
    return AskOrRecommend(found, state, turn, 10, settings or SapientSettings())


def test_success_pays_and_ends_and_a_refusal_costs() -> None:
    model = problem()
    world = model.sample(RNG)
    world.target = 0
    assert model.step(world, RECOMMEND, RNG) == (-2, 1.0, True)
    world = model.sample(RNG)
    world.target = 3
    assert model.step(world, RECOMMEND, RNG) == (-1, -0.1, False)
    assert world.place() == 2


def test_questions_in_a_row_get_dearer() -> None:
    model = problem()
    world = model.sample(RNG)
    costs = [model.step(world, ASK, RNG)[1] for _ in range(3)]
    assert costs == pytest.approx([-0.04, -0.08, -0.12])


def test_the_dialogue_ends_with_its_turns() -> None:
    model = problem(turn=9)
    world = model.sample(RNG)
    assert model.step(world, ASK, RNG)[2]


def test_it_asks_about_what_tells_most_unless_there_is_nothing_to_say() -> None:
    alike = [index(SMALL, name) for name in ("vault", "quay")]  # but for the actors
    model = problem(items=alike)
    assert model.facet(model.sample(RNG)) == 1
    closed = problem(items=alike, closed=(False, True, False))
    assert closed.facet(closed.sample(RNG)) != 1
    other = [index(SMALL, name) for name in ("harbour", "moth", "dust")]
    worn = problem(items=other, asked=(0, 9, 9))
    assert worn.facet(worn.sample(RNG)) == 0


def test_after_a_complaint_it_asks_about_that_facet() -> None:
    model = problem(complaint=2)
    world = model.sample(RNG)
    assert model.facet(world) == 2
    model.step(world, ASK, RNG)
    assert world.asked[2] == 1


def test_a_leaf_is_worth_what_offering_in_turn_would_bring() -> None:
    model = problem(settings=SapientSettings(discount=0.5, refuse_cost=0.1, look=2))
    world = model.sample(RNG)
    values = []
    for target in range(4):
        world.target = target
        values.append(model.value(world))
    assert values == pytest.approx([1.0, -0.1 + 0.5, -0.1 - 0.05, -0.1 - 0.05])
    world.turn, world.target = 10, 0
    assert model.value(world) == 0.0


def test_the_search_asks_where_asking_is_free_and_offers_where_it_is_not() -> None:
    free = SapientSettings(ask_cost=0.0, discount=1.0, refuse_cost=0.5)
    dear = SapientSettings(ask_cost=2.0, refuse_cost=0.0)
    for settings, action in ((free, ASK), (dear, RECOMMEND)):
        model = problem(settings=settings)
        result = UCT(model, model, settings.uct()).search(random.Random(5), 300)
        assert result.action == action
