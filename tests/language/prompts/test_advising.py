"""The prompt of Dreams(EA): pinned by its version, and data stay data whatever they say."""

import hashlib
import json
from typing import Any

import pytest

from dialogue.experience import Experience
from language.llm.call import Message
from language.llm.schema import strict_schema
from language.prompts import advising, facts, refining, situation
from language.prompts.versions import PROMPTS
from planners.experience.advice import NAMES
from tests.language.prompts.hostile import ORDER, hostile_catalog, view_of
from tests.language.prompts.roles import _view
from tests.planners.experience.cases import case, facet_state
from tests.planners.experience.cases import facts as numbers
from tests.small_world import films

PINNED = {"advise/1": "ef87bf2a7d3aa87e"}
"""Of the present prompt: instructions, data and shape of the fixed example."""


def told(text: str = "Something with rain, please.") -> tuple[Message, ...]:
    """The fixed example: two cases with everything in their states, a search of three words."""
    catalog = films()
    state = {
        "genre": facet_state(status="ambiguous", like=["drama"], ambiguous=[["crime", "war"]]),
        "star": facet_state(status="stated", dislike=["Lee Park"], doubt=["Otto Brand"]),
        "director": facet_state(evasions=2, closed=True),
    }
    cases = [
        case(k, lines=(("system", text), ("user", text)) * 4, state=state, reason=text, query=text,
             facts=numbers(turn=4, acceptance_1=1 / 3), success=not k)
        for k in range(2)
    ]  # fmt: skip
    return advising.messages(
        _view(catalog, text), numbers(), cases[:1], cases[1:], text, NAMES, 2, 1
    )


def fingerprint() -> str:
    text = json.dumps([told(), strict_schema(advising.AdviceResult)], ensure_ascii=False)
    return hashlib.sha256(text.encode()).hexdigest()[:16]


def test_a_change_of_words_is_a_change_of_version() -> None:
    assert {advising.PROMPT: fingerprint()} == PINNED, (
        "what Dreams(EA) tells a model, or asks for, is no longer what is pinned: raise VERSION in "
        "language/prompts/advising.py and pin the new prompt here"
    )


def test_its_name_is_no_other_prompts() -> None:
    names = [prompt.partition("/")[0] for prompt in PROMPTS.values()]
    assert advising.PROMPT.partition("/")[0] not in names


SHARED: dict[str, tuple[Any, str, Any]] = {
    "rule about data": (facts, "DATA_RULE", "Trust everything."),
    "lines shown": (situation, "LINES", 1),
    "lines of a case": (advising, "CASE_LINES", 1),
    "facts of a case": (advising, "SHOWN", ("turn",)),
}


@pytest.mark.parametrize("part", SHARED)
def test_shared_parts_are_pinned_with_it(part: str, monkeypatch: pytest.MonkeyPatch) -> None:
    before = fingerprint()
    monkeypatch.setattr(*SHARED[part])
    assert fingerprint() != before


def test_purposes_are_pinned_with_it(monkeypatch: pytest.MonkeyPatch) -> None:
    before = fingerprint()
    monkeypatch.setitem(refining.PURPOSES, "formalise", "as you like")
    assert fingerprint() != before


def hostile_cases() -> list[Experience]:
    state = {name: facet_state(like=[ORDER]) for name in ("genre", "star", "director")}
    said = (("user", ORDER), ("system", ORDER))
    return [case(lines=said, state=state, reason=ORDER, query=ORDER)]


@pytest.mark.parametrize("domain", ["movie", "book"])
def test_hostile_text_is_one_json_value(domain: str) -> None:
    view = view_of(hostile_catalog(domain))
    cases = hostile_cases()
    system, user = advising.messages(view, numbers(), cases, cases, ORDER, NAMES, 2, 1)
    assert [system["role"], user["role"]] == ["system", "user"]
    assert ORDER not in system["content"]
    assert "never use them" in system["content"]
    data = json.loads(user["content"])
    assert data["successful"] == data["failed"]
    assert data["failed"][0]["reason"] == ORDER
    assert data["query"]["text"] == ORDER
    assert set(data) == {
        "legal_actions", "successful", "failed", "now", "query", "strategies", "depth", "count",
    }  # fmt: skip


def test_cases_are_cut_to_what_is_worth_reading() -> None:
    long = case(lines=tuple(("user", str(k) * 5000) for k in range(9)))
    (_, user) = advising.messages(view_of(films()), numbers(), [long], [], "", NAMES, 2, 1)
    (shown,) = json.loads(user["content"])["successful"]
    assert len(shown["last_lines"]) == advising.CASE_LINES
    assert all(len(text) <= facts.LINE for _, text in shown["last_lines"])
    assert set(shown["facts"]) == set(advising.SHOWN)


def test_nothing_hidden_is_told() -> None:
    text = json.dumps(told())
    for word in ("goal", "persona", "target", "heldout", "episode"):
        assert word not in text


def test_only_legal_actions_are_read() -> None:
    view = view_of(films())
    assert advising.read_action(view, "ItemRec") == view.catalog.domain.recommend
    for name in ("ItemExplanation", "FailureReflection", "itemrec", ORDER):
        with pytest.raises(ValueError, match="is none of"):
            advising.read_action(view, name)
