"""Texts into requests for vectors, and vectors into one array."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from language.llm.errors import RunStopped
from language.llm.settings import RoleSettings

BATCH_TEXTS, BATCH_CHARACTERS = 256, 200_000
"""Texts of one request at most, and their characters, but for a longer one that is alone."""


def batches(texts: Sequence[str]) -> list[tuple[str, ...]]:
    """Texts in order, as many together as endpoints take."""
    found: list[list[str]] = []
    size = 0
    for text in texts:
        size += len(text)
        if not found or len(found[-1]) == BATCH_TEXTS or size > BATCH_CHARACTERS:
            found.append([])
            size = len(text)
        found[-1].append(text)
    return [tuple(batch) for batch in found]


def stack(vectors: Sequence[NDArray[np.float32] | None], role: RoleSettings) -> NDArray[np.float32]:
    """Vectors of one length as rows; (0, 0) for none.

    Raises:
        RunStopped: Their lengths differ.
    """
    rows = [vector for vector in vectors if vector is not None]
    lengths = sorted({len(row) for row in rows})
    if len(lengths) > 1:
        raise RunStopped(
            f"vectors of {role.model} at {role.address} have different lengths ({lengths}): the "
            "model behind that name has changed; delete what llm.cache holds of it"
        )
    return np.stack(rows) if rows else np.zeros((0, 0), dtype=np.float32)
