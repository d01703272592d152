"""What wears a user's patience, how it shows, and when the user leaves."""

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from catalogs.catalog import Catalog
from dialogue.acts import Kind, UserAct
from simulators.behaviour import Behaviour
from simulators.user import FATIGUE_COST, REJECTION_COST, SEEN_COST, USELESS_COST
from tests.simulators.people import (
    DIRECTOR,
    EXPLAIN,
    GENRE,
    RECOMMEND,
    REFLECT,
    STAR,
    kinds,
    user,
)
from tests.small_world import films, index
from tests.strategies import behaviours


def spent(catalog: Catalog, *turns: tuple[int, int], known: int = 0, **behaviour: Any) -> float:
    """Patience that a dialogue costs a patient user."""
    person = user(catalog, 0, None, known, **{"patience": 100.0, **behaviour})
    for action, item in turns:
        person.respond(action, item)
    return 100.0 - person.patience


def test_what_costs_patience(small: Catalog) -> None:
    cellar, vault, moth = (index(small, key) for key in ("cellar", "vault", "moth"))
    assert spent(small, (GENRE, -1), (STAR, -1)) == 0
    assert spent(small, (RECOMMEND, vault)) == 0
    assert spent(small, (RECOMMEND, cellar)) == REJECTION_COST == 1.0
    assert spent(small, (RECOMMEND, cellar), known=1 << cellar) == SEEN_COST == 0.5
    assert spent(small, (EXPLAIN, cellar)) == USELESS_COST == 0.5
    assert spent(small, *[(DIRECTOR, -1)] * 3) == 2 * USELESS_COST  # there is one director to tell
    assert spent(small, (RECOMMEND, moth), (REFLECT, -1)) == REJECTION_COST
    assert spent(small, (REFLECT, -1)) == USELESS_COST


@pytest.mark.parametrize("fatigue", [0, 1, 3])
def test_fatigue_counts_questions_in_a_row(small: Catalog, fatigue: int) -> None:
    questions = [(STAR, -1), (GENRE, -1), (GENRE, -1), (STAR, -1), (GENRE, -1)]
    assert spent(small, *questions, fatigue=fatigue) == FATIGUE_COST * (5 - fatigue)


@pytest.mark.parametrize("pause", ["offer", "explanation"])
def test_anything_but_a_question_ends_the_row(small: Catalog, pause: str) -> None:
    cellar = index(small, "cellar")
    between = (RECOMMEND, cellar) if pause == "offer" else (EXPLAIN, cellar)
    cost = REJECTION_COST if pause == "offer" else USELESS_COST
    turns = [(GENRE, -1), (STAR, -1), between, (GENRE, -1), (STAR, -1)]
    assert spent(small, *turns, fatigue=2) == cost
    assert spent(small, *turns, fatigue=1) == cost + 2 * FATIGUE_COST


def test_reflection_is_a_question(small: Catalog) -> None:
    cellar = index(small, "cellar")
    turns = [(RECOMMEND, cellar), (REFLECT, -1), (GENRE, -1)]
    assert spent(small, *turns, fatigue=1) == REJECTION_COST + FATIGUE_COST


def test_patience_shows_in_three_levels(small: Catalog) -> None:
    """A third gone, two thirds gone, nothing left: the user leaves."""
    person = user(small, 0, patience=3.0)
    cellar = index(small, "cellar")
    shown = [person.respond(RECOMMEND, cellar)[1:] for _ in range(3)]
    assert shown == [
        (UserAct(Kind.SIGH, 1),),
        (UserAct(Kind.SIGH, 2),),
        (UserAct(Kind.QUIT),),
    ]
    assert person.left


def test_an_acceptance_is_not_followed_by_leaving(small: Catalog) -> None:
    person = user(small, 0, patience=1.0)
    person.patience = 0.0
    assert kinds(person.respond(RECOMMEND, index(small, "vault")))[0] == Kind.ACCEPT
    assert not person.left


TURN = st.tuples(st.integers(0, 5), st.integers(0, 11))


@given(
    behaviour=behaviours(),
    seed=st.integers(0, 999),
    seen=st.integers(0, (1 << 12) - 1),
    turns=st.lists(TURN, max_size=15),
)
def test_any_dialogue(
    behaviour: Behaviour, seed: int, seen: int, turns: list[tuple[int, int]]
) -> None:
    """Patience never grows, sighs rise, QUIT is last and means gone, and no value is told twice."""
    catalog = films()
    person = user(catalog, seed, None, seen & ~(1 << index(catalog, "quay")), behaviour)
    person.shuffle()
    told = [(act.facet, act.value) for act in person.open() if act.kind == Kind.LIKE]
    level, patience = 0, person.patience
    for action, item in turns:
        acts = person.respond(action, item if action > REFLECT else -1)
        assert acts
        assert person.patience <= patience
        patience = person.patience
        for act in acts:
            if act.kind == Kind.SIGH:
                assert 3 >= act.facet > level
                level = act.facet
            if act.kind == Kind.LIKE:
                told.append((act.facet, act.value))
            if act.kind == Kind.ACCEPT:
                assert person.acceptable >> act.other & 1
        assert (Kind.QUIT in kinds(acts)) == person.left == (patience <= 0)
        if person.left:
            assert acts[-1].kind == Kind.QUIT
            break
        if acts[-1].kind == Kind.ACCEPT:
            break
    wanted = [(f, v) for f, values in enumerate(person.goal.values) for v in values]
    right = [pair for pair in told if pair in wanted]
    assert len(set(right)) == len(right)


@given(
    behaviour=behaviours(),
    turns=st.lists(TURN, min_size=1, max_size=10),
    cut=st.integers(0, 9),
)
def test_the_users_state_goes_through_json(
    behaviour: Behaviour, turns: list[tuple[int, int]], cut: int
) -> None:
    catalog = films()
    person = user(catalog, 5, like=behaviour)
    person.open()
    for action, item in turns[:cut]:
        person.respond(action, item)
    saved = json.dumps(person.get_state())
    numbers = [0.1 * k for k in range(10)] * 20
    twin = user(catalog, numbers, like=behaviour)
    twin.set_state(json.loads(saved))
    assert json.dumps(twin.get_state()) == saved
    person.stream = type(twin.stream)(*numbers)
    for action, item in turns[cut:]:
        assert person.respond(action, item) == twin.respond(action, item)
