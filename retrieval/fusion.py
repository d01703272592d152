"""Fusion: reciprocal ranks of several rankings, alone or inside structured tiers."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np
from numpy.typing import NDArray

from catalogs.catalog import Catalog
from dialogue.state import PreferenceState
from retrieval.query import Query, Ranker
from retrieval.scoring import by_score
from retrieval.structured import StructuredRetriever

DECIMALS = 12
"""Precision at which sums of reciprocal ranks are compared; neighbours differ from 1e-8 on."""

RRF_K = 60
"""The usual constant (Cormack, Clarke and Buettcher, SIGIR 2009): damps the lead of first ranks."""


def reciprocal_ranks(
    rankings: Sequence[Sequence[int]], size: int, k: int = RRF_K
) -> NDArray[np.float64]:
    """Sum over rankings of ``1 / (k + rank)``, ranks from 1; 0 where an item is in none.

    Args:
        rankings: Item indices, best first, each without repeats.
        size: Number of items N.
        k: At least 0.

    Returns:
        One score per item, shape (N,).
    """
    scores = np.zeros(size)
    for ranking in rankings:
        scores[np.asarray(ranking, dtype=np.intp)] += 1.0 / (k + 1.0 + np.arange(len(ranking)))
    return scores


class FusionRanker:
    """Fuses rankers by reciprocal rank.

    With ``structured`` the tiers of the query's state come first and the fused order breaks their
    ties; a query without a state has a single tier. Without ``structured`` it is plain fusion.
    """

    def __init__(
        self,
        catalog: Catalog,
        rankers: Sequence[Ranker],
        structured: StructuredRetriever | None = None,
        k: int = RRF_K,
    ) -> None:
        """Remember the parts.

        Raises:
            ValueError: There is no ranker, or ``k`` is negative.
        """
        if not rankers or k < 0:
            raise ValueError(f"fusion of {len(rankers)} rankers with k={k}: needs one, and k >= 0")
        self.catalog = catalog
        self._rankers = tuple(rankers)
        self._structured = structured
        self._k = k

    def rank(self, query: Query, count: int, exclude: int = 0) -> list[int]:
        """The best items by fused rank; see :class:`retrieval.query.Ranker`.

        Ranks are those among all items, so that excluding some never reorders the others.
        """
        size = len(self.catalog)
        scores = reciprocal_ranks([r.rank(query, size, 0) for r in self._rankers], size, self._k)
        pool = self.catalog.everything & ~exclude
        found: list[int] = []
        for part in self._parts(query.state, pool):
            if len(found) >= count:
                break
            found.extend(by_score(scores, part, count - len(found), DECIMALS))
        return found

    def _parts(self, state: PreferenceState | None, pool: int) -> Iterator[int]:
        if self._structured is None or state is None:
            yield pool
        else:
            for tier, _, _ in self._structured.tiers(state, pool):
                yield from self._structured.refine(state, tier)
