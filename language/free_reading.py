"""Reading running text without a state: which values a person names, and which of them are wanted.

A line is an utterance and is read on its own. Nothing is carried from one to the next but their
order: of two statements about a value the later one counts.
"""

from __future__ import annotations

from typing import NamedTuple

from catalogs.catalog import Catalog
from catalogs.per_catalog import PerCatalog
from language.attitude import Stance, judge
from language.cues import CueFinder
from language.lexicon import build_lexicon
from language.mentions import MentionFinder
from language.text import read_words


class Named(NamedTuple):
    """A value that an utterance names.

    Attributes:
        facet: Facet of the value.
        value: Vocabulary index.
        wanted: Whether it is wanted, as far as the utterance tells.
    """

    facet: int
    value: int
    wanted: bool


class Wishes(NamedTuple):
    """What a text asks for, per facet in the order in which values were last named.

    Attributes:
        wanted: Wanted values.
        unwanted: Unwanted values.
    """

    wanted: tuple[tuple[int, ...], ...]
    unwanted: tuple[tuple[int, ...], ...]


class FreeReader:
    """Reads utterances with a catalogue's lexicon; one that was read before is remembered."""

    def __init__(self, catalog: Catalog) -> None:
        self.catalog = catalog
        self._cues = CueFinder()
        self._mentions = MentionFinder(build_lexicon(catalog), self._cues.words)
        self._known: dict[str, tuple[Named, ...]] = {}

    def named(self, line: str) -> tuple[Named, ...]:
        """The values that an utterance names, in order; of a vague word both meanings."""
        found = self._known.get(line)
        if found is None:
            found = self._read(line)
            if len(self._known) >= _REMEMBERED:
                self._known.clear()
            self._known[line] = found
        return found

    def wishes(self, text: str) -> Wishes:
        """What all utterances of a text together ask for."""
        last: list[dict[int, bool]] = [{} for _ in self.catalog.domain.facets]
        for line in text.split("\n"):
            for facet, value, stance in self.named(line):
                last[facet].pop(value, None)
                last[facet][value] = stance
        return Wishes(_having(last, True), _having(last, False))

    def _read(self, line: str) -> tuple[Named, ...]:
        words = read_words(line)
        mentions = self._mentions.find(words, -1)
        cues = self._cues.find(words, ((m.start, m.end) for m in mentions))
        return tuple(
            Named(mention.facet, value, stance == Stance.YES)
            for mention, stance, _ in judge(words, mentions, cues)
            if stance != Stance.OPEN
            for value in (mention.value, mention.other)
            if value >= 0
        )


def _having(last: list[dict[int, bool]], wanted: bool) -> tuple[tuple[int, ...], ...]:
    return tuple(tuple(v for v, stance in found.items() if stance == wanted) for found in last)


_REMEMBERED = 20_000
"""Utterances that a reader remembers."""

_READERS = PerCatalog(FreeReader)


def free_reader(catalog: Catalog) -> FreeReader:
    """The reader of a catalogue, shared by a process's threads."""
    return _READERS.of(catalog)
