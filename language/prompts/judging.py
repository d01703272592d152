"""Judging a finished dialogue by its text: CGE2's labels per turn, FGE2 and PE2 (dreams §A.6)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Literal

from pydantic import BaseModel, ConfigDict

from catalogs.domain import Domain
from language.llm.call import Message
from language.prompts.facts import chat, facet_lines

VERSION = 1
PROMPT = f"judge/{VERSION}"

Intent = Literal["ask", "recommend", "other"]

_TASK = """\
You assess a recommender of {nouns} by the transcript of one dialogue. You get the turns in order \
(what the system said, what the user answered) and the catalogue's entries of the {nouns} named.

For every turn:
- intent: "recommend" if the system offers {article} {noun}, "ask" if it asks what the user wants, \
"other" for anything else, such as telling details.
- retrieval: is the recommender on target at that moment? When it recommends: the {noun} has what \
the user asks for and the user does not turn it down. When it asks or does something else: what \
was said before would already suffice to find such {article} {noun}.

For the dialogue:
- fge2: true if, after the user turned {article} {noun} down and said why, the system's next turn \
ever ignores the reason: it asks about something else, or recommends {article} {noun} with the \
same fault or without what was asked for.
- pe2: true if the user had told all wishes about every facet, and after that a {noun} was \
recommended that does not meet them.

Facets ({rules}):
{facets}"""

_RULE = {"all": "every wanted value is needed", "any": "one wanted value is enough"}


class JudgedTurn(BaseModel):
    """The labels of one system turn."""

    model_config = ConfigDict(extra="forbid")

    turn: int
    intent: Intent
    retrieval: bool


class Judged(BaseModel):
    """The labels of one dialogue."""

    model_config = ConfigDict(extra="forbid")

    turns: list[JudgedTurn]
    fge2: bool
    pe2: bool


def messages(domain: Domain, data: Mapping[str, Any]) -> tuple[Message, ...]:
    """The chat of a judging call; ``data`` holds numbered turns and catalogue entries."""
    rules = "; ".join(f"{facet.name}: {_RULE[facet.match]}" for facet in domain.facets)
    article = "an" if domain.noun[:1].lower() in set("aeiou") else "a"
    system = _TASK.format(
        noun=domain.noun,
        nouns=domain.nouns,
        article=article,
        rules=rules,
        facets=facet_lines(domain),
    )
    return chat(system, data)


def read_turns(written: Judged, count: int) -> tuple[JudgedTurn, ...]:
    """The labels in the order of the turns.

    Args:
        written: What the model answered.
        count: Number of system turns.

    Raises:
        ValueError: A turn is missing, labelled twice, or does not exist.
    """
    by_turn = {entry.turn: entry for entry in written.turns}
    expected = range(1, count + 1)
    if len(written.turns) != count or set(by_turn) != set(expected):
        raise ValueError(f"label each of the turns 1 to {count} once, and no other")
    return tuple(by_turn[number] for number in expected)
