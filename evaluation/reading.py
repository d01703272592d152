"""Reading completed dialogue records: what was asked, offered and stated, turn by turn.

The user's side is read from ``said``, what the user meant and the text says, not from ``heard``,
what the tracker made of it: a tracker's mistake must not excuse a policy's. The system's side is
what was played: where a policy chose an illegal action, the legal turn that took its place.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from evaluation.records import Record, RecordError

Turn = Mapping[str, Any]
Value = tuple[str, str]
"""A facet's name and a value's name."""

REFLECT = "FailureReflection"
RECOMMEND = "ItemRec"


def is_dialogue(record: Record) -> bool:
    """Whether a record is of a dialogue (environments without records give only totals)."""
    return "turns" in record


def facets(record: Record) -> dict[str, tuple[str, str]]:
    """Per facet name, how acceptance uses it (``all`` or ``any``) and its inquiry's action name.

    Raises:
        RecordError: The record was not completed (``evaluation.completion``).
    """
    try:
        return {name: (match, inquiry) for name, match, inquiry in record["facets"]}
    except KeyError as error:
        raise RecordError(
            f"the record of episode {record['episode']} has no 'facets'; complete it with "
            f"evaluation.completion.complete_record"
        ) from error


def asked_facet(record: Record, turn: Turn) -> str | None:
    """Name of the facet that an inquiry asks about, None for other actions."""
    for name, (_, inquiry) in facets(record).items():
        if turn["action"] == inquiry:
            return name
    return None


def is_ask(record: Record, turn: Turn) -> bool:
    """Whether a turn asks: an inquiry, or a FailureReflection, which ends in a question."""
    return turn["action"] == REFLECT or asked_facet(record, turn) is not None


def offer(turn: Turn) -> str | None:
    """Identifier of the item that a turn recommends, None when it recommends nothing."""
    item: str | None = turn["item"]
    return item if turn["action"] == RECOMMEND else None


def said_before(record: Record, position: int) -> list[list[Any]]:
    """The user's acts from the opening up to, not including, the answer to turn ``position``.

    Args:
        record: A dialogue.
        position: Index into ``turns``, 0 for the first system turn.
    """
    acts = list(record["opening"]["said"])
    for turn in record["turns"][:position]:
        acts += turn["said"]
    return acts


def stated_values(acts: list[list[Any]]) -> set[Value]:
    """Values that acts state as wanted, in so many words; vague words state none.

    A value taken back later was stated all the same.
    """
    return {(facet, value) for kind, facet, value, _ in acts if kind in ("LIKE", "CORRECT")}


def wanted_values(acts: list[list[Any]]) -> dict[str, list[str]]:
    """By facet, the values wanted after all acts: corrected and rejected ones are taken out."""
    wanted: dict[str, list[str]] = {}
    for kind, facet, value, other in acts:
        values = wanted.setdefault(facet, []) if isinstance(facet, str) else []
        if kind == "CORRECT" and other in values:
            values.remove(other)
        if kind in ("LIKE", "CORRECT") and value not in values:
            values.append(value)
        if kind in ("DISLIKE", "REJECT") and value in values:
            values.remove(value)
    return wanted
