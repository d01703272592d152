"""Lexical retrieval: BM25 over title, facet values, year and plot (package ``bm25s``)."""

from __future__ import annotations

import logging
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from catalogs.catalog import Catalog
from retrieval.once import Once
from retrieval.query import Query, item_text, query_text, tokens
from retrieval.scoring import by_score


class _Index(NamedTuple):
    """A word's number, and the scores; no scores where no item has a word."""

    vocabulary: dict[str, int]
    bm25: Any


class LexicalRanker:
    """Ranks items by the words that they share with a query.

    Items without a shared word follow in order of familiarity, so an empty query ranks by
    familiarity alone. The index is built at the first ranking. Safe between threads.
    """

    def __init__(self, catalog: Catalog, k1: float = 1.5, b: float = 0.75) -> None:
        """Remember the settings.

        Args:
            catalog: The items.
            k1: Saturation of a word's frequency in a document, at least 0.
            b: Share of the correction for a document's length, in [0, 1].

        Raises:
            ValueError: A setting is out of range.
        """
        if k1 < 0 or not 0 <= b <= 1:
            raise ValueError(f"k1 must be at least 0 and b in [0, 1], not k1={k1}, b={b}")
        self.catalog = catalog
        self._settings = {"k1": k1, "b": b}
        self._index = Once(self._build)

    def rank(self, query: Query, count: int, exclude: int = 0) -> list[int]:
        """The best items by BM25; see :class:`retrieval.query.Ranker`."""
        scores = self.scores(query_text(query, self.catalog))
        return by_score(scores, self.catalog.everything & ~exclude, count)

    def scores(self, text: str) -> NDArray[np.float32]:
        """BM25 of every item for a text, shape (N,), at least 0."""
        vocabulary, bm25 = self._index.get()
        known = [vocabulary[w] for w in tokens(text) if w in vocabulary]
        if not known:
            return np.zeros(len(self.catalog), dtype=np.float32)
        found: NDArray[np.float32] = bm25.get_scores(known)
        return found

    def _build(self) -> _Index:
        import bm25s

        logging.getLogger("bm25s").setLevel(logging.WARNING)
        vocabulary: dict[str, int] = {}
        documents = [
            [
                vocabulary.setdefault(w, len(vocabulary))
                for w in tokens(item_text(item, self.catalog))
            ]
            for item in self.catalog.items
        ]
        if not vocabulary:
            return _Index(vocabulary, None)
        bm25 = bm25s.BM25(**self._settings, auto_compile=False)
        bm25.index((documents, dict(vocabulary)), show_progress=False)
        return _Index(vocabulary, bm25)
