"""The tracked preference state: liked, disliked, missing, ambiguous and corrected values.

This is the ELNode's content (dreams §4.2): for example "not a big fan of Spike Lee's style" becomes
a dislike of that director. It is updated from user acts only, so text and acts lead to the same
state when they mean the same.
"""

from __future__ import annotations

from enum import IntEnum
from typing import Any

from catalogs.catalog import Catalog
from dialogue.acts import CORRECT, DISLIKE, EVADE, LIKE, NOMORE, REJECT, VAGUE, UserActs

STATED_CONFIDENCE = 0.6
"""Confidence that one clearly stated value adds to its facet (values combine by noisy-or)."""

AMBIGUOUS_CONFIDENCE = 0.3
"""Confidence that one ambiguous statement adds to its facet."""

DOUBT_CONFIDENCE = 0.3
"""Confidence that a rejection's stated reason adds to its facet until it is confirmed."""

_CONFIDENT = 1.0 - STATED_CONFIDENCE
_UNSURE = 1.0 - AMBIGUOUS_CONFIDENCE
_DOUBTFUL = 1.0 - DOUBT_CONFIDENCE


class Status(IntEnum):
    """What is known about a facet."""

    MISSING = 0
    AMBIGUOUS = 1
    STATED = 2
    CORRECTED = 3


class PreferenceState:
    """Cumulative preferences of one user; every attribute is a list with one entry per facet.

    Attributes:
        likes: Tuples of wanted values in the order they were stated.
        dislikes: Tuples of unwanted values.
        doubts: Tuples of values complained about in a rejection, not confirmed yet.
        ambiguous: Tuples of ``(value, value)`` pairs that a vague word may mean.
        withdrawn: Tuples of values that the user took back.
        corrected: Whether a statement about the facet was ever revised.
        evasions: How often a question about the facet was evaded.
        closed: Whether the user said there is nothing more to say about the facet.
        best: Highest confidence that the facet ever reached, in [0, 1).
    """

    __slots__ = (
        "ambiguous",
        "best",
        "closed",
        "corrected",
        "dislikes",
        "doubts",
        "evasions",
        "likes",
        "withdrawn",
    )

    def __init__(self, n_facets: int) -> None:
        """Start with everything missing."""
        empty: list[tuple[int, ...]] = [()] * n_facets
        self.likes = list(empty)
        self.dislikes = list(empty)
        self.doubts = list(empty)
        self.ambiguous: list[tuple[tuple[int, int], ...]] = [()] * n_facets
        self.withdrawn = list(empty)
        self.corrected = [False] * n_facets
        self.evasions = [0] * n_facets
        self.closed = [False] * n_facets
        self.best = [0.0] * n_facets

    def copy(self) -> PreferenceState:
        """An independent copy (tuples are shared)."""
        new = PreferenceState.__new__(PreferenceState)
        new.likes = self.likes[:]
        new.dislikes = self.dislikes[:]
        new.doubts = self.doubts[:]
        new.ambiguous = self.ambiguous[:]
        new.withdrawn = self.withdrawn[:]
        new.corrected = self.corrected[:]
        new.evasions = self.evasions[:]
        new.closed = self.closed[:]
        new.best = self.best[:]
        return new

    def confidence(self, facet: int) -> float:
        """How well a facet is known, in [0, 1): noisy-or over its statements."""
        doubt = 1.0
        for _ in self.likes[facet]:
            doubt *= _CONFIDENT
        for _ in self.ambiguous[facet]:
            doubt *= _UNSURE
        if self.doubts[facet]:
            doubt *= _DOUBTFUL
        return 1.0 - doubt

    def status(self, facet: int) -> Status:
        """Missing, ambiguous, stated or corrected (an open ambiguity outranks other statements)."""
        if self.ambiguous[facet]:
            return Status.AMBIGUOUS
        if self.corrected[facet]:
            return Status.CORRECTED
        return Status.STATED if self.likes[facet] or self.dislikes[facet] else Status.MISSING

    def key(self) -> tuple[Any, ...]:
        """Hashable content that retrieval depends on: equal keys rank items equally."""
        return (*self.likes, *self.dislikes, *self.doubts, *self.ambiguous)

    def update(self, acts: UserActs) -> None:
        """Apply the meaning of one user utterance."""
        touched = -1
        for kind, facet, value, other in acts:
            if facet < 0 or kind > REJECT:
                continue
            if kind == LIKE:
                self._like(facet, value)
            elif kind == VAGUE:
                self._vague(facet, value, other)
            elif kind == REJECT:
                self._doubt(facet, value)
            elif kind == EVADE:
                self.evasions[facet] += 1
            elif kind == NOMORE:
                self.closed[facet] = True
            elif kind == DISLIKE:
                self._dislike(facet, value)
            elif kind == CORRECT:
                self._correct(facet, value, other)
            touched = facet
            confidence = self.confidence(touched)
            if confidence > self.best[touched]:
                self.best[touched] = confidence

    def confirm_doubts(self, facet: int) -> None:
        """Turn a facet's doubts into dislikes (what FailureReflection does before it asks)."""
        for value in self.doubts[facet]:
            self._dislike(facet, value)
        self.doubts[facet] = ()

    def _like(self, facet: int, value: int) -> None:
        likes = self.likes[facet]
        if value not in likes:
            self.likes[facet] = (*likes, value)
        pairs = self.ambiguous[facet]
        if pairs:
            self.ambiguous[facet] = tuple(pair for pair in pairs if value not in pair)
        if value in self.dislikes[facet]:
            self.dislikes[facet] = _without(self.dislikes[facet], value)
            self.corrected[facet] = True
        if value in self.doubts[facet]:
            self.doubts[facet] = _without(self.doubts[facet], value)

    def _dislike(self, facet: int, value: int) -> None:
        if value in self.likes[facet]:
            self.likes[facet] = _without(self.likes[facet], value)
            self.withdrawn[facet] = (*_without(self.withdrawn[facet], value), value)
            self.corrected[facet] = True
        if value not in self.dislikes[facet]:
            self.dislikes[facet] = (*self.dislikes[facet], value)
        if value in self.doubts[facet]:
            self.doubts[facet] = _without(self.doubts[facet], value)

    def _vague(self, facet: int, first: int, second: int) -> None:
        likes = self.likes[facet]
        pair = (first, second) if first <= second else (second, first)
        if pair not in self.ambiguous[facet] and first not in likes and second not in likes:
            self.ambiguous[facet] = (*self.ambiguous[facet], pair)

    def _doubt(self, facet: int, value: int) -> None:
        if value < 0 or value in self.doubts[facet] or value in self.dislikes[facet]:
            return
        if value not in self.likes[facet]:
            self.doubts[facet] = (*self.doubts[facet], value)

    def _correct(self, facet: int, value: int, old: int) -> None:
        if old in self.likes[facet]:
            self.likes[facet] = _without(self.likes[facet], old)
        self.withdrawn[facet] = (*_without(self.withdrawn[facet], old), old)
        self._like(facet, value)
        self.corrected[facet] = True

    def to_json(self, catalog: Catalog) -> dict[str, Any]:
        """The state by facet and value names; :meth:`from_json` reads it back exactly."""
        return {
            facet.name: {
                "status": self.status(f).name.lower(),
                "like": [catalog.value(f, v) for v in self.likes[f]],
                "dislike": [catalog.value(f, v) for v in self.dislikes[f]],
                "doubt": [catalog.value(f, v) for v in self.doubts[f]],
                "ambiguous": [[catalog.value(f, v) for v in pair] for pair in self.ambiguous[f]],
                "withdrawn": [catalog.value(f, v) for v in self.withdrawn[f]],
                "corrected": self.corrected[f],
                "evasions": self.evasions[f],
                "closed": self.closed[f],
                "best": self.best[f],
            }
            for f, facet in enumerate(catalog.domain.facets)
        }

    @classmethod
    def from_json(cls, raw: dict[str, Any], catalog: Catalog) -> PreferenceState:
        """Read what :meth:`to_json` wrote; KeyError names an unknown facet or value."""
        state = cls(catalog.domain.n_facets)
        for name, entry in raw.items():
            f = catalog.domain.facet_index(name)
            state.likes[f] = tuple(catalog.value_index(f, v) for v in entry["like"])
            state.dislikes[f] = tuple(catalog.value_index(f, v) for v in entry["dislike"])
            state.doubts[f] = tuple(catalog.value_index(f, v) for v in entry["doubt"])
            state.ambiguous[f] = tuple(
                (catalog.value_index(f, a), catalog.value_index(f, b))
                for a, b in entry["ambiguous"]
            )
            state.withdrawn[f] = tuple(catalog.value_index(f, v) for v in entry["withdrawn"])
            state.corrected[f] = bool(entry["corrected"])
            state.evasions[f] = int(entry["evasions"])
            state.closed[f] = bool(entry["closed"])
            state.best[f] = float(entry["best"])
        return state

    def __eq__(self, other: object) -> bool:
        """Equal content in every attribute."""
        return isinstance(other, PreferenceState) and all(
            getattr(self, name) == getattr(other, name) for name in self.__slots__
        )

    __hash__ = None  # type: ignore[assignment]

    def __repr__(self) -> str:
        """Likes, dislikes and ambiguities per facet."""
        return (
            f"PreferenceState(likes={self.likes}, dislikes={self.dislikes}, "
            f"ambiguous={self.ambiguous})"
        )


def _without(values: tuple[int, ...], value: int) -> tuple[int, ...]:
    return tuple(v for v in values if v != value)
