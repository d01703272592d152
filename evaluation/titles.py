"""Titles of a catalogue's items in what a system says."""

from __future__ import annotations

import re
from typing import NamedTuple

from catalogs.catalog import Catalog, Item
from language.text import fold_words

_WORD = re.compile(r"[^\W_]+(?:['’`][^\W_]+)*")
_INTRODUCED_BY = """
suggest recommend about try watch read on check offer consider called see with is
"""
_INTRODUCED = frozenset(_INTRODUCED_BY.split())
"""Words after which a single capitalised word may be a title."""


class Named(NamedTuple):
    """An item that a text names.

    Attributes:
        item: Its index.
        start: Character of the text at which the title begins.
        certain: Whether its year follows the title.
    """

    item: int
    start: int
    certain: bool


class TitleFinder:
    """Finds titles written as titles: with their year, or in the catalogue's own capitals."""

    def __init__(self, catalog: Catalog) -> None:
        self._catalog = catalog
        self._by_first: dict[str, list[tuple[str, ...]]] = {}
        self._items: dict[tuple[str, ...], list[int]] = {}
        for item in catalog.items:
            words = tuple(fold_words(item.title))
            if not words:
                continue
            if words not in self._items:
                self._by_first.setdefault(words[0], []).append(words)
            self._items.setdefault(words, []).append(item.index)
        for group in self._by_first.values():
            group.sort(key=lambda words: (-len(words), words))

    def find(self, text: str) -> list[Named]:
        """The items named, by position; of titles at one place only the longest."""
        places = [match.span() for match in _WORD.finditer(text)]
        folded = ["".join(fold_words(text[start:end])) for start, end in places]
        found: list[Named] = []
        i = 0
        while i < len(folded):
            hit, length = self._at(text, places, folded, i)
            if hit is not None:
                found.append(hit)
            i += length
        return found

    def _at(
        self, text: str, places: list[tuple[int, int]], folded: list[str], i: int
    ) -> tuple[Named | None, int]:
        for title in self._by_first.get(folded[i], ()):
            end = i + len(title)
            if tuple(folded[i:end]) != title:
                continue
            start, stop = places[i][0], places[end - 1][1]
            year = folded[end] if end < len(folded) else ""
            items = [self._catalog.items[k] for k in self._items[title]]
            dated = [item for item in items if item.year is not None and str(item.year) == year]
            if dated:
                return Named(dated[0].index, start, True), len(title) + 1
            before = folded[i - 1] if i else ""
            if any(_as_written(text, start, stop, item, before) for item in items):
                return Named(items[0].index, start, False), len(title)
        return None, 1


def _as_written(text: str, start: int, stop: int, item: Item, before: str) -> bool:
    """Whether a passage is written as a title is: in its capitals, and one word only if quoted."""
    passage = text[start:stop]
    if passage not in item.title or not any(c.isupper() or c.isdigit() for c in passage):
        return False
    if " " in passage:
        return True
    quoted = text[start - 1 : start] in {'"', "“", "«", "'", "*"}
    return quoted or before in _INTRODUCED
