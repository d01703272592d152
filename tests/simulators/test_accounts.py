"""Booking what was said: the account agrees with the embedded user's own, and with what shows."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dialogue.acts import (
    CORRECT,
    DETAILS,
    EVADE,
    LIKE,
    NOMORE,
    QUIT,
    REJECT,
    SEEN,
    SIGH,
    VAGUE,
    UserAct,
)
from simulators.accounts import book
from tests.simulators.people import EXPLAIN, GENRE, RECOMMEND, REFLECT, STAR, user
from tests.small_world import films, index
from tests.strategies import behaviours

CATALOG = films()
ITEM = index(CATALOG, "love")
SAME = ("remaining", "patience", "streak", "asked_details", "last_rejected", "reason_facet")


@settings(max_examples=150, deadline=None)
@given(behaviours(), st.integers(0, 1000), st.lists(st.integers(0, 5), min_size=1, max_size=8))
def test_booking_what_the_embedded_user_says_is_its_own_account(behaviour, seed, actions) -> None:
    """But for slips, of which only the user knows that they are some."""
    person = user(CATALOG, seed, like=behaviour, slip=0.0)
    person.shuffle()
    person.open()
    for action in actions:
        item = ITEM if action >= RECOMMEND else -1
        before = person.get_state()
        acts = person.respond(action, item)
        after = person.get_state()
        person.set_state(before)
        book(person, action, item, acts)
        booked = person.get_state()
        useless = {UserAct(NOMORE), UserAct(12)} & set(acts)
        if action != REFLECT or not useless:
            assert {name: booked[name] for name in SAME} == {name: after[name] for name in SAME}
            assert booked["evaded"] == after["evaded"]
            assert booked["level"] == after["level"]
        person.set_state(after)
        if any(act.kind == QUIT for act in acts):
            return


def test_values_that_are_said_are_not_left_to_say() -> None:
    person = user(CATALOG)
    genre = person.remaining[0]
    book(person, GENRE, -1, (UserAct(LIKE, 0, genre[1]), UserAct(LIKE, 0, 999)))
    assert person.remaining[0] == (genre[0], genre[2])
    book(person, GENRE, -1, (UserAct(VAGUE, 0, 999, genre[2]),))
    assert person.vague_said[0] == (genre[2],)
    assert genre[2] in person.remaining[0]
    book(person, GENRE, -1, (UserAct(LIKE, 0, genre[2]),))
    assert not person.vague_said[0]


def test_a_slip_is_over_when_it_is_taken_back() -> None:
    person = user(CATALOG)
    person.slip = (1, 3, 5)
    book(person, STAR, -1, (UserAct(CORRECT, 1, 3, 4),))
    assert person.slip == (1, 3, 5)
    book(person, STAR, -1, (UserAct(CORRECT, 1, 3, 5),))
    assert person.slip is None


@pytest.mark.parametrize(
    ("action", "acts", "cost"),
    [
        (GENRE, (UserAct(EVADE, -1),), 0.0),
        (GENRE, (UserAct(NOMORE, 0),), 0.5),
        (REFLECT, (UserAct(LIKE, 0, 0),), 0.5),
        (RECOMMEND, (UserAct(REJECT, 1, 2, ITEM),), 1.0),
        (RECOMMEND, (UserAct(SEEN, -1, -1, ITEM),), 0.5),
        (RECOMMEND, (UserAct(DETAILS, -1, -1, ITEM),), 0.0),
        (RECOMMEND, (UserAct(SEEN, -1, -1, ITEM), UserAct(REJECT, -1, -1, ITEM)), 1.5),
        (EXPLAIN, (), 0.5),
        (-1, (UserAct(LIKE, 0, 0),), 0.0),
    ],
)
def test_costs(action: int, acts: tuple[UserAct, ...], cost: float) -> None:
    person = user(CATALOG)
    before = person.patience
    book(person, action, ITEM if action >= RECOMMEND else -1, acts)
    assert before - person.patience == cost


def test_fatigue_reasons_and_sighs() -> None:
    person = user(CATALOG, fatigue=1)
    for _ in range(3):
        book(person, GENRE, -1, (UserAct(EVADE, -1), UserAct(SIGH, 2)))
    assert person.patience == 3.0
    assert (person.evaded[0], person.level) == (3, 2)
    book(person, RECOMMEND, ITEM, (UserAct(REJECT, 2, -1, ITEM),))
    assert (person.streak, person.last_rejected, person.reason_facet) == (0, ITEM, 2)
