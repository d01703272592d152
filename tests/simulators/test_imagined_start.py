"""Where an imagined user starts: it takes over what the view shows, and imagines the rest."""

import random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from catalogs.catalog import Catalog
from catalogs.goal import Goal, meets, targets
from dialogue.acts import Kind, UserAct
from dialogue.view import DialogueView
from envs.world import World
from retrieval.structured import StructuredRetriever
from simulators.behaviour import Behaviour
from simulators.imagined import GoalPool, GoalSampler, ImaginationSettings, ImaginedUser
from simulators.seen import SeenItems
from simulators.user import vague_partners
from tests.simulators.people import EXPLAIN, GENRE, RECOMMEND, STAR, crime
from tests.small_world import PLAIN, env_of, index
from tests.strategies import turns, worlds


def view_of(catalog: Catalog) -> DialogueView:
    return DialogueView(catalog, StructuredRetriever(catalog), "acts", 10)


def sampler(view: DialogueView, **changes: float) -> GoalSampler:
    rules = ImaginationSettings(**changes)  # type: ignore[arg-type]
    return GoalSampler(view, StructuredRetriever(view.catalog), rules)


def imagined(
    view: DialogueView,
    goal: Goal,
    behaviour: Behaviour = PLAIN,
    worn: float = 0.0,
    acceptable: int = 0,
    seed: int = 0,
) -> ImaginedUser:
    return ImaginedUser(
        view,
        goal,
        acceptable,
        behaviour,
        random.Random(seed),
        vague_partners(view.catalog),
        SeenItems(view.catalog),
        worn,
    )


@given(data=st.data(), place=worlds())
@settings(max_examples=80)
def test_sampled_goals_fit_any_view(data: st.DataObject, place: World) -> None:
    env = env_of(place, max_turns=12)
    env.reset(seed=1, options={"episode": data.draw(st.integers(0, 5))})
    for turn in data.draw(turns(env.catalog)):
        if any(env.play(turn)[2:4]):
            break
    view, catalog = env.view, env.catalog
    decided = [item for item, kind in view.offers if kind != Kind.DETAILS]
    offered = 0
    for item in decided:
        offered |= catalog.works[item]
    goals = GoalSampler(view, place.structured, ImaginationSettings())
    rng = random.Random(data.draw(st.integers(0, 99)))
    for _ in range(5):
        goal, found = goals.sample(rng)
        assert not found & offered
        assert bool(found) == (offered != catalog.everything)
        # Soft constraints: the item that a goal is made around may lack the people named.
        assert (found & ~targets(catalog, goal)).bit_count() <= 1
        for f, facet in enumerate(catalog.domain.facets):
            assert len(set(goal.values[f])) == len(goal.values[f])
            if facet.match == "any":
                assert set(view.state.likes[f]) <= set(goal.values[f])
                likes = len(view.state.likes[f])
                assert len(goal.values[f]) <= max(facet.goal_size or 0, likes + 1)


def test_a_rejected_item_meets_no_goal_where_others_are_left(small: Catalog) -> None:
    view = view_of(small)
    for name in ("harbour", "moth", "cellar"):
        item = index(small, name)
        view.apply_system(RECOMMEND, item)
        view.apply_user((UserAct(int(Kind.REJECT), -1, -1, item),))
    goals, rng = sampler(view, attempts=50), random.Random(0)
    for _ in range(200):
        goal, found = goals.sample(rng)
        assert found
        for name in ("harbour", "moth", "cellar"):
            assert not meets(small, goal, small.item(name))


def test_a_pool_is_drawn_from_evenly(small: Catalog) -> None:
    pool = GoalPool(sampler(view_of(small)), 4, random.Random(0))
    assert len(pool.goals) == 4
    rng = random.Random(1)
    drawn = [pool.draw(rng) for _ in range(400)]
    assert set(map(id, drawn)) <= set(map(id, pool.goals))
    for goal in pool.goals:
        assert 60 < sum(one is goal for one in drawn) < 400


def test_what_was_said_is_not_said_again(small: Catalog) -> None:
    view, goal = view_of(small), crime(small)
    first, *others = goal.values[GENRE]
    view.apply_user((UserAct(int(Kind.LIKE), GENRE, first),))
    firsts = set()
    for seed in range(20):
        user = imagined(view, goal, seed=seed)
        assert sorted(user.remaining[GENRE]) == sorted(others)
        firsts.add(user.remaining[GENRE][0])
    assert firsts == set(others)


def test_a_vague_word_may_still_be_made_clear(small: Catalog) -> None:
    view, goal = view_of(small), crime(small)
    wanted = goal.values[GENRE][0]
    other = next(v for v in range(9) if v not in goal.values[GENRE])
    view.apply_user((UserAct(int(Kind.VAGUE), GENRE, wanted, other),))
    user = imagined(view, goal)
    assert user.vague_said[GENRE] == (wanted,)
    assert wanted in user.remaining[GENRE]


def test_habits_of_the_dialogue_are_taken_over(small: Catalog) -> None:
    view = view_of(small)
    for _ in range(2):
        view.apply_system(STAR, -1)
        view.apply_user((UserAct(int(Kind.EVADE), STAR),))
    user = imagined(view, crime(small))
    assert user.evaded[STAR] == 2
    assert user.streak == 2
    user.evaded[STAR] = 9
    assert view.state.evasions[STAR] == 2


def test_a_pending_question_is_answered(small: Catalog) -> None:
    view, vault = view_of(small), index(small, "vault")
    view.apply_system(RECOMMEND, vault)
    view.apply_user((UserAct(int(Kind.DETAILS), -1, -1, vault),))
    user = imagined(view, crime(small), acceptable=1 << vault)
    assert user.asked_details == vault
    assert [act.kind for act in user.respond(EXPLAIN, vault)] == [Kind.ACCEPT]


@pytest.mark.parametrize("facet", [GENRE, -1])
def test_the_last_rejection_is_remembered(small: Catalog, facet: int) -> None:
    view, moth = view_of(small), index(small, "moth")
    view.apply_system(RECOMMEND, moth)
    view.apply_user((UserAct(int(Kind.REJECT), facet, -1, moth),))
    user = imagined(view, crime(small))
    assert (user.last_rejected, user.reason_facet) == (moth, facet)
    view.apply_system(STAR, -1)
    view.apply_user((UserAct(int(Kind.EVADE), STAR),))
    assert imagined(view, crime(small)).last_rejected == -1


@pytest.mark.parametrize("level", [0, 1, 2, 3])
@pytest.mark.parametrize("worn", [0.0, 1.4, 2.6, 50.0])
def test_patience_lies_where_the_view_shows_it(small: Catalog, level: int, worn: float) -> None:
    """Wear tells how much is left, within what the level of impatience shown allows."""
    view = view_of(small)
    view.impatience = level
    user = imagined(view, crime(small), worn=worn)
    total = user.behaviour.patience
    spent = 1.0 - user.patience / total
    assert 0 < user.patience <= total
    assert user.level == level
    if level < 3:
        assert level / 3 - 1e-9 <= spent < (level + 1) / 3
        if level / 3 < worn / total < (level + 0.9) / 3:
            assert spent == pytest.approx(worn / total)


def test_the_hidden_side_is_not_asked(small: Catalog) -> None:
    """Two views with the same public facts start the same users."""
    users = []
    for _ in range(2):
        view = view_of(small)
        view.apply_user((UserAct(int(Kind.LIKE), GENRE, 3),))
        goal, acceptable = sampler(view).sample(random.Random(5))
        users.append(imagined(view, goal, acceptable=acceptable, seed=6).get_state())
    assert users[0] == users[1]
