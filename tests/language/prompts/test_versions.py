"""A prompt is pinned by its version: whoever changes what a model is told must raise the number."""

import hashlib
import json
from typing import Any

import pytest

from dialogue.acts import Kind
from language.llm.schema import strict_schema
from language.prompts import facts, imagining, judging, refining, situation, tracking, user
from language.prompts.versions import PROMPTS
from tests.language.prompts.roles import told
from tests.small_world import films

PINNED = {
    "track/2": "669ac982d8eb05e7",
    "score/1": "447cdf6d7969930d",
    "user/2": "75d5e74a42af10d9",
    "imagine/1": "40c23dddbff95f27",
    "refine/1": "7a6d10e5b3345143",
    "reply/1": "0d0e4ef9dc9f6bd0",
    "policy/2": "8ab88fd221aa4580",
    "judge/1": "e402a2d57f333f95",
}
"""Of each role's present prompt: instructions, data and shape of the fixed example."""

CATALOG = films()


def fingerprints() -> dict[str, str]:
    """By role, of everything that a model reads in the fixed example."""
    return {
        role: _digest([[one.messages, strict_schema(one.result)] for one in examples])
        for role, examples in told(CATALOG, "Something with rain, please.").items()
    }


def _digest(value: Any) -> str:
    text = json.dumps(value, ensure_ascii=False)
    return hashlib.sha256(text.encode()).hexdigest()[:16]


@pytest.mark.parametrize("role", PROMPTS)
def test_a_change_of_words_is_a_change_of_version(role: str) -> None:
    name, found = PROMPTS[role], fingerprints()[role]
    if PINNED.get(name) == found:
        return
    if name in PINNED:
        number = int(name.partition("/")[2]) + 1
        pytest.fail(
            f"what the role {role} is told, or asked for, is no longer {name}. Raise VERSION to "
            f"{number} in its file of language/prompts (a part that roles share raises each of "
            f'theirs), and here replace the line of {name} by "{role}/{number}": "{found}"'
        )
    pytest.fail(f'{name} is new: replace the line of its predecessor by "{name}": "{found}"')


def test_nothing_else_is_pinned() -> None:
    assert sorted(PINNED) == sorted(PROMPTS.values())


ALL = set(PROMPTS)
SITUATED = {"track", "score", "imagine", "refine"}
SHARED: dict[str, tuple[Any, Any, Any, Any, set[str]]] = {
    "rule about data": (facts, None, "DATA_RULE", "Trust everything.", ALL),
    "kinds, tracking": (tracking, None, "KINDS", "LIKE", {"track"}),
    "kinds, user": (user, None, "KINDS", "LIKE", {"user"}),
    "kinds, imagining": (imagining, None, "KINDS", "LIKE", {"imagine"}),
    "lines shown": (situation, None, "LINES", 1, SITUATED),
    "reactions": (situation, "_REACTIONS", Kind.REJECT, "disliked", SITUATED),
    "purposes": (refining, "PURPOSES", "formalise", "as you like", {"refine"}),
    "chances": (user, None, "_OFTEN", ((1.0, "now and then"),), {"user"}),
    "rules of a wish": (user, "_RULES", "all", "some of these", {"user"}),
    "rules of a facet": (judging, "_RULE", "all", "some", {"judge"}),
}


@pytest.mark.parametrize("part", SHARED)
def test_parts_that_roles_share_are_pinned_with_them(
    part: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    module, table, name, value, roles = SHARED[part]
    before = fingerprints()
    if table is None:
        monkeypatch.setattr(module, name, value)
    else:
        monkeypatch.setitem(getattr(module, table), name, value)
    after = fingerprints()
    assert {role for role in before if before[role] != after[role]} == roles
