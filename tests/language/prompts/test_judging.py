"""The judge's prompt: the criteria by the domain, and a label for every turn."""

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import ValidationError

from catalogs.domain import load_domain
from language.llm.schema import strict_schema
from language.prompts import judging
from tests.language.prompts.hostile import ANYTHING, ORDER

TURNS = st.fixed_dictionaries({
    "turn": st.integers(-2, 5) | st.integers(),
    "intent": st.sampled_from(["ask", "recommend", "other"]),
    "retrieval": st.booleans(),
})  # fmt: skip


@pytest.mark.parametrize("name", ["movie", "book"])
def test_instructions_are_of_the_domain_and_short(name: str) -> None:
    domain = load_domain(name)
    system, user = judging.messages(domain, {"turns": [ORDER]})
    for facet in domain.facets:
        assert f"{facet.name}: {'every' if facet.match == 'all' else 'one'}" in system["content"]
    assert len(system["content"].split()) < 300
    assert json.loads(user["content"]) == {"turns": [ORDER]}
    schema = strict_schema(judging.Judged)
    assert schema["required"] == list(schema["properties"])


@given(st.lists(TURNS, max_size=4), st.integers(0, 4))
def test_each_turn_is_labelled_once_or_the_answer_is_sent_back(
    turns: list[dict[str, Any]], count: int
) -> None:
    written = judging.Judged.model_validate({"turns": turns, "fge2": True, "pe2": False})
    numbers = sorted(turn["turn"] for turn in turns)
    if numbers == list(range(1, count + 1)):
        assert [label.turn for label in judging.read_turns(written, count)] == numbers
    else:
        with pytest.raises(ValueError, match=f"1 to {count}"):
            judging.read_turns(written, count)


@given(ANYTHING)
def test_anything_else_is_refused(answer: Any) -> None:
    with pytest.raises(ValidationError):
        judging.Judged.model_validate({"turns": [answer], "fge2": True, "pe2": False})
    with pytest.raises(ValidationError):
        judging.JudgedTurn.model_validate({"turn": 1, "intent": "asks", "retrieval": True})
