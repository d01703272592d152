"""The user's prompt: three steps or one, and answers that break every rule."""

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import ValidationError

from catalogs.domain import load_domain
from dialogue.acts import ACCEPT, Kind
from language.llm.schema import strict_schema
from language.prompts import user
from tests.language.prompts.hostile import ACTS, ANYTHING, ORDER, hostile_catalog

CATALOG = hostile_catalog()


@pytest.mark.parametrize("name", ["movie", "book"])
@pytest.mark.parametrize("step", ["all", *user.STEPS])
def test_instructions_are_of_the_domain_and_short(name: str, step: str) -> None:
    domain = load_domain(name)
    system, asked = user.messages(domain, {"genre": [f"odd {ORDER}"]}, {"text": ORDER}, step, {})
    speaks = step in ("all", "reply")
    assert len(system["content"].split()) < (400 if speaks else 250)
    assert ("SIGH" in system["content"]) == ("genre" in system["content"].split()) == speaks
    assert ORDER not in system["content"]
    values = {"values": {"genre": [f"odd {ORDER}"]}} if speaks else {}
    assert json.loads(asked["content"].partition("\n\n")[0]) == {**values, "text": ORDER}
    schema = strict_schema(user.RESULTS[step])
    assert schema["required"] == list(schema["properties"])


def test_a_step_is_told_the_thoughts_before_it() -> None:
    domain = load_domain("movie")
    _, asked = user.messages(domain, {}, {}, "reply", {"feeling": "So so.", "insight": "Ask."})
    assert '"feeling": "So so."' in asked["content"]
    assert '"insight": "Ask."' in asked["content"]


@pytest.mark.parametrize("step", ["feeling", "insight"])
def test_a_blank_thought_is_sent_back(step: str) -> None:
    written = user.RESULTS[step].model_validate({step: "\n"})
    with pytest.raises(ValueError, match=step):
        user.read_thought(written, step)


def test_a_blank_reply_is_told_apart_from_other_mistakes() -> None:
    with pytest.raises(user.BlankReplyError):
        user.read_answer(CATALOG, user.Spoken(meaning=[], reply=" "), -1)


def test_a_claim_to_accept_is_noticed_when_nothing_is_offered() -> None:
    act = {"kind": "ACCEPT", "facet": None, "value": None, "other": None}
    written = user.Spoken.model_validate({"meaning": [act], "reply": "I take it!"})
    assert user.read_answer(CATALOG, written, -1) == user.Answer((), "I take it!", True)
    assert user.read_answer(CATALOG, written, 2).acts == ((ACCEPT, -1, -1, 2),)


@given(st.lists(ACTS, max_size=4), st.text(max_size=10), st.integers(-1, 3))
def test_any_acts_are_read_or_refused(acts: list[dict[str, Any]], reply: str, item: int) -> None:
    written = user.Spoken.model_validate({"meaning": acts, "reply": reply})
    try:
        found = user.read_answer(CATALOG, written, item)
    except ValueError:
        assert not reply.strip() or acts
        return
    assert found.reply == reply
    assert reply.strip()
    for kind, facet, value, other in found.acts:
        if kind in (Kind.LIKE, Kind.DISLIKE, Kind.VAGUE, Kind.CORRECT):
            assert 0 <= value < len(CATALOG.vocabulary[facet])
        if kind in (Kind.REJECT, Kind.SEEN, Kind.DETAILS, Kind.ACCEPT):
            assert other == item >= 0
        if kind == Kind.SIGH:
            assert facet in (1, 2, 3)


@given(ANYTHING)
def test_anything_else_is_refused(answer: Any) -> None:
    with pytest.raises(ValidationError):
        user.Turn.model_validate({"feeling": "", "insight": "", "meaning": [answer], "reply": ""})
    with pytest.raises(ValidationError):
        user.Turn.model_validate(answer)
