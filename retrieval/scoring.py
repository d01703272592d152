"""From an array of scores to a ranking."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

DECIMALS = 5
"""Precision at which BM25 scores and cosines are compared.

Equal documents must tie, whatever order a machine adds numbers in.
"""


def by_score(
    scores: NDArray[np.floating], pool: int, count: int, decimals: int = DECIMALS
) -> list[int]:
    """The ``count`` best-scored items of a pool, ties to the more familiar.

    Args:
        scores: One score per item, shape (N,), finite.
        pool: Bit set of the items that may appear, all below N.
        count: Largest length of the result.
        decimals: Precision of the comparison.
    """
    items = indices(pool)
    order = np.argsort(-np.round(scores[items], decimals), kind="stable")
    return [int(i) for i in items[order[: max(0, count)]]]


def indices(bits: int) -> NDArray[np.intp]:
    """The members of a bit set as an ascending array."""
    raw = bits.to_bytes(bits.bit_length() // 8 + 1, "little")
    return np.flatnonzero(np.unpackbits(np.frombuffer(raw, dtype=np.uint8), bitorder="little"))
