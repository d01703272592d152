"""Things made of a catalogue that all threads of a process share."""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import Generic, TypeVar

from catalogs.catalog import Catalog

T = TypeVar("T")

MOST = 8
"""Things of a kind that a process holds on to; one run uses one or two catalogues."""


class PerCatalog(Generic[T]):
    """Makes a thing at its first use, once for a catalogue, by however many threads.

    Catalogues, and other things that it is made of, are told apart by identity: to compare two
    catalogues item by item would cost more than most of what is kept here.

    Args:
        make: Makes the thing of a catalogue, and of whatever else :meth:`of` is given.
    """

    def __init__(self, make: Callable[..., T]) -> None:
        self._make = make
        self._lock = threading.Lock()
        self._made: list[tuple[tuple[object, ...], T]] = []

    def of(self, catalog: Catalog, *others: object) -> T:
        """The thing; the last :data:`MOST` that were made are remembered."""
        key = (catalog, *others)
        with self._lock:
            for known, found in self._made:
                if len(known) == len(key) and all(a is b for a, b in zip(known, key, strict=True)):
                    return found
            made = self._make(*key)
            self._made.append((key, made))
            del self._made[:-MOST]
            return made
