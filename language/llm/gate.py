"""The limit of calls in flight, one for the process."""

from __future__ import annotations

import os
import threading
from collections import deque
from collections.abc import Iterator
from contextlib import contextmanager


class Gate:
    """Lets callers in one after another, in the order of their coming, up to a limit."""

    def __init__(self) -> None:
        self._empty()

    def _empty(self) -> None:
        self._lock = threading.Lock()
        self._inside = 0
        self._queue: deque[tuple[int, threading.Event]] = deque()

    @property
    def inside(self) -> int:
        """Number of callers inside."""
        return self._inside

    @contextmanager
    def enter(self, limit: int) -> Iterator[None]:
        """Be inside for the block; wait before it while `limit` others, or more, are inside."""
        self._come(limit)
        try:
            yield
        finally:
            with self._lock:
                self._inside -= 1
                self._admit()

    def _come(self, limit: int) -> None:
        with self._lock:
            if not self._queue and self._inside < limit:
                self._inside += 1
                return
            turn = (limit, threading.Event())
            self._queue.append(turn)
        try:
            turn[1].wait()
        except BaseException:
            self._leave_queue(turn)
            raise

    def _leave_queue(self, turn: tuple[int, threading.Event]) -> None:
        with self._lock:
            if turn[1].is_set():
                self._inside -= 1
            else:
                self._queue.remove(turn)
            self._admit()

    def _admit(self) -> None:
        while self._queue and self._inside < self._queue[0][0]:
            self._inside += 1
            self._queue.popleft()[1].set()


GATE = Gate()
"""Everybody's gate."""

if hasattr(os, "register_at_fork"):
    # A child has none of its parent's threads, so nobody is inside.
    os.register_at_fork(after_in_child=GATE._empty)
