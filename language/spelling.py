"""Misspelled words: which known words are one slip away (two in long words)."""

from __future__ import annotations

from collections.abc import Iterable

from rapidfuzz import process
from rapidfuzz.distance import OSA

MIN_LENGTH = 5
"""Shorter words have too many neighbours to guess what was meant."""

LONG = 9
"""Words of this length may differ by two letters."""

_CACHED = 4096


class Speller:
    """Finds known words near an unknown one by optimal string alignment distance.

    A slip in the first letter is not repaired: it is rare in typing, and the words of one
    first letter and about one length are few enough to compare in microseconds.
    """

    def __init__(self, words: Iterable[str]) -> None:
        self._buckets: dict[tuple[str, int], list[str]] = {}
        for word in sorted(set(words)):
            if len(word) >= MIN_LENGTH - 1 and not word.isdigit():
                self._buckets.setdefault((word[0], len(word)), []).append(word)
        self._cache: dict[str, tuple[str, ...]] = {}

    def near(self, word: str) -> tuple[str, ...]:
        """Known words within one letter (two if the word is long), nearest first; at most 8."""
        if len(word) < MIN_LENGTH or len(word) > 30 or not word.isalpha():
            return ()
        found = self._cache.get(word)
        if found is None:
            found = self._search(word)
            if len(self._cache) < _CACHED:
                self._cache[word] = found
        return found

    def _search(self, word: str) -> tuple[str, ...]:
        reach = 2 if len(word) >= LONG else 1
        hits: list[tuple[int, str]] = []
        for length in range(len(word) - reach, len(word) + reach + 1):
            bucket = self._buckets.get((word[0], length))
            if bucket:
                results = process.extract(
                    word, bucket, scorer=OSA.distance, score_cutoff=reach, limit=8
                )
                hits.extend((int(distance), near) for near, distance, _ in results)
        return tuple(near for _, near in sorted(hits)[:8])
