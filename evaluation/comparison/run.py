"""One run as a comparison needs it: what each dialogue came to, without its texts and trees."""

from __future__ import annotations

import hashlib
import json
import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from evaluation.canonical import canonical_line
from evaluation.comparison.errors import ComparisonError
from evaluation.comparison.judged import JudgedRun, read_judged
from evaluation.comparison.learning import Curve, read_curves
from evaluation.comparison.prefixed import read_prefixed
from evaluation.comparison.settings import read_config
from evaluation.comparison.transcripts import Transcripts, pack_transcripts
from evaluation.failures import counted, is_failed
from evaluation.metrics import Tallies, tallies, turns_of
from evaluation.reading import is_dialogue
from evaluation.recommendation import succeeded
from evaluation.records import RECORDS, Record, RecordError, Timing, read_records, read_timings
from evaluation.summary import SUMMARY, Summary
from evaluation.tally import Tally

Place = tuple[int, str, int]
"""Seed, split and episode: what a dialogue is found by in another run."""
Episode = tuple[str, int]
"""Split and episode, a goal and a persona: what the dialogues of several seeds share."""
_WHO = ("persona", "goal", "targets")
"""What must agree besides: ``persona``, ``goal`` and ``targets``."""


class Dialogue(NamedTuple):
    """One dialogue, or episode of an environment without dialogues.

    Attributes:
        place: Seed, split, episode.
        who: Digests of persona, goal and targets.
        persona: Name, None where unknown.
        goal: Number of the goal in its split, None where unknown.
        outcome: How it ended; ``failed`` for want of a model.
        success: Whether a target was accepted; None where the environment does not say.
        turns: System turns.
        total: Undiscounted return.
        failed: Whether it counts nowhere.
    """

    place: Place
    who: tuple[str, ...]
    persona: str | None
    goal: int | None
    outcome: str
    success: bool | None
    turns: int
    total: float
    failed: bool

    @property
    def episode(self) -> Episode:
        """Its place without the seed."""
        return self.place[1:]


@dataclass(frozen=True)
class Run:
    """What a run directory holds.

    Attributes:
        path: The directory.
        name: Short name, see :func:`evaluation.comparison.finding.names_of`.
        config: Its settings.
        seed: The run's seed.
        dialogues: In order, failed ones included.
        tallies: Metrics over the dialogues that count, in the same order.
        prefixes: Decisions at prefixes, if the run scored such.
        judged: What a judge said, if the run was judged.
        transcripts: The texts, packed, if they were asked for.
        curves: Learning curves, if it kept some.
        notes: What a reader must know about it.
    """

    path: Path
    name: str
    config: Mapping[str, Any]
    seed: int
    dialogues: tuple[Dialogue, ...] = ()
    tallies: Tallies = field(default_factory=dict)
    prefixes: tuple[Record, ...] = ()
    judged: JudgedRun | None = None
    transcripts: Transcripts | None = None
    curves: tuple[Curve, ...] = ()
    notes: tuple[str, ...] = ()


def read_run(run_dir: Path, name: str, texts: bool = False) -> Run:
    """Read a run directory; nothing in it is changed.

    Args:
        run_dir: The directory.
        name: Short name for messages.
        texts: Whether transcripts and curves are wanted, for the page.

    Raises:
        ComparisonError: The configuration or the summary cannot be used.
        RecordError: A line of its files is corrupt.
    """
    config = read_config(run_dir)
    seed = config.get("seed")
    if not isinstance(seed, int) or isinstance(seed, bool):
        raise ComparisonError(
            f"{run_dir}: no whole number as seed in config.yaml, or in the first record; restore it"
        )
    summary = _summary(run_dir)
    try:
        prefixes = read_prefixed(run_dir)
        if prefixes:
            notes = _unfinished(name, len(prefixes), "prefixes", summary)
            return Run(run_dir, name, config, seed, prefixes=prefixes, notes=tuple(notes))
        records = read_records(run_dir)
        timings = read_timings(run_dir)[: len(records)]
        return Run(
            path=run_dir,
            name=name,
            config=config,
            seed=seed,
            dialogues=tuple(_dialogue(record) for record in records),
            tallies=_tallies(records, timings),
            judged=read_judged(run_dir, counted(records)),
            transcripts=pack_transcripts(records) if texts else None,
            curves=read_curves(run_dir) if texts else (),
            notes=tuple(_notes(run_dir, name, records, summary)),
        )
    except (
        KeyError, TypeError, ValueError, AttributeError, IndexError, ArithmeticError, RecursionError
    ) as error:  # fmt: skip
        if isinstance(error, RecordError | ComparisonError):
            raise
        raise RecordError(
            f"{run_dir / RECORDS} holds a record that is no complete dialogue "
            f"({type(error).__name__}: {' '.join(str(error).split())}); restore the file, or leave "
            f"the run out"
        ) from error


def _dialogue(record: Record) -> Dialogue:
    talk, failed = is_dialogue(record), is_failed(record)
    goal = record.get("goal_index")
    return Dialogue(
        place=(int(record["seed"]), str(record.get("split")), int(record["episode"])),
        who=tuple(_digest(record.get(key)) for key in _WHO),
        persona=None if record.get("persona") is None else str(record["persona"]),
        goal=None if goal is None else int(goal),
        outcome=str(record.get("outcome", "ended")),
        success=succeeded(record) if talk else record["success"],
        turns=turns_of(record),
        total=_finite(record["return"]),
        failed=failed,
    )


def _finite(number: Any) -> float:
    if not math.isfinite(number):
        raise ValueError(f"a return of {number}")
    return float(number)


def who_differs(one: Dialogue, other: Dialogue) -> list[str]:
    """Names of what differs between two dialogues at one place."""
    return [name for name, a, b in zip(_WHO, one.who, other.who, strict=True) if a != b]


def _digest(value: Any) -> str:
    return hashlib.sha256(canonical_line({"value": value})).hexdigest()[:16]


def _tallies(records: Sequence[Record], timings: Sequence[Timing]) -> Tallies:
    """Metrics of a run, and what models took where any was asked."""
    found = dict(tallies(records, timings)) if records else {}
    kept = [t for r, t in zip(records, timings, strict=True) if not is_failed(r)]
    if any(timing.get("calls") or timing.get("llm") for timing in kept):
        for key, name in (("calls", "calls"), ("tokens", "tokens"), ("cost", "cost")):
            found[f"llm_{name}_per_dialogue"] = Tally.mean_of(float(t[key]) for t in kept)
        if not found["llm_cost_per_dialogue"].numerator.any():
            del found["llm_cost_per_dialogue"]  # no price is known, which is not a price of 0
    for key, tally in found.items():
        if not (np.isfinite(tally.numerator).all() and np.isfinite(tally.denominator).all()):
            raise ValueError(f"numbers of {key} are out of range")
    return found


def _summary(run_dir: Path) -> Summary:
    """The summary, empty where there is none yet."""
    path = run_dir / SUMMARY
    if not path.exists():
        return {}
    try:
        summary = json.loads(path.read_text(encoding="utf-8"))
    except (ValueError, RecursionError) as error:
        raise ComparisonError(
            f"{path} is no JSON ({error}); make it anew by continuing the run with resume=true"
        ) from error
    return summary if isinstance(summary, dict) else {}


def _notes(run_dir: Path, name: str, records: list[Record], summary: Summary) -> Iterator[str]:
    path = run_dir / RECORDS
    if not records:
        yield f"{name} holds no finished dialogue yet and is left out."
        return
    yield from _unfinished(name, len(records), "dialogues", summary)
    if not path.read_bytes().endswith(b"\n"):
        yield f"{name}: a torn last line of {RECORDS} is left out."
    failed = len(records) - len(counted(records))
    if failed:
        yield f"{name}: {failed} of {len(records)} dialogues failed and count nowhere."


def _unfinished(name: str, count: int, what: str, summary: Summary) -> Iterator[str]:
    if summary.get("episodes") != count:
        yield f"{name} is unfinished: {count} {what} so far (resume=true continues it)."
