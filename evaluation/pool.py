"""Worker processes that compute numbered tasks; results come back as they are finished."""

from __future__ import annotations

import multiprocessing
import os
import pickle
import signal
import threading
import traceback
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from multiprocessing.connection import Connection, wait
from multiprocessing.process import BaseProcess
from types import TracebackType
from typing import Generic, Self, TypeVar

from language.llm.errors import RunStopped

T = TypeVar("T")
AHEAD = 4
"""Tasks per worker that may be finished or running beyond the first unfinished one."""


class WorkerError(RuntimeError):
    """A task failed in a worker process; its cause holds the worker's traceback.

    Attributes:
        task: The task that failed.
        stopped: Whether it raised RunStopped; the message is that error's alone then.
    """

    def __init__(self, message: str, task: int, stopped: bool = False) -> None:
        super().__init__(message)
        self.task = task
        self.stopped = stopped


@dataclass(frozen=True, slots=True)
class _Failure:
    """What a worker sends instead of a result; texts only, so that it always arrives."""

    summary: str
    trace: str
    stopped: bool


class WorkerPool(Generic[T]):
    """Processes that each build a function once and then apply it to tasks.

    Processes are started afresh ("spawn"), so threads and locks of the parent do no harm. A
    worker ends when its parent does, even if the parent is killed.

    Args:
        build: Called once in each worker; returns the function to apply. Must be picklable.
        workers: Number of processes, at least 1.

    Raises:
        TypeError: ``build`` cannot be pickled.
    """

    def __init__(self, build: Callable[[], Callable[[int], T]], workers: int) -> None:
        try:
            pickle.dumps(build)
        except (pickle.PicklingError, AttributeError, TypeError) as error:
            raise TypeError(
                f"workers > 1 needs factories that can be pickled ({error}); use functions at "
                f"module level or functools.partial of them, or set workers=1"
            ) from error
        context = multiprocessing.get_context("spawn")
        self._processes: dict[Connection, BaseProcess] = {}
        for _ in range(workers):
            ours, theirs = context.Pipe()
            process = context.Process(target=_work, args=(build, theirs), daemon=True)
            process.start()
            theirs.close()  # so that the death of the worker ends the connection
            self._processes[ours] = process

    def completed(self, tasks: Sequence[int]) -> Iterator[T]:
        """Apply the function to tasks; yields results as they are finished.

        Raises:
            WorkerError: A task raised, its worker could not be built, or its worker died. The
                results of all tasks before it have been yielded.
        """
        idle = list(self._processes)
        busy: dict[Connection, int] = {}
        failed: dict[int, WorkerError] = {}
        finished: set[int] = set()
        window = AHEAD * len(self._processes)
        first, submitted, end = 0, 0, len(tasks)
        while first < len(tasks):
            if first in failed:
                raise failed[first]
            while idle and submitted < min(end, first + window):
                worker = idle.pop(0)
                busy[worker] = submitted
                self._send(worker, tasks[submitted])
                submitted += 1
            for worker in [w for w in wait(list(busy)) if isinstance(w, Connection)]:
                number = busy.pop(worker)
                answer = self._receive(worker, tasks[number])
                if isinstance(answer, WorkerError):
                    failed[number] = answer
                    end = submitted  # nothing after a failure is begun
                else:
                    idle.append(worker)
                    finished.add(number)
                    yield answer
            while first in finished:
                first += 1

    def _send(self, worker: Connection, task: int) -> None:
        # A worker that died while idle is found out when its answer is received.
        with suppress(BrokenPipeError, ConnectionResetError):
            worker.send(task)

    def _receive(self, worker: Connection, task: int) -> T | WorkerError:
        try:
            answer: T | _Failure = worker.recv()
        except (EOFError, ConnectionResetError) as death:
            process = self._processes[worker]
            process.join(timeout=5)
            error = WorkerError(
                f"the worker process died (exit code {process.exitcode}; -9 means that it was "
                f"killed, often for want of memory)",
                task,
            )
            error.__cause__ = death
            return error
        if isinstance(answer, _Failure):
            error = WorkerError(answer.summary, task, answer.stopped)
            error.__cause__ = RuntimeError("in the worker process:\n" + answer.trace)
            return error
        return answer

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        for worker, process in self._processes.items():
            worker.close()
            if kind is not None:  # else it ends by itself, and tidies up what libraries hold
                process.terminate()
        for process in self._processes.values():
            process.join(timeout=5)
            if process.is_alive():
                process.kill()
                process.join()


def _work(build: Callable[[], Callable[[int], object]], parent: Connection) -> None:
    """Body of a worker: build once, then answer tasks until the connection ends."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C reaches the parent, which ends us
    threading.Thread(target=_end_with_parent, daemon=True).start()
    function: Callable[[int], object] | None = None
    while True:
        try:
            task = parent.recv()
        except (EOFError, ConnectionResetError):
            return
        try:
            if function is None:
                function = build()
            answer = function(task)
        except Exception as error:
            text = "".join(traceback.format_exception(error))
            stopped = isinstance(error, RunStopped)
            summary = str(error) if stopped else f"{type(error).__name__}: {error}"
            answer = _Failure(summary, text, stopped)
        try:
            parent.send(answer)
        except (BrokenPipeError, ConnectionResetError):
            return


def _end_with_parent() -> None:
    parent = multiprocessing.parent_process()
    if parent is not None:
        parent.join()
        os._exit(1)
