"""The rules: what a model says as the user against the catalogue and the account of patience."""

from dataclasses import replace
from typing import Any

import pytest

from dialogue.acts import (
    ACCEPT,
    DETAILS,
    EVADE,
    LIKE,
    OTHER,
    QUIT,
    REJECT,
    SEEN,
    UserAct,
    UserActs,
)
from dialogue.view import SystemTurn
from envs.conversation import Conversation
from language.llm.call import Call
from language.prompts.user import Answer
from simulators.overruling import Ruling, settle
from simulators.user import EmbeddedUser
from tests.language.script import Script
from tests.simulators.model_people import converse
from tests.simulators.people import EXPLAIN, GENRE, NO, RECOMMEND, crime, kinds, user
from tests.small_world import PLAIN, films, index, persona, world

CATALOG = films()
TARGET, MISS = index(CATALOG, "vault"), index(CATALOG, "love")


def react(
    action: int, item: int, *said: UserAct, accepts: bool | None = None, **behaviour: Any
) -> tuple[Ruling, EmbeddedUser, UserActs]:
    """What stands of an answer, the user afterwards, and what it would have said itself."""
    person = user(CATALOG, [NO] * 9, **behaviour)
    before = person.get_state()
    expected = person.respond(action, item)
    claims = any(act.kind == ACCEPT for act in said) if accepts is None else accepts
    answer = Answer(said, "words", claims)
    return settle(person, before, expected, answer, action, item), person, expected


def about(kind: int, item: int) -> UserAct:
    return UserAct(kind, -1, -1, item)


def test_the_same_acts_stand_with_the_users_own_account() -> None:
    ruling, person, expected = react(RECOMMEND, MISS, about(REJECT, MISS))
    assert ruling == Ruling(expected, True, ())
    assert person.patience == PLAIN.patience - 1.0


def test_a_miss_is_not_accepted_whatever_is_said() -> None:
    ruling, person, expected = react(RECOMMEND, MISS, about(ACCEPT, MISS))
    assert ruling == Ruling(expected, False, ("false_accept",))
    assert kinds(expected) == [REJECT]
    assert person.last_rejected == MISS


def test_accepting_where_nothing_is_offered_is_false_too() -> None:
    ruling, _, expected = react(GENRE, -1, accepts=True)
    assert ruling == Ruling(expected, False, ("false_accept",))


@pytest.mark.parametrize(
    "said",
    [
        (),
        (UserAct(OTHER),),
        (about(REJECT, TARGET),),
        (about(SEEN, TARGET),),
        (about(DETAILS, TARGET), about(REJECT, TARGET)),
        (UserAct(QUIT),),
    ],
)
def test_a_target_ends_the_dialogue_whatever_is_said(said: UserActs) -> None:
    wish = UserAct(LIKE, 0, 0)
    ruling, person, _ = react(RECOMMEND, TARGET, wish, *said)
    assert ruling == Ruling((wish, about(ACCEPT, TARGET)), True, ("missed_accept",))
    assert not person.left


@pytest.mark.parametrize("also", [QUIT, REJECT, SEEN, DETAILS])
def test_who_takes_a_target_does_nothing_else_with_it(also: int) -> None:
    ruling, person, _ = react(RECOMMEND, TARGET, about(ACCEPT, TARGET), about(also, TARGET))
    assert ruling == Ruling((about(ACCEPT, TARGET),), True, ())
    assert (person.patience, person.left) == (PLAIN.patience, False)


def test_details_may_be_asked_of_an_offer_once() -> None:
    ask = about(DETAILS, TARGET)
    ruling, person, _ = react(RECOMMEND, TARGET, ask)
    assert ruling == Ruling((ask,), True, ())
    assert person.asked_details == TARGET
    ruling, person, _ = react(EXPLAIN, TARGET, ask)
    assert ruling == Ruling((about(ACCEPT, TARGET),), True, ("missed_accept",))


def test_a_target_may_be_accepted_where_the_embedded_user_hesitates() -> None:
    person = user(CATALOG, [0.0] * 9, details=1.0)
    before = person.get_state()
    expected = person.respond(RECOMMEND, TARGET)
    assert kinds(expected) == [DETAILS]
    take = about(ACCEPT, TARGET)
    ruling = settle(person, before, expected, Answer((take,), "ok", True), RECOMMEND, TARGET)
    assert ruling == Ruling((take,), True, ())
    assert person.asked_details == -1


def test_nobody_leaves_before_patience_is_spent() -> None:
    ruling, person, expected = react(GENRE, -1, UserAct(QUIT))
    assert ruling == Ruling(expected, False, ("early_leave",))
    assert not person.left
    assert len(person.remaining[0]) == 2


def test_nobody_stays_after_it() -> None:
    said = (about(REJECT, MISS), UserAct(LIKE, 1, 0))
    ruling, person, _ = react(RECOMMEND, MISS, *said, patience=0.5)
    assert ruling == Ruling((*said, UserAct(QUIT)), True, ("late_leave",))
    assert person.left


def test_leaving_in_time_is_believed() -> None:
    said = (about(REJECT, MISS), UserAct(EVADE, 0), UserAct(QUIT))
    ruling, person, _ = react(RECOMMEND, MISS, *said, patience=1.0)
    assert ruling == Ruling(said, True, ())
    assert person.left


def test_who_leaves_with_the_embedded_user_does_not_leave_early() -> None:
    said = (about(SEEN, MISS), UserAct(QUIT))
    ruling, _, expected = react(RECOMMEND, MISS, *said, patience=1.0)
    assert kinds(expected) == [REJECT, QUIT]
    assert ruling == Ruling(said, True, ())


def talk_with(answer: dict[str, Any], patience: float = 5.0) -> Conversation:
    """A dialogue in which the user gives one answer from its first turn on."""
    like = replace(PLAIN, patience=patience)
    place = world(CATALOG, [crime(CATALOG)], [persona(like)])
    opening = {**answer, "meaning": [], "reply": "Hello."}

    def give(call: Call[Any]) -> dict[str, Any]:
        return opening if call.inputs()["action"] < 0 else answer

    talk = converse(place, crime(CATALOG), place.personas[0], 0, Script(give), speaks=False)
    talk.open()
    return talk


def say(reply: str, *acts: str) -> dict[str, Any]:
    meaning = [{"kind": kind, "facet": None, "value": None, "other": None} for kind in acts]
    return {"feeling": "", "insight": "", "meaning": meaning, "reply": reply}


def test_a_false_claim_to_accept_is_counted_and_changes_nothing() -> None:
    talk = talk_with(say("Yes, that one, I accept!", "ACCEPT"))
    talk.advance(RECOMMEND)
    assert talk.steps[-1].overruled == ("false_accept",)
    assert not talk.terminated
    assert talk.view.just_rejected
    assert "accept" not in talk.view.exchanges[-1].user_text.lower()


def test_a_missed_target_is_counted_and_accepted() -> None:
    talk = talk_with(say("No, never.", "REJECT"))
    talk.advance(SystemTurn(RECOMMEND, ranking=(TARGET,)))
    assert talk.steps[-1].overruled == ("missed_accept",)
    assert talk.accepted
    assert talk.view.exchanges[-1].user_text == "No, never."


def test_a_blank_reply_is_counted_and_the_embedded_answer_stands() -> None:
    talk = talk_with(say("  ", "QUIT"))
    talk.advance(GENRE)
    assert talk.steps[-1].overruled == ("empty_reply",)
    assert talk.view.exchanges[-1].user_text.strip()
    assert not talk.user.left


def test_a_user_that_never_ends_is_ended() -> None:
    talk = talk_with(say("Go on.", "REJECT"), patience=2.0)
    talk.advance(RECOMMEND)
    talk.advance(RECOMMEND)
    assert [step.overruled for step in talk.steps] == [(), ("late_leave",)]
    assert talk.terminated
    assert not talk.accepted
