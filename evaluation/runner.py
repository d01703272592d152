"""Evaluating a policy: episodes in, records and timings out, resumable at any moment."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import closing, contextmanager
from dataclasses import dataclass
from pathlib import Path

from evaluation.episode import EpisodeRunner, Finished, MakeEnv, MakePolicy
from evaluation.pool import WorkerError, WorkerPool
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

OnDialogue = Callable[[Record, Timing], None]
Progress = Callable[[int, int], None]


class EvaluationError(RuntimeError):
    """An episode that failed; the message names it, the cause says why."""


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
    resume: bool = False,
    progress: Progress | None = None,
    on_dialogue: Sequence[OnDialogue] = (),
) -> Evaluation:
    """Run a policy over episodes and write ``records.jsonl`` and ``timings.jsonl``.

    The records are byte for byte the same for any number of workers and however often the run was
    killed and resumed. Lines appear in the order of ``episodes``.

    Args:
        make_env: Builds the environment; called once in each process that runs episodes.
        make_policy: Builds the policy, likewise. With several workers both must be picklable:
            functions at module level, or ``functools.partial`` of them.
        episodes: Episode numbers, or how many (0, 1, ...).
        seed: Run seed, non-negative.
        run_dir: Directory of the two files; created if needed.
        split: Split of the goals.
        workers: Number of processes; 1 runs in this one.
        resume: Whether to continue an earlier run in ``run_dir``.
        progress: Called with (finished, total), first with what an earlier run had finished.
        on_dialogue: Called with record and timing of each newly finished episode, in order.

    Raises:
        RunDirError: The directory holds records and ``resume`` is false, or they are of another
            seed, split or order of episodes.
        RecordError: A file to resume from is corrupt.
        TypeError: The environment lacks what the policy needs, or a factory cannot be pickled.
        EvaluationError: An episode failed, or a worker could not start. Finished episodes are
            kept; resume continues after them.
    """
    numbers = list(range(episodes)) if isinstance(episodes, int) else list(episodes)
    _check_arguments(numbers, seed, workers)
    run_dir.mkdir(parents=True, exist_ok=True)
    records = _earlier(run_dir, resume)
    _check_prefix(run_dir, records, numbers, seed, split)
    timings = read_timings(run_dir)
    resumed = len(records)
    if progress is not None:
        progress(resumed, len(numbers))
    runner = EpisodeRunner(make_env, make_policy, seed, split)
    with RunFiles(run_dir) as files, _finished(runner, numbers[resumed:], workers) as finished:
        for record, timing in finished:
            files.append(record, timing)
            records.append(record)
            timings.append(timing)
            for callback in on_dialogue:
                callback(record, timing)
            if progress is not None:
                progress(len(records), len(numbers))
    return Evaluation(records, timings, resumed)


def _check_arguments(numbers: list[int], seed: int, workers: int) -> None:
    if seed < 0 or any(number < 0 for number in numbers):
        raise ValueError(f"seed and episode numbers must be at least 0 (seed is {seed})")
    if len(set(numbers)) < len(numbers):
        raise ValueError("an episode number is asked for twice; records are keyed by it")
    if workers < 1:
        raise ValueError(f"workers is {workers}; it must be at least 1")


def _earlier(run_dir: Path, resume: bool) -> list[Record]:
    """Finished episodes of an earlier run, its files made fit for appending."""
    there = [name for name in (RECORDS, TIMINGS) if (run_dir / name).exists()]
    if there and not resume:
        raise RunDirError(
            f"{run_dir} already holds {' and '.join(there)}; add resume=true to continue that "
            f"run, or give another run_dir"
        )
    return recover(run_dir)


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
    runner: EpisodeRunner, numbers: list[int], workers: int
) -> Iterator[Iterator[Finished]]:
    """Records and timings of episodes in order, from this process or from workers."""
    if not numbers:
        yield iter(())
    elif workers == 1:
        yield _in_process(runner, numbers)
    else:
        with WorkerPool(runner, min(workers, len(numbers))) as pool:
            yield _from_workers(pool, numbers, runner.split)


def _in_process(runner: EpisodeRunner, numbers: list[int]) -> Iterator[Finished]:
    with closing(runner()) as run:
        for number in numbers:
            try:
                finished = run(number)
            except Exception as error:
                message = f"{type(error).__name__}: {error}"
                raise EvaluationError(_failure(number, runner.split, message)) from error
            yield finished


def _from_workers(pool: WorkerPool[Finished], numbers: list[int], split: str) -> Iterator[Finished]:
    try:
        yield from pool.map(numbers)
    except WorkerError as error:
        raise EvaluationError(_failure(error.task, split, str(error))) from error


def _failure(episode: int, split: str, message: str) -> str:
    return (
        f"episode {episode} of split {split!r} failed: {message}. The episodes before it are "
        f"kept; resume=true continues with it"
    )
