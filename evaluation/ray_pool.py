"""Workers on a Ray cluster: more dialogues than one machine should hold."""

from __future__ import annotations

import os
import pickle
from collections.abc import Callable, Iterable, Mapping
from contextlib import ExitStack, suppress
from typing import Any, TypeVar

from evaluation.pool import Answering, Failure, Pool, WorkerError, pickled, received
from evaluation.ray_cluster import Cluster, ClusterError, connected

T = TypeVar("T")
ATTEMPTS = 3
"""Workers that a task may cost: after that many deaths it is the task that kills them."""
PATIENCE = 10.0
"""Seconds after which, while no answer comes, the nodes are looked at."""


class _Actor:
    """What runs in a worker of the cluster.

    Args:
        build: The pickled builder of the function. It is unpickled with the first task, so that
            what fails in that is told as any error is.
        folder: Working directory of the run; relative paths hold where nodes have it, too.
    """

    def __init__(self, build: bytes, folder: str) -> None:
        self._answering: Answering[Any] = Answering(lambda: pickle.loads(build)())
        self._folder = folder

    def run(self, task: int) -> Any:
        """Result or failure of a task."""
        if os.getcwd() != self._folder:
            with suppress(OSError):
                os.chdir(self._folder)
        return self._answering(task)


class RayPool(Pool[T]):
    """Actors that each build a function once and then apply it to tasks.

    An actor that dies, alone or with its node, is replaced, and its task is done again: since a
    task's result is a function of its number, that changes no result.

    Args:
        build: Called once in each actor; returns the function to apply. Must be picklable, and
            importable on every node.
        workers: Number of actors, at least 1.
        cluster: Where they run.

    Raises:
        TypeError: ``build`` cannot be pickled.
        ClusterError: The cluster is not there, or has fewer processors than `workers` need; later,
            none of its nodes is alive any more.
    """

    def __init__(
        self, build: Callable[[], Callable[[int], T]], workers: int, cluster: Cluster
    ) -> None:
        super().__init__(workers)
        self._build = pickled(build, "runner=ray", "runner=local")
        self._deaths: dict[int, int] = {}
        self._running: dict[Any, int] = {}
        with ExitStack() as stack:
            self._ray: Any = stack.enter_context(connected(cluster, workers))
            found = float(self._ray.cluster_resources().get("CPU", 0.0))
            if workers * cluster.share > found:
                raise ClusterError(
                    f"workers={workers} need {workers * cluster.share:g} processors, the cluster "
                    f"has {found:g}; set fewer workers"
                )
            kind: Any = self._ray.remote(num_cpus=cluster.share, max_restarts=0)(_Actor)
            self._new: Callable[[], Any] = lambda: kind.remote(self._build, os.getcwd())
            self._actors = [self._new() for _ in range(workers)]
            self._stack = stack.pop_all()

    def _send(self, worker: int, task: int) -> None:
        self._running[self._actors[worker].run.remote(task)] = worker

    def _answers(self, busy: Mapping[int, int]) -> Iterable[tuple[int, T | WorkerError]]:
        ready: list[Any] = []
        while not ready:
            ready, _ = self._ray.wait(list(self._running), num_returns=1, timeout=PATIENCE)
            if not ready:
                self._check_nodes()
        for reference in ready:
            worker = self._running.pop(reference)
            task = busy[worker]
            try:
                answer: T | Failure = self._ray.get(reference)
            except self._ray.exceptions.RayError as death:
                lost = self._again(worker, task, death)
                if lost is not None:
                    yield worker, lost
                continue
            yield worker, received(answer, task)

    def _check_nodes(self) -> None:
        """Ray waits for nodes for ever, where the last one has died, too."""
        if not any(node["Alive"] for node in self._ray.nodes()):
            raise ClusterError(
                "no node of the cluster is alive any more; what is finished is kept: start the "
                "cluster again, and continue with resume=true"
            )

    def _again(self, worker: int, task: int, death: Exception) -> WorkerError | None:
        """Give the task of a dead actor to a new one; an error once that was done too often."""
        self._deaths[task] = self._deaths.get(task, 0) + 1
        if self._deaths[task] < ATTEMPTS:
            self._ray.kill(self._actors[worker])  # one that only cannot be reached may still live
            self._actors[worker] = self._new()
            self._send(worker, task)
            return None
        error = WorkerError(
            f"{ATTEMPTS} workers of the cluster died at it, one after the other, often for want of "
            f"memory ({type(death).__name__})",
            task,
        )
        error.__cause__ = death
        return error

    def _end(self, hurried: bool) -> None:
        for actor in self._actors:
            with suppress(Exception):  # what is gone already has ended, too
                self._ray.kill(actor)
        self._stack.close()
