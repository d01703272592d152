"""Threads that compute numbered tasks; results come back as they are finished.

For dialogues that wait for a language model most of their time: one process is enough for dozens.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from operator import itemgetter
from threading import Condition, Thread
from types import TracebackType
from typing import Generic, Self, TypeVar

from evaluation.pool import AHEAD

T = TypeVar("T")
Wanted = Callable[[], bool]
"""Whether the result of a task is still wanted; a long task asks now and then."""

PATIENCE = 2.0
"""Seconds that an interrupted run waits for its threads."""


class Abandoned(Exception):  # noqa: N818 - it reports no error: nobody waits for the result
    """What a task raises to end early when its result is not wanted any more."""


def always() -> bool:
    """The answer where results are always wanted."""
    return True


@dataclass(frozen=True, slots=True)
class _Raised:
    """What a thread leaves instead of a result."""

    error: BaseException


class ThreadPool(Generic[T]):
    """Threads that each apply a function of their own to tasks.

    Leaving its block ends the threads: each is waited for, and ends before its next task, or in it
    as soon as it asks whether it is wanted. After Ctrl-C they are waited for no longer than
    ``PATIENCE``: they are daemons, so one that waits for an answer does not keep the process alive.

    Args:
        functions: One per thread; each is called with a task and a :data:`Wanted`.
    """

    def __init__(self, functions: Sequence[Callable[[int, Wanted], T]]) -> None:
        self._functions = functions
        self._threads: list[Thread] = []
        self._changed = Condition()
        self._done: dict[int, T | _Raised] = {}  # what the caller has not been given yet
        self._next = 0  # the position to hand out next
        self._position = 0  # the first unfinished one
        self._end = 0  # no result from here on is wanted

    def completed(self, tasks: Sequence[int]) -> Iterator[T]:
        """Apply the functions to tasks, once per pool; yields results as they are finished.

        At most ``AHEAD`` tasks per thread are finished or running beyond the first unfinished one.

        Raises:
            BaseException: What a task raised. The results of all tasks before it have been yielded,
                and no task after it is begun.
        """
        self._end = len(tasks)
        self._threads = [
            Thread(target=self._work, args=(function, tasks), name=f"dialogue-{i}", daemon=True)
            for i, function in enumerate(self._functions)
        ]
        for thread in self._threads:
            thread.start()
        finished: set[int] = set()
        failed: dict[int, BaseException] = {}
        first = 0
        while first < len(tasks):
            if first in failed:
                raise failed[first]
            for position, result in self._wait(first):
                if isinstance(result, _Raised):
                    failed[position] = result.error
                else:
                    finished.add(position)
                    yield result
            while first in finished:
                first += 1

    def _wait(self, first: int) -> list[tuple[int, T | _Raised]]:
        """What was finished since the last call, at least one, by position."""
        with self._changed:
            self._position = first
            self._changed.notify_all()
            self._changed.wait_for(lambda: self._done)
            found, self._done = sorted(self._done.items(), key=itemgetter(0)), {}
            return found

    def _work(self, function: Callable[[int, Wanted], T], tasks: Sequence[int]) -> None:
        """Body of a thread."""
        while (position := self._take()) is not None:
            try:
                result: T | _Raised = self._apply(function, tasks, position)
            except BaseException as error:
                result = _Raised(error)
            with self._changed:
                self._done[position] = result
                if isinstance(result, _Raised):
                    self._end = min(self._end, position + 1)
                self._changed.notify_all()

    def _apply(
        self, function: Callable[[int, Wanted], T], tasks: Sequence[int], position: int
    ) -> T:
        return function(tasks[position], lambda: position < self._end)

    def _take(self) -> int | None:
        """The next position, once it is near enough to the first unfinished; None at the end."""
        window = AHEAD * len(self._functions)
        with self._changed:
            self._changed.wait_for(
                lambda: self._next >= self._end or self._next < self._position + window
            )
            if self._next >= self._end:
                return None
            self._next += 1
            return self._next - 1

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        with self._changed:
            self._end = 0
            self._changed.notify_all()
        hurried = kind is not None and not issubclass(kind, Exception)
        deadline = time.monotonic() + PATIENCE
        for thread in self._threads:
            thread.join(max(0.0, deadline - time.monotonic()) if hurried else None)
