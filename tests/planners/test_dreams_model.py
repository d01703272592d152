"""Imagined conversations: they start where the real one stands and share nothing that moves."""

import copy
import random
from collections.abc import Hashable
from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from catalogs.catalog import Catalog
from catalogs.goal import targets
from dialogue.acts import Kind
from dialogue.view import DialogueView
from envs.conversation import Conversation
from envs.world import World
from planners.dreams_model import ConversationEvaluator
from planners.scorer import EmbeddedScorer
from retrieval.structured import StructuredRetriever
from rewards.total import make_reward
from tests.planners.situations import (
    GENRE,
    RECOMMEND,
    STAR,
    act,
    go_on,
    hear,
    model,
    reach,
    view_of,
)
from tests.small_world import PLAIN, env_of, index
from tests.strategies import behaviours, turns, worlds

MUTABLE = ("state", "asked", "offers", "exchanges")


@given(data=st.data(), place=worlds(), behaviour=behaviours())
@settings(max_examples=60)
def test_worlds_share_nothing_that_moves(
    data: st.DataObject, place: World, behaviour: object
) -> None:
    """Not with the real dialogue, and not with each other."""
    env = env_of(place, max_turns=8)
    reach(env, data.draw(turns(env.catalog, longest=5)), data.draw(st.integers(0, 5)))
    before = copy.deepcopy(env.get_state())
    made = model(env.view, behaviour)  # type: ignore[arg-type]
    rng = random.Random(data.draw(st.integers(0, 99)))
    one, other = made.sample(rng), made.sample(rng)
    for name in MUTABLE:
        things = [getattr(view, name) for view in (env.view, one.view, other.view)]
        assert len({id(thing) for thing in things}) == 3, name
    still = copy.deepcopy(other.get_state())
    start = env.view.turn
    for action in data.draw(st.lists(st.integers(0, made.n_actions - 1), max_size=6)):
        key, reward, done = made.step(one, action, rng)
        assert isinstance(key, Hashable)
        assert hash(key) == hash(key)
        assert -2.0 < reward < 12.0
        assert done == (one.terminated or one.truncated)
        if done:
            break
    assert one.view.turn >= start
    assert other.get_state() == still
    assert env.get_state() == before


def test_a_world_starts_where_the_view_stands(small: Catalog) -> None:
    view = view_of(small)
    hear(view, act(Kind.LIKE, GENRE, small.value_index(GENRE, "comedy")))
    clown = index(small, "clown")
    go_on(view, RECOMMEND, act(Kind.REJECT, STAR, -1, clown), act(Kind.SIGH, 1), item=clown)
    talk = model(view).sample(random.Random(0))
    assert talk.view.turn == view.turn == 1
    assert talk.view.state == view.state
    assert talk.view.mask() == view.mask()
    assert talk.view.offered == view.offered
    assert talk.user.level == 1
    assert talk.user.last_rejected == clown
    assert talk.user.reason_facet == STAR
    assert talk.view.retriever is not view.retriever
    assert not talk.keep_steps


def test_the_user_and_the_goal_fit_together(small: Catalog) -> None:
    view = view_of(small)
    hear(view)
    made, rng = model(view), random.Random(1)
    for _ in range(100):
        user = made.sample(rng).user
        assert user.acceptable & ~targets(small, user.goal) == 0
        assert user.acceptable


def test_the_next_offer_is_the_chosen_one_and_later_ones_are_not(small: Catalog) -> None:
    view = view_of(small)
    hear(view)
    moth = index(small, "moth")
    made = model(view, replace(PLAIN, patience=50.0), offer=moth)
    rng = random.Random(2)
    for _ in range(20):
        talk = made.sample(rng)
        made.step(talk, RECOMMEND, rng)
        assert talk.view.offers[-1][0] == moth
        if talk.terminated:
            continue
        expected = talk.view.retriever.assess(talk.view).best
        made.step(talk, RECOMMEND, rng)
        assert talk.view.offers[-1][0] == expected != moth


def test_a_delayed_offer_is_the_retrievers(small: Catalog) -> None:
    view = view_of(small)
    hear(view)
    last = len(small) - 1
    made, rng = model(view, replace(PLAIN, patience=50.0), offer=last), random.Random(3)
    talk = made.sample(rng)
    made.step(talk, STAR, rng)
    expected = talk.view.retriever.assess(talk.view).best
    made.step(talk, RECOMMEND, rng)
    assert talk.view.offers[-1][0] == expected


def test_the_same_stream_imagines_the_same(small: Catalog) -> None:
    def play() -> list[object]:
        rng = random.Random(7)
        made = model(view)
        log: list[object] = []
        for _ in range(20):
            talk = made.sample(rng)
            log.append(made.step(talk, RECOMMEND, rng))
        return log

    view = view_of(small)
    hear(view, act(Kind.LIKE, GENRE, 0))
    assert play() == play()


# The evaluator


def evaluator(view: DialogueView, look: int = 3) -> ConversationEvaluator:
    retriever = StructuredRetriever(view.catalog)
    return ConversationEvaluator(EmbeddedScorer(), retriever, make_reward(), 0.9, look)


def world_with(view: DialogueView, acceptable: int, patience: float = 5.0) -> Conversation:
    talk = model(view, replace(PLAIN, patience=patience)).sample(random.Random(0))
    talk.user.acceptable = acceptable
    return talk


@pytest.fixture
def start(small: Catalog) -> DialogueView:
    view = view_of(small)
    hear(view)
    return view


def test_the_leaf_value_pays_for_the_first_target(start: DialogueView) -> None:
    reward = make_reward()
    win = reward.weight("accept") + reward.weight("attitude") - reward.weight("cost")
    loss = reward.weight("attitude") + reward.weight("cost")
    first, second, third = start.retriever.top(start, 3)
    value = evaluator(start).value
    assert value(world_with(start, 1 << first)) == pytest.approx(win)
    assert value(world_with(start, 1 << second)) == pytest.approx(0.9 * win - loss)
    assert value(world_with(start, 1 << third)) == pytest.approx(0.81 * win - 1.9 * loss)
    assert value(world_with(start, 0)) == pytest.approx(-2.71 * loss)


def test_no_look_no_leaf_value(start: DialogueView) -> None:
    assert evaluator(start, look=0).value(world_with(start, start.catalog.everything)) == 0


def test_patience_and_turns_bound_the_leaf_value(small: Catalog, start: DialogueView) -> None:
    third = start.retriever.top(start, 3)[2]
    value = evaluator(start).value
    assert value(world_with(start, 1 << third, patience=1.0)) < 0
    short = view_of(small, max_turns=2)
    hear(short)
    assert value(world_with(short, 1 << third)) < 0
    over = view_of(small, max_turns=0)
    assert value(world_with(over, small.everything)) == 0


def test_scores_made_otherwise_hold_at_the_root_alone(start: DialogueView) -> None:
    talk = model(start).sample(random.Random(0))
    retriever = StructuredRetriever(start.catalog)
    root = start.turn, [7.0] * len(start.mask())
    given = ConversationEvaluator(EmbeddedScorer(), retriever, make_reward(), 0.9, 3, root)
    assert given.prior(talk) == root[1]
    talk.advance(0)
    assert given.prior(talk) == evaluator(start).prior(talk)


def test_replies_that_differ_only_in_the_values_named_share_an_outcome(small: Catalog) -> None:
    view = view_of(small)
    hear(view)
    made, rng = model(view, PLAIN), random.Random(3)
    outcomes, replies = set(), set()
    for _ in range(40):
        world = made.sample(rng)
        outcomes.add(made.step(world, GENRE, rng)[0])
        replies.add(world.heard)
    assert len(replies) > len(outcomes)
    assert "LIKE genre" in outcomes
