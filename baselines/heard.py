"""What the words tell: free-form reading of a dialogue that any method may use.

Everything is read off the texts (and which items were offered), never off the environment's tracked
state. Each utterance is read on its own, in the light of the line that it answers: nothing is
carried from one to the next, so of two statements about a value the later one counts, and what the
user takes back without naming it stays. That is how far reading reaches without keeping a state.

:func:`baselines.taste.taste_of` draws from it how well items fit; :mod:`baselines.told` reads the
system's lines, :mod:`baselines.utterances` one utterance of the user or one name.
"""

from __future__ import annotations

import threading
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from baselines.told import Line, Move, moves_of, streak_of
from baselines.utterances import reader_of
from catalogs.catalog import Catalog
from dialogue.acts import (
    CORRECT,
    DETAILS,
    DISLIKE,
    LIKE,
    NOMORE,
    REJECT,
    REJECTIONS,
    SEEN,
    SIGH,
    VAGUE,
    UserAct,
    UserActs,
)
from language.prompts.single_call import Situation


class Wish(NamedTuple):
    """A value that the user named.

    Attributes:
        line: Position of the utterance among the lines.
        facet: Facet of the value.
        value: Vocabulary index.
        other: Second value that a vague word may mean, else -1.
        wanted: False where the user does not want it, or complained about it in an offer.
    """

    line: int
    facet: int
    value: int
    other: int
    wanted: bool


class Rejection(NamedTuple):
    """An offer that the user did not take.

    Attributes:
        line: Position of the utterance among the lines.
        item: The item.
        seen: Whether it was only seen before, which says nothing about taste.
        facet: Facet complained about, -1 without a reason.
        value: Value complained about, -1 without one.
    """

    line: int
    item: int
    seen: bool
    facet: int
    value: int


@dataclass(frozen=True, slots=True)
class Heard:
    """What the words of a dialogue tell.

    Attributes:
        wishes: Values named by the user, in order.
        rejections: Offers not taken, in order.
        asked: Per facet, how often the system asked about it.
        streak: Questions since the last offer or explanation.
        closed: Per facet, whether the user said there is nothing more to say.
        impatience: Highest level of impatience shown, 0..3.
        just: The rejection in the user's last words, or None.
        details: Item that the user's last words ask about, or -1.
        explained: Items told more about.
        offers: Items offered, in order.
        moves: What the system's lines did, in order.
    """

    wishes: tuple[Wish, ...]
    rejections: tuple[Rejection, ...]
    asked: tuple[int, ...]
    streak: int
    closed: tuple[bool, ...]
    impatience: int
    just: Rejection | None
    details: int
    explained: frozenset[int]
    offers: tuple[int, ...]
    moves: tuple[Move, ...]

    @property
    def asks_about_offer(self) -> bool:
        """Whether the user's last words ask about an offer that was not explained yet."""
        return self.details >= 0 and self.details not in self.explained

    def wanted(self, facet: int) -> tuple[int, ...]:
        """Values of a facet that are wanted, in the order in which they were named."""
        return tuple(value for value, wanted in self._last(facet).items() if wanted)

    def unwanted(self, facet: int) -> tuple[int, ...]:
        """Values of a facet that are not wanted."""
        return tuple(value for value, wanted in self._last(facet).items() if not wanted)

    def unclear(self, facet: int) -> tuple[tuple[int, int], ...]:
        """Pairs of values of which a vague word means one, and neither is named otherwise."""
        known = self._last(facet)
        pairs = {(w.value, w.other): None for w in self.wishes if w.facet == facet and w.other >= 0}
        return tuple(pair for pair in pairs if not any(known.get(value) for value in pair))

    def _last(self, facet: int) -> dict[int, bool]:
        return {w.value: w.wanted for w in self.wishes if w.facet == facet and w.other < 0}


_LAST = threading.local()


def hear(situation: Situation) -> Heard:
    """Read the dialogue of a situation; the last one read in a thread is remembered."""
    catalog, lines, offered = situation.catalog, situation.lines, situation.offered
    if situation.last_offer >= 0:
        # Of the rows of one work, which share a label, only the one offered last can be told.
        offered = offered & ~catalog.works[situation.last_offer] | 1 << situation.last_offer
    last: tuple[Catalog, Sequence[Line], int, Heard] | None = getattr(_LAST, "heard", None)
    if last is not None and last[0] is catalog and last[2] == offered and last[1] == lines:
        return last[3]
    found = hear_lines(catalog, lines, offered)
    _LAST.heard = (catalog, lines, offered, found)
    return found


def hear_lines(catalog: Catalog, lines: Sequence[Line], offered: int) -> Heard:
    """Read a dialogue.

    Args:
        catalog: The items.
        lines: The dialogue as ``(speaker, utterance)``, speakers ``system`` and ``user``.
        offered: Bit set of the items offered.
    """
    moves = moves_of(catalog, lines, offered)
    read = _read(catalog, lines, moves)
    said = [(number, act) for number, acts in read.items() for act in acts]
    last = len(lines) - 1
    rejections = tuple(
        Rejection(number, act.other, act.kind == SEEN, act.facet, act.value)
        for number, act in said
        if act.kind in REJECTIONS
    )
    return Heard(
        wishes=tuple(wish for number, act in said for wish in _wishes(number, act)),
        rejections=rejections,
        asked=_count(catalog, [move.facet for move in moves.values()]),
        streak=streak_of(moves.values()),
        closed=tuple(map(bool, _count(catalog, [a.facet for _, a in said if a.kind == NOMORE]))),
        impatience=max((act.facet for _, act in said if act.kind == SIGH), default=0),
        just=next((found for found in rejections if found.line == last), None),
        details=next((act.other for act in read.get(last, ()) if act.kind == DETAILS), -1),
        explained=frozenset(move.item for move in moves.values() if move.again),
        offers=tuple(dict.fromkeys(move.item for move in moves.values() if move.item >= 0)),
        moves=tuple(moves.values()),
    )


def _read(
    catalog: Catalog, lines: Sequence[Line], moves: Mapping[int, Move]
) -> dict[int, UserActs]:
    """What the user's lines mean, each in the light of the system's line before it."""
    reader = reader_of(catalog)
    read: dict[int, UserActs] = {}
    move: Move | None = None
    for number, (speaker, text) in enumerate(lines):
        if speaker == "system":
            move = moves[number]
        elif move is None:
            read[number] = reader.acts(text, True, -1, -1)
        else:
            read[number] = reader.acts(text, False, move.facet, move.item)
    return read


def _wishes(number: int, act: UserAct) -> list[Wish]:
    kind, facet, value, other = act
    if kind == LIKE:
        return [Wish(number, facet, value, -1, True)]
    if kind == VAGUE:
        return [Wish(number, facet, value, other, True)]
    if kind == CORRECT:
        return [Wish(number, facet, other, -1, False), Wish(number, facet, value, -1, True)]
    if kind == DISLIKE or (kind == REJECT and value >= 0):
        return [Wish(number, facet, value, -1, False)]
    return []


def _count(catalog: Catalog, facets: Sequence[int]) -> tuple[int, ...]:
    return tuple(facets.count(f) for f in range(catalog.domain.n_facets))
