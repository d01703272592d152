"""Retrievers by name, each fit to be shared by environment and policies."""

from __future__ import annotations

from typing import Literal, Protocol, get_args

from catalogs.catalog import Catalog
from catalogs.nearest import nearest_hint
from dialogue.view import Assessment, DialogueView, SharedRetriever
from retrieval.dense import DenseRanker, Encoder
from retrieval.fusion import RRF_K, FusionRanker
from retrieval.lexical import LexicalRanker
from retrieval.query import Query, Ranker
from retrieval.spoken import spoken_ranker
from retrieval.structured import StructuredRetriever, remember

Kind = Literal["structured", "lexical", "dense", "fusion"]


class Retriever(SharedRetriever, Ranker, Protocol):
    """What an environment shares: rankings by query and by view, and an assessment of the state."""

    def best(self, view: DialogueView) -> int:
        """The top item not offered yet, or -1."""
        ...

    def assess(self, view: DialogueView) -> Assessment:
        """Candidate count, entropy and top scores for the tracked state."""
        ...


class SharedRanker:
    """Makes any ranker a shared retriever: rankings by the tracked state, cached by it.

    The assessment stays the structured one (how many items fit the constraints does not depend on
    the order among them); only its ``best`` is this ranker's.
    """

    def __init__(self, catalog: Catalog, ranker: Ranker) -> None:
        """Wrap a ranker of the same catalogue."""
        self.catalog = catalog
        self.ranker = ranker
        self._structured = StructuredRetriever(catalog)
        self._tops: dict[tuple[object, ...], tuple[int, ...]] = {}

    def rank(self, query: Query, count: int, exclude: int = 0) -> list[int]:
        """The wrapped ranker's ranking, not cached."""
        return self.ranker.rank(query, count, exclude)

    def top(self, view: DialogueView, count: int) -> tuple[int, ...]:
        """The best ``count`` items for the tracked state that were not offered yet."""
        key = (view.offered, count, *view.state.key())
        found = self._tops.get(key)
        if found is None:
            query = Query(view.state.copy())
            found = tuple(self.ranker.rank(query, count, view.offered))
            remember(self._tops, key, found)
        return found

    def best(self, view: DialogueView) -> int:
        """The top item not offered yet, or -1."""
        found = self.top(view, 1)
        return found[0] if found else -1

    def assess(self, view: DialogueView) -> Assessment:
        """The structured assessment, with this ranker's top item as ``best``."""
        return self._structured.assess(view)._replace(best=self.best(view))


def make_retriever(
    catalog: Catalog,
    kind: str = "structured",
    *,
    encoder: Encoder | None = None,
    dimensions: int = 256,
    seed: int = 0,
    k1: float = 1.5,
    b: float = 0.75,
    rrf_k: int = RRF_K,
    tiers: bool = True,
) -> Retriever:
    """Build a retriever by its name.

    Args:
        catalog: The items.
        kind: ``structured`` (constraints in tiers), ``lexical`` (BM25), ``dense`` (cosine), or
            ``fusion`` (both by reciprocal rank, inside the tiers).
        encoder: For dense and fusion; default: one fitted on the catalogue.
        dimensions: Of the fitted encoder.
        seed: Of the fitted encoder.
        k1: Of BM25.
        b: Of BM25.
        rrf_k: Constant of the fusion.
        tiers: Whether fusion keeps the structured tiers; False gives plain fusion.

    Raises:
        ValueError: The kind is unknown, or a setting is out of range.
    """
    if kind == "structured":
        return StructuredRetriever(catalog)
    if kind == "lexical":
        return SharedRanker(catalog, LexicalRanker(catalog, k1, b))
    if kind == "dense":
        return SharedRanker(catalog, DenseRanker(catalog, encoder, dimensions, seed))
    if kind == "fusion":
        parts = (LexicalRanker(catalog, k1, b), DenseRanker(catalog, encoder, dimensions, seed))
        structured = StructuredRetriever(catalog) if tiers else None
        return SharedRanker(catalog, FusionRanker(catalog, parts, structured, rrf_k))
    hint = nearest_hint(kind, get_args(Kind), cutoff=0.4)
    raise ValueError(f"no retriever {kind!r}{hint} (there are {', '.join(get_args(Kind))})")


def text_ranker(retriever: SharedRetriever, catalog: Catalog) -> Ranker:
    """What ranks free text for policies that read nothing else.

    The shared retriever where it ranks by text, BM25 with everyday words left out of the query. A
    retriever that needs a tracked state is replaced by BM25 over the same items.

    Args:
        retriever: The shared retriever.
        catalog: Its items.
    """
    ranker = retriever.ranker if isinstance(retriever, SharedRanker) else retriever
    if isinstance(ranker, LexicalRanker):
        return spoken_ranker(catalog, ranker)
    if isinstance(ranker, Ranker) and not isinstance(ranker, StructuredRetriever):
        return ranker
    return spoken_ranker(catalog)
