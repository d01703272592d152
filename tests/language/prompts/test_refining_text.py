"""Refinements of texts: the prompt is pinned, shows no state, and takes what is said as data."""

import hashlib
import json

import pytest

from language.llm.schema import strict_schema
from language.prompts import refining_text
from language.prompts.refining_text import (
    PROMPT,
    PURPOSES,
    TextRefinementOut,
    TextRefineResult,
    check_answer,
    messages,
)
from tests.language.prompts.hostile import ORDER
from tests.small_world import films

PINNED = {"refine-text/1": "d0c0903237b26d69"}
LINES = (("user", "Something with rain, please."), ("system", "Which genres?"), ("user", "War."))


def told(text: str = "War.") -> tuple[dict[str, str], ...]:
    lines = (*LINES[:2], ("user", text))
    found = messages(films().domain, lines, text, tuple(PURPOSES), 2, 3)
    return tuple({"role": one["role"], "content": one["content"]} for one in found)


def test_a_change_of_words_is_a_change_of_version() -> None:
    seen = [told(), strict_schema(TextRefineResult)]
    found = hashlib.sha256(json.dumps(seen, ensure_ascii=False).encode()).hexdigest()[:16]
    assert PINNED.get(PROMPT) == found, (
        f"what a model reads is no longer {PROMPT}: raise VERSION in language/prompts/"
        f'refining_text.py, and pin the new name here with "{found}"'
    )


def test_it_shows_dialogue_query_and_strategies_alone() -> None:
    system, data = told()
    shown = json.loads(data["content"])
    assert set(shown) == {"dialogue", "query", "strategies", "depth", "count"}
    assert shown["strategies"] == PURPOSES
    assert shown["dialogue"][0] == list(LINES[0])
    assert "genres, actors, directors" in system["content"]


def test_orders_in_a_dialogue_stay_data() -> None:
    system, data = told(ORDER)
    assert system == told()[0]
    shown = json.loads(data["content"])
    assert shown["query"] == ORDER
    assert shown["dialogue"][2] == ["user", ORDER]


def test_only_the_strategies_asked_for_are_told() -> None:
    found = messages(films().domain, LINES, "War.", ["drop_noise"], 1, 1)
    shown = json.loads(found[1]["content"])
    assert list(shown["strategies"]) == ["drop_noise"]


@pytest.mark.parametrize(
    ("parents", "depth", "count", "wrong"),
    [
        ([-1, -1], 1, 2, None),
        ([-1, 0], 2, 2, None),
        ([-1, 0], 1, 2, "at most 1 deep"),
        ([0], 2, 2, "parent"),
        ([-2], 2, 2, "parent"),
        ([-1, -1, -1], 2, 2, "at most 2 refinements"),
    ],
)
def test_an_answer_is_a_tree(parents: list[int], depth: int, count: int, wrong: str | None) -> None:
    found = [TextRefinementOut(parent=p, strategy="formalise", query="war") for p in parents]
    answer = TextRefineResult(summary="war", refinements=found)
    if wrong is None:
        check_answer(answer, depth, count)
        return
    with pytest.raises(ValueError, match=wrong):
        check_answer(answer, depth, count)


def test_the_version_is_in_the_name() -> None:
    assert f"refine-text/{refining_text.VERSION}" == PROMPT
