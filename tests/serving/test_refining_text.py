"""The role ``refine`` where there is a text and no preferences."""

from typing import Any

import pytest

from language.prompts.refining_text import PURPOSES
from planners.text_refiner import EmbeddedTextRefiner, write_text_refined
from retrieval.query import Query
from serving.inputs import InputError
from serving.planning import refine
from tests.serving.asking import WORLD

LINES = [["user", "A comedy, please."], ["system", "Who should be in it?"], ["user", "Anybody."]]
SAID = "A comedy, please.\nAnybody."
GOOD: dict[str, Any] = {
    "lines": LINES, "query": {"text": SAID}, "strategies": list(PURPOSES), "depth": 2, "count": 3,
}  # fmt: skip


def test_it_is_the_embedded_refiner() -> None:
    rules = EmbeddedTextRefiner(WORLD.catalog, LINES)
    expected = rules.refine(Query(None, SAID), tuple(PURPOSES), 2, 3)
    found = refine(GOOD, WORLD)
    assert found == write_text_refined(expected)
    assert found["summary"] == SAID


@pytest.mark.parametrize(
    ("key", "value", "message"),
    [
        ("lines", [["user"]], r"inputs\.lines"),
        ("lines", None, r"inputs\.lines"),
        ("query", {}, r"inputs\.query\.text"),
        ("strategies", ["formalize"], r"no strategy 'formalize' \(there are formalise"),
        ("strategies", ["resolve_first"], "no strategy 'resolve_first'"),
        ("depth", 0, r"inputs\.depth"),
        ("count", 10**30, r"inputs\.count"),
    ],
)
def test_what_cannot_be_used_is_refused(key: str, value: Any, message: str) -> None:
    with pytest.raises(InputError, match=message):
        refine({**GOOD, key: value}, WORLD)
