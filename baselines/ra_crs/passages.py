"""Late fusion over item texts: passages are scored one by one, then an item by its best ones.

RA-CRS (Kemper et al. 2024) scores single texts about an item against the query and fuses the
scores per item, so that one telling passage is not drowned by the rest. Here the texts of an item
are its title, a passage per facet, and its plot's sentences.
"""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Sequence

from baselines.item_words import facet_facts
from catalogs.catalog import Catalog
from catalogs.per_catalog import PerCatalog
from language.prompts.facts import encodable
from retrieval.query import tokens

_K1, _B = 1.5, 0.75
_SENTENCE = re.compile(r"(?<=[.!?])\s+")


class Passages:
    """The passages of a catalogue's items, scored by BM25. Safe between threads.

    Args:
        catalog: The items.
    """

    def __init__(self, catalog: Catalog) -> None:
        self.catalog = catalog
        numbers = range(len(catalog))
        self._texts = [[encodable(text) for text in _texts(catalog, n)] for n in numbers]
        self._words = [[Counter(tokens(text)) for text in texts] for texts in self._texts]
        counts = Counter(word for item in self._words for passage in item for word in passage)
        total = sum(map(len, self._words))
        self._idf = {
            word: math.log(1 + (total - count + 0.5) / (count + 0.5))
            for word, count in counts.items()
        }
        length = sum(passage.total() for item in self._words for passage in item)
        self._mean_length = max(1.0, length / max(1, total))

    def best(self, item: int, query: str, count: int) -> list[tuple[float, str]]:
        """The item's passages that match a query best, with their scores, at most ``count``."""
        words = list(dict.fromkeys(tokens(query)))
        scores = [self._score(passage, words) for passage in self._words[item]]
        order = sorted(range(len(scores)), key=lambda number: -scores[number])
        return [(scores[number], self._texts[item][number]) for number in order[:count]]

    def score(self, item: int, query: str, fuse: int) -> float:
        """Mean of the item's ``fuse`` best passages."""
        return sum(score for score, _ in self.best(item, query, fuse)) / fuse

    def _score(self, passage: Counter[str], words: Sequence[str]) -> float:
        scale = _K1 * (1 - _B + _B * passage.total() / self._mean_length)
        return sum(
            self._idf[word] * passage[word] * (_K1 + 1) / (passage[word] + scale)
            for word in words
            if word in passage
        )


def _texts(catalog: Catalog, number: int) -> list[str]:
    item = catalog.items[number]
    plot = [part for part in _SENTENCE.split(item.plot) if part]
    return [item.label, *facet_facts(catalog, number), *plot]


_MADE = PerCatalog(Passages)


def passages_of(catalog: Catalog) -> Passages:
    """The passages of a catalogue, shared by a process's threads."""
    return _MADE.of(catalog)
