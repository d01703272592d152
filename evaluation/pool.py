"""Pools of workers that compute numbered tasks: in what order, and how errors come back.

What a worker is, a process of this machine or an actor of a Ray cluster, subclasses say.
"""

from __future__ import annotations

import pickle
import traceback
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from types import TracebackType
from typing import Generic, Self, TypeVar

from language.llm.errors import RunStopped

T = TypeVar("T")
AHEAD = 4
"""Tasks per worker that may be finished or running beyond the first unfinished one."""


class WorkerError(RuntimeError):
    """A task failed in a worker; its cause holds the worker's traceback.

    Attributes:
        task: The task that failed.
        stopped: Whether it raised RunStopped; the message is that error's alone then.
    """

    def __init__(self, message: str, task: int, stopped: bool = False) -> None:
        super().__init__(message)
        self.task = task
        self.stopped = stopped


@dataclass(frozen=True, slots=True)
class Failure:
    """What a worker sends instead of a result; texts only, so that it always arrives."""

    summary: str
    trace: str
    stopped: bool


class Pool(ABC, Generic[T]):
    """Workers, numbered from 0, that each apply a function to tasks.

    Leaving its block ends the workers.

    Args:
        size: Number of workers, at least 1.
    """

    def __init__(self, size: int) -> None:
        self._size = size

    def completed(self, tasks: Sequence[int]) -> Iterator[T]:
        """Apply the function to tasks; yields results as they are finished.

        Raises:
            WorkerError: A task raised, its worker could not be built, or its worker died. The
                results of all tasks before it have been yielded.
        """
        idle = list(range(self._size))
        busy: dict[int, int] = {}
        failed: dict[int, WorkerError] = {}
        finished: set[int] = set()
        window = AHEAD * self._size
        first, submitted, end = 0, 0, len(tasks)
        while first < len(tasks):
            if first in failed:
                raise failed[first]
            while idle and submitted < min(end, first + window):
                worker = idle.pop(0)
                busy[worker] = submitted
                self._send(worker, tasks[submitted])
                submitted += 1
            for worker, answer in self._answers({w: tasks[n] for w, n in busy.items()}):
                number = busy.pop(worker)
                if isinstance(answer, WorkerError):
                    failed[number] = answer
                    end = submitted  # nothing after a failure is begun
                else:
                    idle.append(worker)
                    finished.add(number)
                    yield answer
            while first in finished:
                first += 1

    @abstractmethod
    def _send(self, worker: int, task: int) -> None:
        """Give a task to a worker that has none."""

    @abstractmethod
    def _answers(self, busy: Mapping[int, int]) -> Iterable[tuple[int, T | WorkerError]]:
        """Wait for workers, given with their tasks, and return those that are done meanwhile."""

    @abstractmethod
    def _end(self, hurried: bool) -> None:
        """End all workers; `hurried` after an error."""

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._end(hurried=kind is not None)


class Answering(Generic[T]):
    """A worker's side: answers tasks with results, or with what was raised in words.

    Args:
        build: Returns the function to apply; called when the first task comes, so that an error of
            building is that task's.
    """

    def __init__(self, build: Callable[[], Callable[[int], T]]) -> None:
        self._build = build
        self._function: Callable[[int], T] | None = None

    def __call__(self, task: int) -> T | Failure:
        """The result of a task, or why there is none."""
        try:
            if self._function is None:
                self._function = self._build()
            return self._function(task)
        except Exception as error:
            text = "".join(traceback.format_exception(error))
            stopped = isinstance(error, RunStopped)
            summary = str(error) if stopped else f"{type(error).__name__}: {error}"
            return Failure(summary, text, stopped)


def received(answer: T | Failure, task: int) -> T | WorkerError:
    """What came from a worker, with its words as an error again."""
    if not isinstance(answer, Failure):
        return answer
    error = WorkerError(answer.summary, task, answer.stopped)
    error.__cause__ = RuntimeError("in the worker:\n" + answer.trace)
    return error


def pickled(build: Callable[[], object], setting: str, instead: str) -> bytes:
    """What workers elsewhere are given to build their function with.

    Args:
        build: To be pickled.
        setting: The setting that needs it.
        instead: The setting that does not.

    Raises:
        TypeError: It cannot be pickled.
    """
    try:
        return pickle.dumps(build)
    except (pickle.PicklingError, AttributeError, TypeError) as error:
        raise TypeError(
            f"{setting} needs factories that can be pickled ({error}); use functions at module "
            f"level or functools.partial of them, or set {instead}"
        ) from error
