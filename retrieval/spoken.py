"""Retrieval from what was said: whole dialogues as queries, nothing tracked."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from catalogs.catalog import Catalog
from catalogs.per_catalog import PerCatalog
from language.phrases.function_words import FUNCTION_WORDS
from language.phrases.ordinary import ORDINARY
from retrieval.lexical import LexicalRanker
from retrieval.query import Query, tokens


class SpokenRanker:
    """BM25 for running speech: everyday words are left out of the query.

    A dialogue is mostly small talk, whose words are rare in plots and so weigh more to BM25 than a
    genre does. Frequent words that name a value of the catalogue (a genre, not a person) stay.
    """

    def __init__(self, catalog: Catalog, ranker: LexicalRanker | None = None) -> None:
        """Wrap a ranker of the same catalogue; default: a new one."""
        self._ranker = ranker or LexicalRanker(catalog)
        named = {
            word
            for facet, names in zip(catalog.domain.facets, catalog.vocabulary, strict=True)
            if not facet.person
            for name in names
            for word in tokens(name)
        }
        self._everyday = FUNCTION_WORDS | (ORDINARY - named)

    def rank(self, query: Query, count: int, exclude: int = 0) -> list[int]:
        """The best items by BM25; see :class:`retrieval.query.Ranker`. Only the text is read."""
        return self._ranker.rank(Query(None, self._content(query.text)), count, exclude)

    def scores(self, text: str) -> NDArray[np.float32]:
        """BM25 of every item, shape (N,): that of two texts together is the sum of theirs."""
        return self._ranker.scores(self._content(text))

    def _content(self, text: str) -> str:
        return " ".join(word for word in tokens(text) if word not in self._everyday)


_MADE = PerCatalog(SpokenRanker)


def spoken_ranker(catalog: Catalog, ranker: LexicalRanker | None = None) -> SpokenRanker:
    """The ranker of a catalogue, shared by all policies and threads of a process.

    Args:
        catalog: The items.
        ranker: What to wrap; default: one that is made at the first call.
    """
    return _MADE.of(catalog, ranker)
