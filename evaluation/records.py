"""The two files of a run: ``records.jsonl`` (what the seed determines) and ``timings.jsonl``.

A finished dialogue is one line in each, appended, flushed and synced as it ends. The timing goes
first: whatever the moment a run is killed at, every record has its timing, and what is left over
is cut off when the run resumes.
"""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from types import TracebackType
from typing import Any, Self

from evaluation.canonical import canonical_line

Record = dict[str, Any]
"""One line of ``records.jsonl``: a dialogue, or an episode of an environment without records."""

Timing = dict[str, Any]
"""One line of ``timings.jsonl``: seconds, calls, tokens, retries and cost of one episode."""

SCHEMA = 1
RECORDS = "records.jsonl"
TIMINGS = "timings.jsonl"
RECORD_KEYS = ("seed", "success", "return")
"""What every record has besides schema and episode, dialogues and others alike."""
TIMING_KEYS = ("seconds_policy", "seconds_environment", "seconds_turns")
"""What every timing has that is read again."""


class RecordError(ValueError):
    """A run's file that cannot be used; the message names file, line and remedy."""


class LineWriter:
    """Appends lines to a file; a line is on disk when :meth:`append` returns."""

    def __init__(self, path: Path) -> None:
        new = not path.exists()
        self.path = path
        self._file = path.open("ab")
        if new:
            _sync_folder(path.parent)

    def append(self, value: Mapping[str, Any]) -> None:
        """Write one mapping as a canonical line.

        Raises:
            NotJSONError: The mapping holds something JSON lacks; nothing was written.
            OSError: The disk is full or the file is gone.
        """
        self._file.write(canonical_line(dict(value)))
        self._file.flush()
        os.fsync(self._file.fileno())

    def close(self) -> None:
        """Close the file."""
        self._file.close()


class RunFiles:
    """Both files of a run directory, open for appending.

    Args:
        run_dir: An existing directory.
    """

    def __init__(self, run_dir: Path) -> None:
        self._records = LineWriter(run_dir / RECORDS)
        self._timings = LineWriter(run_dir / TIMINGS)

    def append(self, record: Record, timing: Timing) -> None:
        """Write one finished episode; the timing first (see the module)."""
        self._timings.append(timing)
        self._records.append(record)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        self._records.close()
        self._timings.close()


def read_records(run_dir: Path) -> list[Record]:
    """The finished episodes of a run in order; a torn last line is left out, the file untouched.

    Returns:
        An empty list when the file is not there yet.

    Raises:
        RecordError: A line is corrupt or of an unknown schema.
    """
    return [record for record, _ in complete_lines(run_dir / RECORDS, RECORD_KEYS)]


def read_timings(run_dir: Path) -> list[Timing]:
    """The timings of a run, one for each record of :func:`read_records`.

    Raises:
        RecordError: A line is corrupt, or a record has no timing.
    """
    records = read_records(run_dir)
    timings = [timing for timing, _ in complete_lines(run_dir / TIMINGS, TIMING_KEYS)]
    _check_pairs(run_dir, records, timings)
    return timings[: len(records)]


def recover(run_dir: Path, settled: Callable[[Sequence[Record]], int] = len) -> list[Record]:
    """Make the files of a killed run fit for appending and return the finished episodes.

    Torn last lines are cut off, and so is a timing whose record was not written any more.

    Args:
        run_dir: The run.
        settled: How many of the episodes stay; the rest is cut off and held again.

    Raises:
        RecordError: A line is corrupt, of an unknown schema, or a record has no timing.
    """
    records = complete_lines(run_dir / RECORDS, RECORD_KEYS)
    timings = complete_lines(run_dir / TIMINGS, TIMING_KEYS)
    _check_pairs(run_dir, [r for r, _ in records], [t for t, _ in timings])
    records = records[: settled([record for record, _ in records])]
    cut_off(run_dir / RECORDS, records[-1][1] if records else 0)
    cut_off(run_dir / TIMINGS, timings[len(records) - 1][1] if records else 0)
    return [record for record, _ in records]


def complete_lines(path: Path, keys: Sequence[str]) -> list[tuple[dict[str, Any], int]]:
    """The complete lines of a file, each with the offset of its end in bytes.

    Raises:
        RecordError: A line is corrupt, of an unknown schema, or lacks one of the keys.
    """
    if not path.exists():
        return []
    found: list[tuple[dict[str, Any], int]] = []
    end = 0
    lines = path.read_bytes().split(b"\n")
    for number, line in enumerate(lines[:-1], start=1):
        end += len(line) + 1
        found.append((_parse(line, path, number, keys), end))
    return found


def _parse(line: bytes, path: Path, number: int, keys: Sequence[str]) -> dict[str, Any]:
    try:
        value = json.loads(line.decode("utf-8"), parse_constant=_no_constant)
    except (ValueError, RecursionError) as error:
        raise RecordError(
            f"{path}, line {number}: not a line of JSON ({error}). Only a torn last line is "
            f"expected after a crash; restore the file, or cut it before line {number} and resume"
        ) from error
    if not isinstance(value, dict):
        raise RecordError(f"{path}, line {number}: a JSON object is expected, not {value!r:.60}")
    schema = value.get("schema")
    if schema != SCHEMA or isinstance(schema, bool):
        raise RecordError(
            f"{path}, line {number}: schema {schema!r} is unknown, this version reads {SCHEMA}; "
            f"use the version that wrote the file, or run into a new directory"
        )
    episode = value.get("episode")
    if not isinstance(episode, int) or isinstance(episode, bool) or episode < 0:
        raise RecordError(
            f"{path}, line {number}: 'episode' must be a whole number of at least 0, not "
            f"{episode!r}; restore the file, or cut it before line {number} and resume"
        )
    missing = [key for key in keys if key not in value]
    if missing:
        raise RecordError(
            f"{path}, line {number}: {', '.join(map(repr, missing))} is missing; restore the file, "
            f"or cut it before line {number} and resume"
        )
    return value


def _no_constant(name: str) -> float:
    """Refuse NaN and Infinity, which Python reads, writers of records refuse, and JSON lacks."""
    raise ValueError(f"{name} is no number of JSON")


def _check_pairs(run_dir: Path, records: list[Record], timings: list[Timing]) -> None:
    for number, record in enumerate(records, start=1):
        episode = timings[number - 1]["episode"] if number <= len(timings) else None
        if episode != record["episode"]:
            raise RecordError(
                f"{run_dir / TIMINGS}, line {number}: episode {record['episode']} of {RECORDS} is "
                f"expected, found {'nothing' if episode is None else episode}; restore the file, "
                f"or cut both files before line {number} and resume"
            )


def cut_off(path: Path, size: int) -> None:
    """Shorten a file that is longer to a size in bytes, on disk when this returns."""
    if path.exists() and path.stat().st_size > size:
        with path.open("r+b") as file:
            file.truncate(size)
            os.fsync(file.fileno())


def _sync_folder(folder: Path) -> None:
    """Make a new file's name durable, where the system lets a folder be opened."""
    if os.name != "posix":
        return
    handle = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)
