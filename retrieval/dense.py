"""Dense retrieval: cosine between vectors of items and query, with an encoder of one's choice."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from catalogs.catalog import Catalog
from retrieval.once import Once
from retrieval.one_thread import one_thread
from retrieval.query import Query, item_text, query_text, tokens
from retrieval.scoring import by_score

Vectors = NDArray[np.float32]


class EncoderError(ValueError):
    """An encoder, or its cache, cannot be used; the message says which, where, and what to do."""


class Encoder(Protocol):
    """Turns texts into vectors; a text must get the same vector each time, from any thread."""

    def encode(self, texts: Sequence[str]) -> Vectors:
        """Vectors of shape (len(texts), D); they need not have unit length."""
        ...


class FittedEncoder:
    """The embedded encoder: TF-IDF reduced by a truncated SVD, fitted on the items themselves."""

    def __init__(self, texts: Sequence[str], dimensions: int = 256, seed: int = 0) -> None:
        """Fit to a collection.

        Args:
            texts: The collection, at least one text.
            dimensions: Length D of the vectors at most; a small collection yields fewer.
            seed: Start of the factorisation.

        Raises:
            ValueError: ``dimensions`` is below 1 or there is no text.
        """
        if dimensions < 1 or not texts:
            raise ValueError(
                f"{len(texts)} texts in {dimensions} dimensions; both must be positive"
            )
        self._tfidf: Any = None
        self._projection: Vectors | None = None
        if any(tokens(text) for text in texts):
            self._fit(texts, dimensions, seed)

    def _fit(self, texts: Sequence[str], dimensions: int, seed: int) -> None:
        from sklearn.decomposition import TruncatedSVD
        from sklearn.feature_extraction.text import TfidfVectorizer

        self._tfidf = TfidfVectorizer(analyzer=tokens, sublinear_tf=True, dtype=np.float32)
        matrix = self._tfidf.fit_transform(texts)
        size = min(dimensions, matrix.shape[0], matrix.shape[1])
        if size > 1:
            svd = TruncatedSVD(size, algorithm="randomized", n_iter=4, random_state=seed)
            # One thread: several on shared cores cost ten times as much, and their sums differ.
            # Errors: equal texts have no variance to explain.
            with one_thread(), np.errstate(all="ignore"):
                svd.fit(matrix)
            self._projection = np.ascontiguousarray(svd.components_.T, dtype=np.float32)

    def encode(self, texts: Sequence[str]) -> Vectors:
        """Vectors of shape (len(texts), D); a text without a known word is the zero vector."""
        if self._tfidf is None:
            return np.zeros((len(texts), 1), dtype=np.float32)
        matrix = self._tfidf.transform(texts)
        vectors = matrix.toarray() if self._projection is None else matrix @ self._projection
        return np.asarray(vectors, dtype=np.float32)


class DenseRanker:
    """Ranks items by the cosine between their vector and the query's.

    A query that the encoder maps to the zero vector (the embedded one: no known word) ranks by
    familiarity. Items are encoded at the first ranking. Safe between threads.
    """

    def __init__(
        self,
        catalog: Catalog,
        encoder: Encoder | None = None,
        dimensions: int = 256,
        seed: int = 0,
    ) -> None:
        """Remember the settings.

        Args:
            catalog: The items.
            encoder: Default: a :class:`FittedEncoder` of ``dimensions`` and ``seed``.
            dimensions: See there; unused with an encoder.
            seed: See there; unused with an encoder.
        """
        self.catalog = catalog
        self._encoder = encoder
        self._dimensions = dimensions
        self._seed = seed
        self._index = Once(self._build)

    def rank(self, query: Query, count: int, exclude: int = 0) -> list[int]:
        """The best items by cosine; see :class:`retrieval.query.Ranker`."""
        scores = self.scores(query_text(query, self.catalog))
        return by_score(scores, self.catalog.everything & ~exclude, count)

    def scores(self, text: str) -> NDArray[np.float32]:
        """Cosine of every item with a text, shape (N,), in [-1, 1]; 0 where either is zero."""
        if not text.strip():
            return np.zeros(len(self.catalog), dtype=np.float32)
        encoder, vectors = self._index.get()
        query = _unit(encoder.encode([text]))[0]
        if len(query) != vectors.shape[1]:
            raise EncoderError(
                f"the encoder {type(encoder).__name__} gave a query {len(query)} numbers, and the "
                f"items {vectors.shape[1]}: the model behind its name has changed; index anew"
            )
        found: NDArray[np.float32] = np.einsum("nd,d->n", vectors, query)  # no threads, see _fit
        return found

    def _build(self) -> tuple[Encoder, Vectors]:
        texts = [item_text(item, self.catalog) for item in self.catalog.items]
        encoder = self._encoder or FittedEncoder(texts, self._dimensions, self._seed)
        vectors = encoder.encode(texts)
        if vectors.ndim != 2 or len(vectors) != len(texts) or not np.isfinite(vectors).all():
            raise ValueError(
                f"the encoder {type(encoder).__name__} gave an array of shape "
                f"{vectors.shape} for {len(texts)} texts; it must give one finite vector each"
            )
        return encoder, _unit(vectors)


def _unit(vectors: Vectors) -> Vectors:
    with np.errstate(over="ignore"):
        lengths = np.linalg.norm(vectors, axis=1, keepdims=True)
    if not np.isfinite(lengths).all():  # squares of large numbers, which float32 cannot hold
        lengths = np.linalg.norm(vectors.astype(np.float64), axis=1, keepdims=True)
    scale = np.where(lengths > 1e-12, lengths, np.inf)
    return np.asarray(vectors / scale, dtype=np.float32)
