"""Opening worlds by name; one per process and set of arguments: building one takes a moment."""

from __future__ import annotations

import json
import threading
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple

from catalogs.catalog import Catalog
from catalogs.location import data_root
from catalogs.sources import open_catalog, open_splits
from envs.world import World
from retrieval.build import Retriever, make_retriever
from retrieval.dense import Encoder, Vectors
from retrieval.encoders import check_encoder, make_encoder
from retrieval.once import Once
from retrieval.structured import StructuredRetriever
from simulators.personas import bundled_personas

Stamp = tuple[int, int] | None

LIMIT = 8
"""Worlds that are kept; the one not asked for longest goes first."""


class _Key(NamedTuple):
    """What determines a world."""

    name: str
    domain: str | None
    items: str | None
    retrieval: str
    root: str
    strict: bool
    encoder: str
    llm: str | None
    stamps: tuple[Stamp, Stamp]


_WORLDS: dict[_Key, Once[World]] = {}
_LOCK = threading.Lock()


def open_world(
    name: str,
    domain: str | None = None,
    items: str | None = None,
    retrieval: str = "structured",
    data_dir: str | None = None,
    strict: bool = True,
    encoder: str = "embedded",
    llm: Mapping[str, Any] | None = None,
) -> World:
    """The world of a catalogue; see ``catalogs.sources.open_catalog`` for names and errors.

    A world is built again for another data root, and when the user's own files have changed.
    Threads that ask for the same world at once get the same one.

    Args:
        name: The catalogue's name.
        domain: For ``custom``: its domain.
        items: For ``custom``: its item file.
        retrieval: Kind of the shared retriever (``retrieval.build.make_retriever``).
        data_dir: Data root; default: ``catalogs.location.data_root()``.
        strict: Whether a bad row is an error.
        encoder: Of dense and fusion retrieval (``retrieval.encoders.make_encoder``).
        llm: Settings of the language models, plain values; only the encoder ``openai`` reads them.

    Raises:
        EncoderError: The encoder is unknown, lacks what it needs, or would have no effect.
    """
    check_encoder(encoder, retrieval)
    root = data_dir or str(data_root())
    settings = None
    if encoder == "openai":
        settings = json.dumps(dict(llm or {}), sort_keys=True, ensure_ascii=False)
    stamps = (_stamp(domain), _stamp(items))
    return _kept(
        _Key(name, domain, items, retrieval, root, strict, encoder, settings, stamps)
    ).get()


def _stamp(path: str | None) -> Stamp:
    """Time of change and size of a file, None when there is no such file."""
    if path is None or not Path(path).is_file():
        return None
    status = Path(path).stat()
    return status.st_mtime_ns, status.st_size


def _kept(key: _Key) -> Once[World]:
    with _LOCK:
        # Taken out and put back: a dictionary's last entry is then the one asked for last.
        found = _WORLDS.pop(key, None) or Once(partial(_build, key))
        _WORLDS[key] = found
        while len(_WORLDS) > LIMIT:
            del _WORLDS[next(iter(_WORLDS))]
        return found


def _build(key: _Key) -> World:
    catalog = open_catalog(
        key.name, data_dir=key.root, domain=key.domain, items=key.items, strict=key.strict
    )
    structured = StructuredRetriever(catalog)
    retriever: Retriever = structured
    if key.retrieval != "structured":
        encoder = _encoder(key.encoder, catalog, key.llm)
        retriever = make_retriever(catalog, key.retrieval, encoder=encoder)
    splits = open_splits(key.name, catalog)
    return World(catalog, splits, bundled_personas(), structured, retriever)


def _encoder(kind: str, catalog: Catalog, llm: str | None) -> Encoder | None:
    if kind != "openai":
        return make_encoder(kind, catalog)
    from language.llm.settings import read_settings

    given = json.loads(llm or "{}")
    settings = read_settings(given)
    embed = settings.roles["embed"]
    # A server of the embedded roles answers by its catalogue, so equal texts may differ there; and
    # a recording must hold each call, whatever this machine has kept from earlier runs.
    cached = embed.backend != "server" and settings.record is None and settings.replay is None
    return make_encoder(
        kind,
        catalog,
        roles=_OpenRoles(given) if embed.is_model else None,
        model=f"{embed.address} {embed.model}",
        cached=cached,
    )


class _OpenRoles:
    """The language models as they are open when needed: a world may outlive one opening of them."""

    def __init__(self, given: Mapping[str, Any]) -> None:
        self._given = given

    def embed(self, texts: Sequence[str], inputs: Callable[[], dict[str, Any]]) -> Vectors:
        from language.llm.roles import open_roles

        return open_roles(self._given).embed(texts, inputs)
