"""Values that are built when they are first needed, once, by however many threads."""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import Any, Generic, TypeVar

T = TypeVar("T")


class Once(Generic[T]):
    """A value built at its first use; threads that ask meanwhile wait for it.

    When building fails, that asker gets the exception and the next one tries again.

    Args:
        build: Makes the value. It must not ask for the same value.
    """

    def __init__(self, build: Callable[[], T]) -> None:
        self._build = build
        self._lock = threading.Lock()
        self._built: tuple[T] | None = None  # in a tuple, so that None may be a value

    def get(self) -> T:
        """The value."""
        built = self._built
        if built is None:
            with self._lock:
                built = self._built
                if built is None:
                    built = self._built = (self._build(),)
        return built[0]

    def __getstate__(self) -> dict[str, Any]:
        """Everything but the lock, which cannot be copied: copies have their own."""
        return {"_build": self._build, "_built": self._built}

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__.update(state)
        self._lock = threading.Lock()
