"""The public view: what is recorded of actions and reactions, and what is legal next."""

from typing import Any

import pytest

from catalogs.catalog import Catalog
from dialogue.acts import Kind, UserAct
from dialogue.view import NO_REASON, DialogueView, Exchange
from retrieval.structured import StructuredRetriever
from tests.small_world import index

GENRE, STAR, DIRECTOR, REFLECT, RECOMMEND, EXPLAIN = range(6)


@pytest.fixture
def view(small: Catalog) -> DialogueView:
    return DialogueView(small, StructuredRetriever(small), "acts", 10)


def say(view: DialogueView, *acts: tuple[Any, ...]) -> None:
    view.apply_user(tuple(UserAct(int(kind), *rest) for kind, *rest in acts))


def test_at_first_only_questions_and_an_offer_are_legal(view: DialogueView) -> None:
    assert view.mask() == [True, True, True, False, True, False]


def test_questions_are_counted(view: DialogueView) -> None:
    for action in (GENRE, STAR, STAR):
        view.apply_system(action, -1)
    assert (view.asked, view.streak, view.turn, view.last_action) == ([1, 2, 0], 3, 3, STAR)
    view.apply_system(RECOMMEND, 0)
    assert view.streak == 0
    assert view.asked == [1, 2, 0]


def test_an_offer_and_its_repeated_rows_are_offered(view: DialogueView, small: Catalog) -> None:
    vault, again = index(small, "vault"), index(small, "vault2")
    view.apply_system(RECOMMEND, vault)
    assert view.offered == 1 << vault | 1 << again
    assert view.offers == [(vault, Kind.OTHER)]
    assert view.mask()[EXPLAIN]


def test_a_rejection_allows_reflection_for_one_turn(view: DialogueView) -> None:
    view.apply_system(RECOMMEND, 0)
    say(view, (Kind.REJECT, GENRE, 2, 0))
    assert (view.just_rejected, view.reason) == (True, (GENRE, 2))
    assert (view.rejections, view.seen) == (1, 0)
    assert view.offers == [(0, Kind.REJECT)]
    assert view.state.doubts[GENRE] == (2,)
    assert view.mask()[REFLECT]
    view.apply_system(REFLECT, -1)
    assert view.state.dislikes[GENRE] == (2,)
    assert view.state.doubts[GENRE] == ()
    say(view, (Kind.LIKE, GENRE, 1))
    assert (view.just_rejected, view.reason) == (False, NO_REASON)
    assert not view.mask()[REFLECT]


def test_seen_it_states_no_reason(view: DialogueView) -> None:
    view.apply_system(RECOMMEND, 3)
    say(view, (Kind.SEEN, -1, -1, 3))
    assert (view.rejections, view.seen, view.reason) == (1, 1, NO_REASON)
    assert view.offers == [(3, Kind.SEEN)]
    assert view.mask()[REFLECT]


def test_details_stay_open_for_one_turn(view: DialogueView) -> None:
    view.apply_system(RECOMMEND, 5)
    say(view, (Kind.DETAILS, -1, -1, 5))
    assert view.details == 5
    assert view.offers == [(5, Kind.DETAILS)]
    view.apply_system(EXPLAIN, 5)
    say(view, (Kind.REJECT, -1, -1, 5))
    assert (view.details, view.explained) == (-1, 1)
    assert view.offers == [(5, Kind.REJECT)]


def test_the_last_offer_of_an_item_gets_the_reaction(view: DialogueView) -> None:
    for item in (1, 2, 1):
        view.apply_system(RECOMMEND, item)
    say(view, (Kind.ACCEPT, -1, -1, 1))
    assert view.offers == [(1, Kind.OTHER), (2, Kind.OTHER), (1, Kind.ACCEPT)]


def test_impatience_never_falls_and_leaving_ends(view: DialogueView) -> None:
    say(view, (Kind.SIGH, 2))
    say(view, (Kind.SIGH, 1))
    assert view.impatience == 2
    assert not view.ended
    say(view, (Kind.QUIT,))
    assert view.ended


def test_nothing_left_to_offer(view: DialogueView, small: Catalog) -> None:
    for item in range(len(small)):
        assert view.mask()[RECOMMEND]
        view.apply_system(RECOMMEND, item)
    assert not view.mask()[RECOMMEND]
    assert view.mask()[:3] == [True] * 3


def test_a_fork_is_independent_and_has_no_history(view: DialogueView) -> None:
    view.exchanges.append(Exchange(0, -1, -1, (), "", "hello", ()))
    view.apply_system(RECOMMEND, 0)
    say(view, (Kind.REJECT, GENRE, 2, 0), (Kind.SIGH, 1))
    fork = view.fork()
    assert fork.exchanges == []
    skip = {"exchanges", "channel"}
    facts = [name for name in DialogueView.__slots__ if name not in skip]
    before = {name: getattr(view, name) for name in facts if name not in ("state", "asked")}
    assert all(getattr(fork, name) == getattr(view, name) for name in facts)
    fork.apply_system(STAR, -1)
    fork.apply_system(RECOMMEND, 1)
    say(fork, (Kind.LIKE, STAR, 0), (Kind.QUIT,))
    assert {name: getattr(view, name) for name in before} == before
    assert view.asked == [0, 0, 0]
    assert view.offers == [(0, Kind.REJECT)]
    assert view.state.likes[STAR] == ()


def test_an_assessment_is_made_once_a_turn(view: DialogueView, small: Catalog) -> None:
    first = view.assess()
    assert view.assess() is first
    assert first.candidates == len(small)
    view.apply_system(RECOMMEND, 0)
    assert view.assess().best == 1
    say(view, (Kind.LIKE, GENRE, small.value_index(GENRE, "horror")))
    assert view.assess().best == index(small, "cellar")
    assert view.fork().assess() == view.assess() == view.retriever.assess(view)


def test_the_transcript_has_what_was_said(view: DialogueView) -> None:
    view.exchanges += [
        Exchange(0, -1, -1, (), "", "hello", ()),
        Exchange(1, GENRE, -1, (), "Which genre?", "drama", ()),
    ]
    lines = [("user", "hello"), ("system", "Which genre?"), ("user", "drama")]
    assert list(view.transcript()) == lines
    view.exchanges[:] = [Exchange(1, GENRE, -1, (), "", "", ())]
    assert list(view.transcript()) == []
