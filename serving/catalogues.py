"""The worlds that requests are about, opened once each by the catalogue's origin."""

from __future__ import annotations

import json
import threading
from collections.abc import Callable, Mapping
from functools import partial
from pathlib import Path
from typing import Any

from envs.world import World
from envs.worlds import open_world
from evaluation.judge import EmbeddedJudge
from evaluation.transcript import Listener
from retrieval.dense import FittedEncoder
from retrieval.once import Once
from retrieval.query import item_text
from serving.inputs import CatalogIn, InputError, checked

Opener = Callable[[Mapping[str, Any]], World]
LIMIT = 8
"""Worlds kept; beyond it the one opened first is forgotten."""


class Place:
    """A world, and what else is built once for its catalogue; safe between threads.

    Attributes:
        world: The world.
    """

    def __init__(self, world: World) -> None:
        self.world = world
        self._encoder = Once(self._fit)
        self._judge = Once(self._listen)

    def encoder(self) -> FittedEncoder:
        """The encoder that dense retrieval fits to this catalogue."""
        return self._encoder.get()

    def judge(self) -> EmbeddedJudge:
        """The judge of dialogues about this catalogue."""
        return self._judge.get()

    def _fit(self) -> FittedEncoder:
        catalog = self.world.catalog
        return FittedEncoder([item_text(item, catalog) for item in catalog.items])

    def _listen(self) -> EmbeddedJudge:
        catalog = self.world.catalog
        return EmbeddedJudge(catalog, Listener(catalog, self.world.text.tracker))


class Places:
    """Opens worlds; several threads that ask for one at the same time get the same.

    Args:
        opener: What makes a world of ``inputs["catalog"]``; default: ``envs.worlds.open_world``.
    """

    def __init__(self, opener: Opener | None = None) -> None:
        self._opener = opener or _open
        self._lock = threading.Lock()
        self._opening: dict[str, Once[Place]] = {}
        self._ready: dict[str, Place] = {}

    def ready(self, origin: Mapping[str, Any]) -> Place | None:
        """The place of a catalogue if it is open already, else None. Never takes long.

        Raises:
            InputError: See :meth:`open`.
        """
        place = self._ready.get(_key(origin))
        if place is not None:
            _check_size(origin, place.world)
        return place

    def open(self, origin: Mapping[str, Any]) -> Place:
        """The place of a catalogue; the first call for it takes as long as building it does.

        Raises:
            InputError: The catalogue cannot be opened here, or has another number of items than
                the client's.
        """
        key = _key(origin)
        with self._lock:
            opening = self._opening.setdefault(key, Once(partial(self._build, origin)))
            while len(self._opening) > LIMIT:
                oldest = next(iter(self._opening))
                del self._opening[oldest]
                self._ready.pop(oldest, None)
        place = opening.get()
        with self._lock:
            if key in self._opening:
                self._ready[key] = place
        _check_size(origin, place.world)
        return place

    def _build(self, origin: Mapping[str, Any]) -> Place:
        try:
            world = self._opener(origin)
        except InputError:
            raise
        except (ValueError, OSError) as error:
            raise InputError(f"inputs.catalog: {str(error)[:500]}") from error
        _ = world.text  # Built here, in a thread, and not in the event loop later.
        return Place(world)


def _open(origin: Mapping[str, Any]) -> World:
    if not origin:
        raise InputError(
            "inputs.catalog is empty: a catalogue that was made in memory cannot be opened here; "
            "give it a domain file and an item file"
        )
    found = checked(CatalogIn, origin, "inputs.catalog")
    return open_world(
        found.name,
        found.domain,
        found.items,
        data_dir=found.data_dir,
        strict=found.strict,
    )


def _key(origin: Mapping[str, Any]) -> str:
    """What tells catalogues apart: their origin, and the state of the user's own files."""
    own = {name: value for name, value in origin.items() if name != "n_items"}
    stamps = [_stamp(origin.get(name)) for name in ("domain", "items")]
    return json.dumps([own, stamps], sort_keys=True, default=str)


def _stamp(path: object) -> tuple[int, int] | None:
    """Time of change and size of a file, None when there is no such file."""
    if not isinstance(path, str):
        return None
    try:
        status = Path(path).stat()
    except (OSError, ValueError):
        return None
    return status.st_mtime_ns, status.st_size


def _check_size(origin: Mapping[str, Any], world: World) -> None:
    wanted = origin.get("n_items")
    if wanted is not None and wanted != len(world.catalog):
        raise InputError(
            f"inputs.catalog: the client's {str(origin.get('name', 'catalogue'))[:40]!r} has "
            f"{str(wanted)[:20]} items and the server's {len(world.catalog)}; give both the same "
            f"data root (CRS_DATA)"
        )
