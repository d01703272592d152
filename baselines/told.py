"""What the system's own lines did, read off their words: questions, offers, explanations.

A free-form method has its past words only, and a model words them as it likes.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import NamedTuple

from catalogs.catalog import Catalog
from language.prompts.facts import encodable
from language.prompts.naming import (
    contains,
    facet_asked,
    facet_nouns,
    first_noun,
    offered_labels,
)

Line = Sequence[str]
"""``(speaker, utterance)``; speakers are ``system`` and ``user``."""

_LETTERS = 3
"""Shortest title that is recognised without its year: "It" begins many a sentence."""


class Move(NamedTuple):
    """What a line of the system did.

    Attributes:
        facet: Facet asked about, -1 for offers, explanations and questions about no one facet.
        item: Item offered or explained, -1 for questions.
        again: Whether the item was offered before: the line tells more about it.
    """

    facet: int
    item: int
    again: bool


def moves_of(catalog: Catalog, lines: Sequence[Line], offered: int) -> dict[int, Move]:
    """Moves of the system's lines by their position.

    A line that names an offered item for the first time offers it; later ones explain it, unless
    they ask about a facet. All other lines are questions.

    Args:
        catalog: The items.
        lines: The dialogue.
        offered: Bit set of the items offered.
    """
    labels = {i: encodable(label) for i, label in offered_labels(catalog, offered).items()}
    nouns = facet_nouns(catalog)
    moves: dict[int, Move] = {}
    met: set[int] = set()
    for number, (speaker, text) in enumerate(lines):
        if speaker != "system":
            continue
        item, rest = _item_and_rest(catalog, encodable(text), labels)
        facet = first_noun(rest, nouns)
        asks = "?" in rest and facet >= 0
        if item >= 0 and not (item in met and asks):
            moves[number] = Move(-1, item, item in met)
            met.add(item)
        else:
            moves[number] = Move(facet, -1, False)
    return moves


def streak_of(moves: Iterable[Move]) -> int:
    """Questions since the last offer or explanation."""
    streak = 0
    for move in moves:
        streak = 0 if move.item >= 0 else streak + 1
    return streak


def _item_and_rest(catalog: Catalog, text: str, labels: dict[int, str]) -> tuple[int, str]:
    """The offered item that a line names, -1 if none, and what else the line says.

    A line that only has the title, without the year, counts unless it ends in a question: titles
    are words too.
    """
    item = item_named(text, labels)
    if item >= 0:
        return item, text.replace(labels[item], " ")
    titles = {item: encodable(catalog.items[item].title) for item in labels}
    titles = {item: title for item, title in titles.items() if len(title) >= _LETTERS}
    item = item_named(text, titles)
    if item < 0 or (text.rstrip().endswith("?") and facet_asked(catalog, text) >= 0):
        return -1, text
    return item, text.replace(titles[item], " ")


def item_named(text: str, labels: dict[int, str]) -> int:
    """The offered item that a system's line names, -1 if none; the longest label counts."""
    found = [item for item, label in labels.items() if contains(text, label)]
    return max(found, key=lambda item: (len(labels[item]), -item), default=-1)
