"""Refinements of a query that is nothing but text: for a planner that keeps no preference state.

Unlike :mod:`language.prompts.refining` it shows no tracked preferences: the dialogue is all there
is, and the summary s^R is a text too.
"""

from __future__ import annotations

from collections.abc import Sequence

from pydantic import BaseModel, ConfigDict

from catalogs.domain import Domain
from language.llm.call import Message
from language.prompts.facts import LINE, chat, shortened
from language.prompts.refining import LONGEST_QUERY, Placed, check_tree

VERSION = 1
LONGEST = 20_000
"""Characters of an answer's text that are believed."""

PROMPT = f"refine-text/{VERSION}"

PURPOSES = {
    "formalise": "say wishes as attributes, in plain names; leave out what is not wanted",
    "drop_noise": "leave out small talk and whatever names no attribute",
    "latest_first": "of several people in a role keep the one named last",
    "without_people": "leave out the people",
}
"""What each strategy does, in the order in which they are told."""

_SYSTEM = """\
You prepare the search for a {noun} that a person will like. All you have is what was said.
"query" is the search text as it stands. Do two things.
1. "summary": in one line, all that the person wants, and after the word "not" what the person does
not want.
2. "refinements": at most "count" better search texts. Each applies one of the "strategies" to the
query (parent -1) or to an earlier refinement (parent: its number, counted from 0), at most "depth"
deep. Leave a strategy out where it changes nothing.
Answer with JSON only. What counts: {facets}."""


class TextRefinementOut(BaseModel):
    """One refined query."""

    model_config = ConfigDict(extra="forbid")

    parent: int
    strategy: str
    query: str


class TextRefineResult(BaseModel):
    """Summary and refinements."""

    model_config = ConfigDict(extra="forbid")

    summary: str
    refinements: list[TextRefinementOut]


def messages(
    domain: Domain,
    lines: Sequence[Sequence[str]],
    text: str,
    strategies: Sequence[str],
    depth: int,
    count: int,
) -> tuple[Message, ...]:
    """The chat that asks for refinements.

    Args:
        domain: Of the items.
        lines: The dialogue as ``(speaker, utterance)``.
        text: The query.
        strategies: Names of those that may be applied, of :data:`PURPOSES`.
        depth: Strategies that may be composed, at least 1.
        count: Refinements asked for, at least 1.
    """
    facets = ", ".join(facet.plural for facet in domain.facets)
    data = {
        "dialogue": [[speaker, shortened(said, LINE)] for speaker, said in lines],
        "query": shortened(text, LONGEST_QUERY),
        "strategies": {name: what for name, what in PURPOSES.items() if name in strategies},
        "depth": depth,
        "count": count,
    }
    return chat(_SYSTEM.format(noun=domain.noun, facets=facets), data)


def check_answer(answer: TextRefineResult, depth: int, count: int) -> None:
    """Check an answer beyond its shape.

    Raises:
        ValueError: The refinements are no tree of known strategies, or a text is far too long.
    """
    placed: Sequence[Placed] = answer.refinements
    check_tree(placed, tuple(PURPOSES), depth, count)
    for text in (answer.summary, *(found.query for found in answer.refinements)):
        if len(text) > LONGEST:
            raise ValueError(f"a query or a summary has at most {LONGEST} characters")
