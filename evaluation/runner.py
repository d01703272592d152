"""Evaluating a policy: episodes in, records and timings out, resumable at any moment."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, closing, contextmanager
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from evaluation.ahead import AHEAD_FILE, Ahead
from evaluation.episode import EpisodeRunner, Finished, MakeEnv, MakePolicy, Models, Session
from evaluation.failures import Outage, settled
from evaluation.pool import Pool, WorkerError
from evaluation.processes import ProcessPool
from evaluation.ray_cluster import Cluster
from evaluation.ray_pool import RayPool
from evaluation.records import (
    RECORDS,
    TIMINGS,
    Record,
    RunFiles,
    Timing,
    read_timings,
    recover,
)
from evaluation.run_dir import RunDirError
from evaluation.threads import Abandoned, ThreadPool, Wanted, always
from language.llm.errors import RunStopped

OnDialogue = Callable[[Record, Timing], None]
Progress = Callable[[int, int], None]


class EvaluationError(RuntimeError):
    """An episode that failed, or a model that is not there; the message says what and why."""


@dataclass(frozen=True, slots=True)
class Evaluation:
    """A finished evaluation.

    Attributes:
        records: One per episode, in the order asked for.
        timings: One per record.
        resumed: Number of episodes that an earlier, interrupted run had finished.
    """

    records: list[Record]
    timings: list[Timing]
    resumed: int


def evaluate(
    make_env: MakeEnv,
    make_policy: MakePolicy,
    *,
    episodes: int | Sequence[int],
    seed: int,
    run_dir: Path,
    split: str = "test",
    workers: int = 1,
    threads: int = 1,
    resume: bool = False,
    progress: Progress | None = None,
    on_dialogue: Sequence[OnDialogue] = (),
    release: Callable[[], None] | None = None,
    models: Models | None = None,
    cluster: Cluster | None = None,
) -> Evaluation:
    """Run a policy over episodes and write ``records.jsonl`` and ``timings.jsonl``.

    The records are byte for byte the same for any number of workers or threads, here or on a
    cluster, and however often the run was killed and resumed. Lines appear in the order of
    ``episodes``; what is finished before its turn is kept in ``ahead.jsonl`` until then
    (:mod:`evaluation.ahead`). A dialogue that cannot go on for want of a language model is recorded
    as failed (:mod:`evaluation.failures`).

    Args:
        make_env: Builds the environment; called once for each process or thread that runs
            episodes, in that process.
        make_policy: Builds the policy, likewise. With several workers both must be picklable:
            functions at module level, or ``functools.partial`` of them.
        episodes: Episode numbers, or how many (0, 1, ...).
        seed: Run seed, non-negative.
        run_dir: Directory of the two files; created if needed.
        split: Split of the goals.
        workers: Number of processes; 1 runs in this one.
        threads: Number of dialogues at a time in this process, for those that wait for a language
            model; with more than one, ``workers`` is 1.
        resume: Whether to continue an earlier run in ``run_dir``. What stands finished in it stays,
            except that dialogues at the end which no model could be reached for are held again.
        progress: Called with (finished, total), first with what an earlier run had finished.
        on_dialogue: Called with record and timing of each newly finished episode, in order.
        release: Called when the evaluation ends early, before threads are waited for: it should
            make those that wait for a model give up.
        models: See :class:`evaluation.episode.Session`.
        cluster: A Ray cluster that the ``workers`` run on, of this machine or of others; None for
            processes of this machine.

    Raises:
        ClusterError: The cluster is not there.
        RunDirError: The directory holds records and ``resume`` is false, or they are of another
            seed, split or order of episodes.
        RecordError: A file to resume from is corrupt.
        TypeError: The environment lacks what the policy needs, or a factory cannot be pickled.
        ValueError: A number is out of range, or there are several workers and several threads.
        EvaluationError: An episode raised, a worker could not start, or no model could be reached
            in three dialogues in a row. Finished episodes are kept; resume continues with the rest.
        RunStopped: A budget is spent, or a model cannot be used; likewise.
    """
    numbers = list(range(episodes)) if isinstance(episodes, int) else list(episodes)
    _check_arguments(numbers, seed, workers, threads)
    run_dir.mkdir(parents=True, exist_ok=True)
    records = _earlier(run_dir, resume)
    _check_prefix(run_dir, records, numbers, seed, split)
    timings = read_timings(run_dir)
    resumed = len(records)
    if progress is not None:
        progress(resumed, len(numbers))
    runner, outage = EpisodeRunner(make_env, make_policy, seed, split, models or {}), Outage()
    ahead, left = Ahead(run_dir, seed, split), numbers[resumed:]
    running = _finished(runner, [n for n in left if n not in ahead], workers, threads, cluster)
    with closing(ahead), RunFiles(run_dir) as files, running as finished:
        try:
            for record, timing in ahead.in_order(left, finished):
                files.append(record, timing)
                records.append(record)
                timings.append(timing)
                for callback in on_dialogue:
                    callback(record, timing)
                if progress is not None:
                    progress(len(records), len(numbers))
                if problem := outage.met(record, timing):
                    raise EvaluationError(problem)
        except BaseException:
            if release is not None:
                release()
            raise
    ahead.remove()
    return Evaluation(records, timings, resumed)


def _check_arguments(numbers: list[int], seed: int, workers: int, threads: int) -> None:
    if seed < 0 or any(number < 0 for number in numbers):
        raise ValueError(f"seed and episode numbers must be at least 0 (seed is {seed})")
    if len(set(numbers)) < len(numbers):
        raise ValueError("an episode number is asked for twice; records are keyed by it")
    if workers < 1:
        raise ValueError(f"workers is {workers}; it must be at least 1")
    if threads < 1:
        raise ValueError(f"threads is {threads}; it must be at least 1")
    if workers > 1 and threads > 1:
        raise ValueError(
            f"workers is {workers} and threads is {threads}; one of them must be 1 (processes for "
            f"computing, threads for waiting)"
        )


def _earlier(run_dir: Path, resume: bool) -> list[Record]:
    """Finished episodes of an earlier run, its files made fit for appending."""
    there = [name for name in (RECORDS, TIMINGS, AHEAD_FILE) if (run_dir / name).exists()]
    if there and not resume:
        raise RunDirError(
            f"{run_dir} already holds {' and '.join(there)}; add resume=true to continue that "
            f"run, or give another run_dir"
        )
    return recover(run_dir, settled)


def _check_prefix(
    run_dir: Path, records: list[Record], numbers: list[int], seed: int, split: str
) -> None:
    """Check that the finished episodes are the first ones of those asked for."""
    if len(records) > len(numbers):
        raise RunDirError(
            f"{run_dir} holds {len(records)} episodes, {len(numbers)} are asked for; ask for at "
            f"least as many, or give another run_dir"
        )
    for line, (record, number) in enumerate(zip(records, numbers, strict=False), start=1):
        # Environments without records of their own know no splits.
        found = record["episode"], record["seed"], record.get("split", split)
        if found != (number, seed, split):
            raise RunDirError(
                f"{run_dir / RECORDS}, line {line}: episode {found[0]} of seed {found[1]}, split "
                f"{found[2]!r}, where episode {number} of seed {seed}, split {split!r} is asked "
                f"for; resume with the settings of the run, or give another run_dir"
            )


@contextmanager
def _finished(
    runner: EpisodeRunner,
    numbers: list[int],
    workers: int,
    threads: int,
    cluster: Cluster | None,
) -> Iterator[Iterator[Finished]]:
    """Records and timings of episodes as they are finished, in this process or in workers."""
    workers, threads = min(workers, len(numbers)), min(threads, len(numbers))
    if not numbers:
        yield iter(())
    elif cluster is not None:
        with RayPool(runner, workers, cluster) as pool:
            yield _from_workers(pool, numbers, runner.split)
    elif workers > 1:
        with ProcessPool(runner, workers) as pool:
            yield _from_workers(pool, numbers, runner.split)
    elif threads > 1:
        with _sessions(runner, threads) as sessions:
            functions = [partial(_run, session) for session in sessions]
            with ThreadPool(functions) as team:
                yield team.completed(numbers)
    else:
        with _sessions(runner, 1) as sessions:
            yield (_run(sessions[0], number) for number in numbers)


@contextmanager
def _sessions(runner: EpisodeRunner, count: int) -> Iterator[list[Session]]:
    """Sessions built one after the other, so that they share what building caches."""
    with ExitStack() as stack:
        yield [stack.enter_context(closing(runner())) for _ in range(count)]


def _run(session: Session, number: int, wanted: Wanted = always) -> Finished:
    try:
        return session(number, wanted)
    except (RunStopped, Abandoned):
        raise
    except Exception as error:
        message = f"{type(error).__name__}: {error}"
        raise EvaluationError(_failure(number, session.split, message)) from error


def _from_workers(pool: Pool[Finished], numbers: list[int], split: str) -> Iterator[Finished]:
    try:
        yield from pool.completed(numbers)
    except WorkerError as error:
        if error.stopped:
            raise RunStopped(str(error)) from error
        raise EvaluationError(_failure(error.task, split, str(error))) from error


def _failure(episode: int, split: str, message: str) -> str:
    return (
        f"episode {episode} of split {split!r} failed: {message}. What is finished is kept; "
        f"resume=true continues with it"
    )
