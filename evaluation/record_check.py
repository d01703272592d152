"""Records of an interrupted run, checked before anything is computed from them or added to them."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from evaluation.ahead import AHEAD_FILE
from evaluation.canonical import canonical_line
from evaluation.curves import EpisodeCurves, dialogue_text
from evaluation.failures import failure_counts, is_failed, is_unreached
from evaluation.groups import by_goal, by_persona
from evaluation.metrics import tallies
from evaluation.model_usage import usage_summary
from evaluation.reading import is_dialogue
from evaluation.records import (
    RECORDS,
    TIMINGS,
    Record,
    RecordError,
    Timing,
    complete_lines,
    read_records,
    read_timings,
)

_REMEDY = "restore the file, or cut it before line {} and resume"
_COUNTS = ("calls", "tokens", "retries", "cost")

_DAMAGE = (
    KeyError, TypeError, ValueError, AttributeError, IndexError, ArithmeticError, RecursionError
)  # fmt: skip
"""What computing raises where a value is missing, or of another kind."""


def checked_records(run_dir: Path) -> list[Record]:
    """The finished episodes of a run, each fit for everything that is computed from it.

    Raises:
        RecordError: A line, which the message names, is damaged.
    """
    records, timings = read_records(run_dir), read_timings(run_dir)
    for number, timing in enumerate(timings, start=1):
        if problem := next(_wrong_in_timing(timing), None):
            raise _damaged(run_dir / TIMINGS, number, problem)
    try:
        _compute(records, timings)
    except _DAMAGE as error:
        for number, pair in enumerate(zip(records, timings, strict=True), start=1):
            _check_line(run_dir / RECORDS, number, *pair)
        raise RecordError(f"{run_dir / RECORDS}: {_told(error)}; restore the file") from error
    path = run_dir / AHEAD_FILE
    for number, (line, _) in enumerate(complete_lines(path, ("record", "timing")), start=1):
        _check_ahead(path, number, line)
    return records


def _check_ahead(path: Path, number: int, line: Mapping[str, Any]) -> None:
    for key in ("record", "timing"):
        if not isinstance(line[key], dict):
            raise _damaged(path, number, f"{key!r} is no object")
    if problem := next(_wrong_in_timing(line["timing"]), None):
        raise _damaged(path, number, problem)
    _check_line(path, number, line["record"], line["timing"])


def _check_line(path: Path, number: int, record: Record, timing: Timing) -> None:
    try:
        _compute([record], [timing])
    except _DAMAGE as error:
        raise _damaged(path, number, _told(error)) from error


def _compute(records: Sequence[Record], timings: Sequence[Timing]) -> None:
    """Compute what a run does with its records, and raise what that raises."""
    curves = EpisodeCurves()
    for record in records:
        canonical_line(record)
        if not isinstance(record["seed"], int):
            raise TypeError(f"a seed of {record['seed']!r}")
        is_unreached(record)
        scalars = curves.add(record)
        if not _is_number(record["return"]) or not all(map(math.isfinite, scalars.values())):
            raise ValueError("a number is out of range")
        if is_dialogue(record):
            dialogue_text(record)
            if not is_failed(record) and not isinstance(record["goal"], dict):
                raise TypeError(f"a goal of {record['goal']!r}")
    for key, tally in tallies(records, timings).items():
        if not (np.isfinite(tally.numerator).all() and np.isfinite(tally.denominator).all()):
            raise ValueError(f"numbers of {key} are out of range")
    failure_counts(records)
    talks = [record for record in records if is_dialogue(record) and not is_failed(record)]
    by_persona(talks)
    by_goal(talks)
    usage_summary(records, timings)


def _wrong_in_timing(timing: Mapping[str, Any]) -> Iterator[str]:
    for key in ("seconds_policy", "seconds_environment"):
        if not _is_number(timing.get(key)):
            yield f"{key!r} must be a number, not {timing.get(key)!r:.40}"
    for key in _COUNTS:
        if key in timing and not _is_number(timing[key]):
            yield f"{key!r} must be a number, not {timing[key]!r:.40}"
    if not isinstance(timing.get("seconds_turns"), list):
        yield "'seconds_turns' must be a list"
    if not isinstance(timing.get("failure_message"), str | None):
        yield "'failure_message' must be a text"
    roles = timing.get("llm", {})
    if not isinstance(roles, dict) or not all(map(_is_account, roles.values())):
        yield "'llm' must hold counts by role"


def _is_account(counts: Any) -> bool:
    """Whether something counts what a role did: numbers, and those of its faults by kind."""
    if not isinstance(counts, dict) or not isinstance(counts.get("faults", {}), dict):
        return False
    numbers = [value for key, value in counts.items() if key != "faults"]
    return all(map(_is_number, [*numbers, *counts.get("faults", {}).values()]))


def _is_number(value: Any) -> bool:
    if not isinstance(value, int | float) or isinstance(value, bool):
        return False
    try:
        return math.isfinite(value)
    except OverflowError:
        return False


def _told(error: Exception) -> str:
    text = " ".join(str(error).split())
    if isinstance(error, RecordError):
        return text
    return f"no complete dialogue ({type(error).__name__}: {text:.200})"


def _damaged(path: Path, number: int, problem: str) -> RecordError:
    return RecordError(f"{path}, line {number}: {problem}; {_REMEDY.format(number)}")
