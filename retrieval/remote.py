"""Vectors from a model behind an endpoint, by the role ``embed``."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any, Protocol

import numpy as np

from catalogs.catalog import Catalog
from retrieval.dense import EncoderError, Vectors

BATCH = 128
"""Texts that are asked for together at most."""

CHARACTERS = 100_000
"""Their length together at most, unless one text alone is longer.

Both are below what ``Roles.embed`` puts into one request. It spreads several requests over the pool
of threads that rollouts run in, which may all be waiting for the index that is being built here.
"""


class Embedder(Protocol):
    """What is needed of the language models (``language.llm.roles.Roles``)."""

    def embed(self, texts: Sequence[str], inputs: Callable[[], dict[str, Any]]) -> Vectors:
        """One vector a text, shape (len(texts), D)."""
        ...


class OpenAIEncoder:
    """Asks an OpenAI-compatible endpoint for vectors; safe between threads.

    Args:
        catalog: The items; only an endpoint that serves the embedded roles is told which they are.
        roles: Makes the calls, with retries and accounts; its errors (``language.llm.errors``)
            pass through.
    """

    def __init__(self, catalog: Catalog, roles: Embedder) -> None:
        self.catalog = catalog
        self._roles = roles

    def encode(self, texts: Sequence[str]) -> Vectors:
        """Vectors of shape (len(texts), D), D being the model's.

        Raises:
            EncoderError: There are not as many vectors as texts, or their lengths differ.
        """
        if not texts:
            return np.zeros((0, 0), dtype=np.float32)
        parts = [self._vectors(batch) for batch in _batches(texts)]
        if len({part.shape[1] for part in parts}) > 1:
            lengths = sorted({part.shape[1] for part in parts})
            raise EncoderError(
                f"the embedding model changed the length of its vectors between requests "
                f"({lengths}); is more than one model behind the endpoint?"
            )
        return np.concatenate(parts)

    def _vectors(self, texts: Sequence[str]) -> Vectors:
        vectors = np.asarray(self._roles.embed(texts, self._inputs), dtype=np.float32)
        if vectors.ndim != 2 or len(vectors) != len(texts):
            raise EncoderError(
                f"the embedding model gave an array of shape {vectors.shape} for {len(texts)} texts"
            )
        return vectors

    def _inputs(self) -> dict[str, Any]:
        return {"catalog": dict(self.catalog.origin)}


def _batches(texts: Sequence[str]) -> Iterator[list[str]]:
    batch: list[str] = []
    size = 0
    for text in texts:
        if batch and (len(batch) == BATCH or size + len(text) > CHARACTERS):
            yield batch
            batch, size = [], 0
        batch.append(text)
        size += len(text)
    if batch:
        yield batch
