"""Worker processes of this machine."""

from __future__ import annotations

import multiprocessing
import os
import signal
import threading
from collections.abc import Callable, Iterable, Mapping
from contextlib import suppress
from multiprocessing.connection import Connection, wait
from multiprocessing.process import BaseProcess
from typing import TypeVar

from evaluation.pool import Answering, Failure, Pool, WorkerError, pickled, received

T = TypeVar("T")


class ProcessPool(Pool[T]):
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
        super().__init__(workers)
        pickled(build, "workers > 1", "workers=1")
        context = multiprocessing.get_context("spawn")
        self._connections: list[Connection] = []
        self._processes: list[BaseProcess] = []
        for _ in range(workers):
            ours, theirs = context.Pipe()
            process = context.Process(target=_work, args=(build, theirs), daemon=True)
            process.start()
            theirs.close()  # so that the death of the worker ends the connection
            self._connections.append(ours)
            self._processes.append(process)

    def _send(self, worker: int, task: int) -> None:
        # A worker that died while idle is found out when its answer is received.
        with suppress(BrokenPipeError, ConnectionResetError):
            self._connections[worker].send(task)

    def _answers(self, busy: Mapping[int, int]) -> Iterable[tuple[int, T | WorkerError]]:
        ready = wait([self._connections[worker] for worker in busy])
        for worker, task in busy.items():
            if self._connections[worker] in ready:
                yield worker, self._receive(worker, task)

    def _receive(self, worker: int, task: int) -> T | WorkerError:
        try:
            answer: T | Failure = self._connections[worker].recv()
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
        return received(answer, task)

    def _end(self, hurried: bool) -> None:
        for connection, process in zip(self._connections, self._processes, strict=True):
            connection.close()
            if hurried:  # else it ends by itself, and tidies up what libraries hold
                process.terminate()
        for process in self._processes:
            process.join(timeout=5)
            if process.is_alive():
                process.kill()
                process.join()


def _work(build: Callable[[], Callable[[int], object]], parent: Connection) -> None:
    """Body of a worker: answer tasks until the connection ends."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C reaches the parent, which ends us
    threading.Thread(target=_end_with_parent, daemon=True).start()
    answering = Answering(build)
    while True:
        try:
            parent.send(answering(parent.recv()))
        except (EOFError, BrokenPipeError, ConnectionResetError):
            return


def _end_with_parent() -> None:
    parent = multiprocessing.parent_process()
    if parent is not None:
        parent.join()
        os._exit(1)
