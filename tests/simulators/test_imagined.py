"""The imagined user: goals that fit the view, and nothing that the view does not tell."""

import random
from collections import Counter
from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from catalogs.catalog import Catalog
from catalogs.goal import targets
from dialogue.acts import Kind, UserAct
from dialogue.view import DialogueView
from envs.world import World
from retrieval.structured import StructuredRetriever
from simulators.behaviour import Behaviour
from simulators.imagined import GoalSampler, ImaginationSettings, ImaginedUser
from simulators.seen import SeenItems
from simulators.user import vague_partners
from tests.simulators.people import GENRE, RECOMMEND, STAR
from tests.small_world import PLAIN, env_of, index
from tests.strategies import behaviours, turns, worlds

SETTINGS = ImaginationSettings()


def view_of(catalog: Catalog) -> DialogueView:
    return DialogueView(catalog, StructuredRetriever(catalog), "acts", 10)


def sampler(view: DialogueView, settings: ImaginationSettings = SETTINGS) -> GoalSampler:
    return GoalSampler(view, StructuredRetriever(view.catalog), settings)


def like(view: DialogueView, facet: int, name: str) -> None:
    value = view.catalog.value_index(facet, name)
    view.apply_user((UserAct(int(Kind.LIKE), facet, value),))


def test_a_goal_keeps_what_was_stated(small: Catalog) -> None:
    view = view_of(small)
    like(view, GENRE, "comedy")
    like(view, STAR, "Lee Park")
    rng, goals = random.Random(0), sampler(view)
    comedy, park = small.value_index(GENRE, "comedy"), small.value_index(STAR, "Lee Park")
    drawn = [goals.sample(rng) for _ in range(300)]
    assert all(park in goal.values[STAR] for goal, _ in drawn)
    share = sum(comedy in goal.values[GENRE] for goal, _ in drawn) / len(drawn)
    assert share > 0.7  # constraints are soft: a stated value may be a slip
    assert all(found for _, found in drawn)


def test_goals_are_drawn_from_what_occurs_together(small: Catalog) -> None:
    """Every goal is met by an item, values not stated yet included."""
    view = view_of(small)
    like(view, GENRE, "thriller")
    rng, goals = random.Random(1), sampler(view)
    sets: Counter[tuple[int, ...]] = Counter()
    for _ in range(200):
        goal, found = goals.sample(rng)
        assert found & targets(small, goal)
        assert len(goal.values[STAR]) <= small.domain.facets[STAR].goal_size
        sets[goal.values[GENRE]] += 1
    assert len(sets) >= 3


def test_rejected_items_do_not_meet_the_goal(small: Catalog) -> None:
    view = view_of(small)
    like(view, GENRE, "comedy")
    clown = index(small, "clown")
    view.apply_system(RECOMMEND, clown)
    view.apply_user((UserAct(int(Kind.REJECT), -1, -1, clown),))
    rng, goals = random.Random(2), sampler(view)
    drawn = [goals.sample(rng) for _ in range(300)]
    assert not any(found >> clown & 1 for _, found in drawn)
    kept = sum(bool(targets(small, goal) >> clown & 1) for goal, _ in drawn)
    assert kept / len(drawn) < 0.1  # a bounded number of resamplings leaves a few


def test_a_seen_item_may_meet_the_goal(small: Catalog) -> None:
    """ "Seen it" is not "wrong": the goal stays, the item is not offered again."""
    view = view_of(small)
    like(view, GENRE, "comedy")
    clown = index(small, "clown")
    view.apply_system(RECOMMEND, clown)
    view.apply_user((UserAct(int(Kind.SEEN), -1, -1, clown),))
    rng, goals = random.Random(3), sampler(view)
    drawn = [goals.sample(rng) for _ in range(300)]
    assert not any(found >> clown & 1 for _, found in drawn)
    assert any(targets(small, goal) >> clown & 1 for goal, _ in drawn)


def test_tiers_that_violate_more_are_drawn_less(small: Catalog) -> None:
    view = view_of(small)
    like(view, GENRE, "western")
    western = small.value_index(GENRE, "western")
    shares = []
    for violation in (1e-6, 0.1, 1.0):
        goals, rng = sampler(view, ImaginationSettings(violation=violation)), random.Random(4)
        drawn = [goals.sample(rng)[0] for _ in range(400)]
        shares.append(sum(western in goal.values[GENRE] for goal in drawn) / 400)
    assert shares[0] == 1.0
    assert shares[0] > shares[1] > shares[2]


@given(data=st.data(), place=worlds(), behaviour=behaviours())
@settings(max_examples=60)
def test_any_rollout(data: st.DataObject, place: World, behaviour: Behaviour) -> None:
    """From any point of any dialogue an imagined user can be talked to until it ends."""
    env = env_of(place, max_turns=8)
    env.reset(seed=1, options={"episode": data.draw(st.integers(0, 5))})
    for turn in data.draw(turns(env.catalog, longest=5)):
        if any(env.play(turn)[2:4]):
            break
    goals = GoalSampler(env.view, place.structured, SETTINGS)
    rng = random.Random(data.draw(st.integers(0, 99)))
    goal, acceptable = goals.sample(rng)
    assert not acceptable & ~env.catalog.everything
    view = env.view.fork()
    user = ImaginedUser(
        view,
        goal,
        acceptable,
        behaviour,
        rng,
        place.vague,
        place.seen,
        worn=0.0,
    )
    assert 0 < user.patience <= user.behaviour.patience
    assert user.level == view.impatience
    known = view.state.likes
    assert all(not set(user.remaining[f]) & set(known[f]) for f in range(len(known)))
    for action in data.draw(st.lists(st.integers(0, len(view.mask()) - 1), max_size=6)):
        if not view.mask()[action]:
            continue
        item = place.structured.best(view) if action == env.domain.recommend else -1
        if action == env.domain.explain:
            item = view.details if view.details >= 0 else view.offers[-1][0]
        view.apply_system(action, item)
        acts = user.respond(action, item)
        view.apply_user(acts)
        if any(act.kind == Kind.ACCEPT for act in acts):
            assert acceptable >> item & 1
            break
        if user.left:
            break


def test_what_it_has_seen_is_drawn_once(small: Catalog) -> None:
    view = view_of(small)
    rates, chances = [], SeenItems(small)
    for seed in range(600):
        goal, acceptable = sampler(view).sample(random.Random(seed))
        user = ImaginedUser(
            view,
            goal,
            acceptable,
            replace(PLAIN, seen=0.4, patience=50.0),
            random.Random(seed),
            vague_partners(small),
            chances,
            worn=0.0,
        )
        first = [act.kind for act in user.respond(RECOMMEND, 3)]
        assert [act.kind for act in user.respond(RECOMMEND, 3)][:1] == first[:1]
        if user._unseen != 3:
            rates.append(first[0] == Kind.SEEN)
    assert sum(rates) / len(rates) == pytest.approx(chances.probability(3, 0.4), abs=0.08)
