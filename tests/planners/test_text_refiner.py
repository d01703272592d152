"""Refining texts: each strategy rewrites words, a model's answers are checked, rules stand in."""

import json
from collections.abc import Callable
from typing import Any

import pytest

from catalogs.catalog import Catalog
from language.llm.call import Call
from language.prompts.refining_text import PROMPT, PURPOSES
from planners.text_refiner import EmbeddedTextRefiner, ModelTextRefiner, write_text_refined
from retrieval.query import Query
from tests.language.script import Script

LINES = (
    ("system", "Hello, a comedy?"),
    ("user", "Hi! I'd like something funny with Ada Lind."),
    ("system", "Besides comedy, which actors would you like?"),
    ("user", "Lovely weather, is it not?"),
    ("user", "Tom Hollis. And no horror."),
)
SAID = "\n".join(text for who, text in LINES if who == "user")


def applied(catalog: Catalog, name: str, text: str = SAID) -> str | None:
    found = EmbeddedTextRefiner(catalog, LINES).refine(Query(None, text), [name], 1, 1)
    assert found.summary == SAID
    return found.proposals[0].query.text if found.proposals else None


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("formalise", "comedy, Ada Lind, Tom Hollis"),
        (
            "drop_noise",
            "Hi! I'd like something funny with Ada Lind.\nTom Hollis. And no horror.",
        ),
        ("latest_first", "comedy, Tom Hollis"),
        ("without_people", "comedy"),
    ],
)
def test_a_strategy_rewrites_the_text(small: Catalog, name: str, text: str) -> None:
    assert applied(small, name) == text
    assert applied(small, name, text) in (None, "comedy, Ada Lind, Tom Hollis")


@pytest.mark.parametrize("name", PURPOSES)
def test_what_would_change_nothing_is_passed_over(small: Catalog, name: str) -> None:
    assert applied(small, name, "comedy") is None
    assert applied(small, name, "") is None


def test_strategies_compose(small: Catalog) -> None:
    found = EmbeddedTextRefiner(small, LINES).refine(Query(None, SAID), tuple(PURPOSES), 2, 6)
    assert [p.parent for p in found.proposals] == [-1, -1, -1, -1, 0, 0]
    assert found.proposals[4].strategy == "latest_first"
    assert found.proposals[4].query.text == "comedy, Tom Hollis"


def model(catalog: Catalog, answer: Callable[[Call[Any]], Any]) -> tuple[ModelTextRefiner, Script]:
    script = Script(answer)
    return ModelTextRefiner(catalog, LINES, script, 3), script


def test_a_model_is_told_the_dialogue_and_no_state(small: Catalog) -> None:
    embedded = EmbeddedTextRefiner(small, LINES)
    query = Query(None, SAID)
    rules = embedded.refine(query, tuple(PURPOSES), 2, 3)
    refiner, script = model(small, lambda call: write_text_refined(rules))
    assert refiner.refine(query, tuple(PURPOSES), 2, 3) == rules
    (call,) = script.calls
    assert (call.role, call.prompt, call.turn) == ("refine", PROMPT, 3)
    inputs = json.loads(json.dumps(call.inputs()))
    assert set(inputs) == {"catalog", "lines", "query", "strategies", "depth", "count"}
    assert inputs["lines"] == [list(line) for line in LINES]
    assert "preferences" not in call.messages[1]["content"]


@pytest.mark.parametrize(
    "wrong",
    [
        {"summary": "", "refinements": [{"parent": -1, "strategy": "shout", "query": "A"}]},
        {"summary": "", "refinements": [{"parent": 0, "strategy": "formalise", "query": "A"}]},
        {"summary": "", "refinements": [{"parent": -1, "strategy": "formalise", "query": "A"}] * 4},
        {"summary": "x" * 20_001, "refinements": []},
        {"summary": "", "refinements": [{"parent": -1, "strategy": "formalise", "query": None}]},
        {"refinements": []},
    ],
)
def test_a_useless_answer_falls_back_to_the_rules(small: Catalog, wrong: Any) -> None:
    refiner, script = model(small, lambda call: wrong)
    query = Query(None, SAID)
    expected = EmbeddedTextRefiner(small, LINES).refine(query, tuple(PURPOSES), 1, 3)
    assert refiner.refine(query, tuple(PURPOSES), 1, 3) == expected
    assert script.fallbacks == 1
