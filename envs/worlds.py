"""Opening worlds by name; one per process and set of arguments: building one takes a moment."""

from __future__ import annotations

from functools import lru_cache
from pathlib import Path

from catalogs.location import data_root
from catalogs.sources import open_catalog, open_splits
from envs.world import World
from retrieval.build import Retriever, make_retriever
from retrieval.structured import StructuredRetriever
from simulators.personas import bundled_personas

Stamp = tuple[int, int] | None


def open_world(
    name: str,
    domain: str | None = None,
    items: str | None = None,
    retrieval: str = "structured",
    data_dir: str | None = None,
    strict: bool = True,
) -> World:
    """The world of a catalogue; see ``catalogs.sources.open_catalog`` for names and errors.

    A world is built again for another data root, and when the user's own files have changed.
    """
    root = data_dir or str(data_root())
    return _open(name, domain, items, retrieval, root, strict, (_stamp(domain), _stamp(items)))


def _stamp(path: str | None) -> Stamp:
    """Time of change and size of a file, None when there is no such file."""
    if path is None or not Path(path).is_file():
        return None
    status = Path(path).stat()
    return status.st_mtime_ns, status.st_size


@lru_cache(maxsize=8)
def _open(
    name: str,
    domain: str | None,
    items: str | None,
    retrieval: str,
    root: str,
    strict: bool,
    stamps: tuple[Stamp, Stamp],  # noqa: ARG001 - only a part of the key
) -> World:
    catalog = open_catalog(name, data_dir=root, domain=domain, items=items, strict=strict)
    structured = StructuredRetriever(catalog)
    retriever: Retriever = structured
    if retrieval != "structured":
        retriever = make_retriever(catalog, retrieval)
    return World(catalog, open_splits(name, catalog), bundled_personas(), structured, retriever)
