"""Cues: phrases of an utterance that carry attitude or intention, found longest first."""

from __future__ import annotations

from collections.abc import Iterable
from enum import IntEnum, auto
from typing import NamedTuple

from language.phrases import attitude_cues, reply_cues
from language.text import STOP, Words

MENTION = "\x01"
"""Stands in the cue stream for a mentioned value."""


class Cue(IntEnum):
    """What a phrase does; the tables are in ``language.phrases``."""

    NEGATIVE = auto()
    FIRM = auto()
    NEGATIVE_AFTER = auto()
    BEGINNING = auto()
    WISH = auto()
    UNDECIDED = auto()
    BUT = auto()
    IDLE = auto()
    EVADE = auto()
    NOMORE = auto()
    NO = auto()
    REJECT = auto()
    SEEN = auto()
    DETAILS = auto()
    ACCEPT = auto()
    YES = auto()
    QUIT = auto()
    GOODBYE = auto()
    SIGH_1 = auto()
    SIGH_2 = auto()
    SIGH_3 = auto()
    CORRECTION = auto()
    MILD_CORRECTION = auto()
    OLD = auto()
    NEW = auto()
    SWAPPED = auto()
    UNSURE = auto()
    TASTE = auto()


class Found(NamedTuple):
    """A phrase in the text: words ``start .. end - 1`` of the utterance, and all that it may do."""

    start: int
    end: int
    cues: frozenset[Cue]


class CueFinder:
    """Matches the phrase tables against an utterance in one pass."""

    def __init__(self) -> None:
        self._phrases: dict[str, list[tuple[tuple[str, ...], frozenset[Cue]]]] = {}
        table: dict[tuple[str, ...], set[Cue]] = {}
        for cue in Cue:
            source = attitude_cues if hasattr(attitude_cues, cue.name) else reply_cues
            for phrase in _split(getattr(source, cue.name)):
                table.setdefault(phrase, set()).add(cue)
        for phrase, cues in table.items():
            self._phrases.setdefault(phrase[0], []).append((phrase, frozenset(cues)))
        for group in self._phrases.values():
            group.sort(key=lambda entry: -len(entry[0]))
        self.words = frozenset(word for phrase in table for word in phrase)

    def find(self, words: Words, mentioned: Iterable[tuple[int, int]]) -> list[Found]:
        """Phrases in order; a phrase never spans a sentence end, a mention or a masked word."""
        stream = list(words.folded)
        for start, end in mentioned:
            stream[start:end] = [MENTION] * (end - start)
        found: list[Found] = []
        i = 0
        while i < len(stream):
            match = self._match(stream, words.breaks, i)
            if match is None:
                i += 1
            else:
                found.append(match)
                i = match.end
        return found

    def _match(self, stream: list[str], breaks: list[int], start: int) -> Found | None:
        for phrase, cues in self._phrases.get(stream[start], ()):
            end = _end_of(phrase, stream, breaks, start)
            if end:
                return Found(start, end, cues)
        return None


def _split(table: str) -> Iterable[tuple[str, ...]]:
    for line in table.split("\n"):
        for phrase in line.split("|"):
            if phrase.strip():
                yield tuple(phrase.split())


def _end_of(phrase: tuple[str, ...], stream: list[str], breaks: list[int], start: int) -> int:
    """Word after the phrase if it starts at ``start`` (fillers may stand inside), else 0."""
    i = start + 1
    for word in phrase[1:]:
        while i < len(stream) and stream[i] in reply_cues.FILLERS and stream[i] != word:
            if breaks[i] == STOP:
                return 0
            i += 1
        if i >= len(stream) or stream[i] != word or breaks[i] == STOP:
            return 0
        i += 1
    return i
