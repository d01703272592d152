"""Opening worlds by name; one per process and set of arguments, since building one takes a moment."""

from __future__ import annotations

from functools import lru_cache

from catalogs.sources import open_catalog, open_splits
from envs.world import World
from retrieval.structured import StructuredRetriever
from simulators.personas import bundled_personas


@lru_cache(maxsize=8)
def open_world(
    name: str,
    domain: str | None = None,
    items: str | None = None,
    retrieval: str = "structured",
    data_dir: str | None = None,
    strict: bool = True,
) -> World:
    """The world of a catalogue; see ``catalogs.sources.open_catalog`` for names and errors."""
    catalog = open_catalog(name, data_dir=data_dir, domain=domain, items=items, strict=strict)
    structured = StructuredRetriever(catalog)
    retriever = structured
    if retrieval != "structured":
        from retrieval.build import make_retriever

        retriever = make_retriever(catalog, retrieval, structured)
    return World(catalog, open_splits(name, catalog), bundled_personas(), structured, retriever)
