"""What judges found in a run: ``judgements.jsonl`` beside the records, and the rates in summary.

A line is one dialogue: its judgement, who made it (``judge``, ``prompt``), of which transcript (a
digest), and what the model was asked for it (``llm``). While a model judges, lines come into
``judgements.part.jsonl`` one by one; when all are there, they replace ``judgements.jsonl``.
"""

from __future__ import annotations

import hashlib
import json
import threading
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from evaluation.canonical import canonical_line
from evaluation.judge import Judgement, TurnLabel, write_judgement
from evaluation.records import SCHEMA, LineWriter, Record, RecordError, complete_lines, cut_off
from evaluation.run_dir import write_whole
from evaluation.statistics import bootstrap_interval
from evaluation.summary import JUDGE_KEYS, SUMMARY, Summary, read_summary
from evaluation.tally import Tally
from evaluation.transcript import lines_of

JUDGEMENTS = "judgements.jsonl"
PART = "judgements.part.jsonl"
PREFIX = JUDGE_KEYS
"""With which a judge's keys of ``summary.json`` begin."""

_KEYS = ("turns", "fge2", "pe2")


class Judged(NamedTuple):
    """A judgement and what it took.

    Attributes:
        judgement: The labels.
        llm: Counts of the role ``judge`` (:class:`language.llm.usage.RoleUsage`); empty where no
            model was asked.
    """

    judgement: Judgement
    llm: Mapping[str, Any]


class Judging:
    """Judgements of one judge in the making; what an earlier start has made need not be made again.

    Args:
        run_dir: The run.
        judge: The judge's name: ``embedded`` or the model's.
        prompt: Name and version of the prompt, or "" for the embedded judge, whose judgements are
            always made anew: they cost nothing.

    Raises:
        RecordError: A line of an earlier start is corrupt; a torn last one is dropped.
    """

    def __init__(self, run_dir: Path, judge: str, prompt: str) -> None:
        self._run_dir = run_dir
        self._head = {"schema": SCHEMA, "judge": judge, "prompt": prompt or None}
        self._lock = threading.Lock()
        self._writer: LineWriter | None = None
        self._lines: dict[int, dict[str, Any]] = {}
        self._others: list[dict[str, Any]] = []
        if not prompt:
            return
        part = complete_lines(run_dir / PART, _KEYS)
        cut_off(run_dir / PART, part[-1][1] if part else 0)
        whole = [line for line, _ in complete_lines(run_dir / JUDGEMENTS, _KEYS)]
        for line in [*whole, *(line for line, _ in part)]:
            if all(line.get(key) == value for key, value in self._head.items()):
                self._lines[line["episode"]] = line
        self._others = [line for line, _ in part if line.get("judge") != judge]

    def find(self, record: Record) -> Judged | None:
        """The judgement of a dialogue, if its transcript was judged already."""
        line = self._lines.get(record["episode"])
        if line is None or line.get("transcript") != _digest(record):
            return None
        try:
            return Judged(judgement_of(line), line.get("llm", {}))
        except (KeyError, TypeError) as error:
            raise RecordError(
                f"{self._run_dir}: the kept judgement of episode {record['episode']} is none "
                f"({error}); remove {JUDGEMENTS} and {PART} to judge the run anew"
            ) from error

    def add(self, record: Record, judged: Judged) -> None:
        """Keep a judgement; that of a model is on disk when this returns. Safe between threads."""
        line = {
            **self._head,
            "episode": record["episode"],
            "transcript": _digest(record),
            **write_judgement(judged.judgement),
            **({"llm": dict(judged.llm)} if judged.llm else {}),
        }
        with self._lock:
            self._lines[record["episode"]] = line
            if self._head["prompt"] is not None:
                self._writer = self._writer or LineWriter(self._run_dir / PART)
                self._writer.append(line)

    def counts(self) -> list[Mapping[str, Any]]:
        """What the model was asked for each judgement that an earlier start made or this one."""
        with self._lock:
            return [line.get("llm", {}) for line in self._lines.values()]

    def finish(self, records: Sequence[Record]) -> None:
        """Replace ``judgements.jsonl`` by the judgements of these dialogues, whole or not at all.

        What another judge has begun is left for it to continue.
        """
        self.close()
        lines = [canonical_line(self._lines[record["episode"]]) for record in records]
        write_whole(self._run_dir / JUDGEMENTS, b"".join(lines).decode("utf-8"))
        if self._others:
            rest = b"".join(canonical_line(line) for line in self._others)
            write_whole(self._run_dir / PART, rest.decode("utf-8"))
        elif self._head["prompt"] is not None:
            (self._run_dir / PART).unlink(missing_ok=True)

    def close(self) -> None:
        """Close the file."""
        if self._writer is not None:
            self._writer.close()


def judged_rates(found: Sequence[Judgement]) -> Summary:
    """``judge_cge2`` pooled over turns (dreams Eq. 20), ``judge_fge2`` and ``judge_pe2`` (Eq. 10).

    Each with its bootstrap interval as ``<key>_ci``; null where nothing counts.
    """
    tallies = {
        "cge2": Tally.of(judgement.cge2_counts() for judgement in found),
        "fge2": Tally.mean_of(judgement.fge2 for judgement in found),
        "pe2": Tally.mean_of(judgement.pe2 for judgement in found),
    }
    rates: Summary = {}
    for name, tally in tallies.items():
        interval = bootstrap_interval(tally)
        rates[PREFIX + name] = tally.value
        rates[f"{PREFIX}{name}_ci"] = None if interval is None else list(interval)
    return rates


def judgement_of(line: Mapping[str, Any]) -> Judgement:
    """The judgement in a line of the file.

    Raises:
        KeyError: The line lacks something.
        TypeError: It holds something else.
    """
    turns = tuple(TurnLabel(t["intent"], t["retrieval"]) for t in line["turns"])
    flags = [line["fge2"], line["pe2"], *(label.retrieval for label in turns)]
    if not all(isinstance(flag, bool) for flag in flags):
        raise TypeError("retrieval, fge2 and pe2 must be true or false")
    if not all(isinstance(label.intent, str) for label in turns):
        raise TypeError("an intent must be a name")
    return Judgement(turns, line["fge2"], line["pe2"])


def _digest(record: Record) -> str:
    """What tells a transcript from another one of the same episode."""
    lines = canonical_line({"lines": lines_of(record)})
    return hashlib.sha256(lines).hexdigest()[:16]


def add_to_summary(run_dir: Path, values: Summary) -> Summary:
    """Put a judge's values into ``summary.json`` in place of an earlier judge's.

    Raises:
        FileNotFoundError: The run has no summary yet; the message says how to finish it.
    """
    kept: dict[str, Any] = {
        key: value for key, value in read_summary(run_dir).items() if not key.startswith(PREFIX)
    }
    summary = kept | values
    text = json.dumps(summary, indent=1, ensure_ascii=True, allow_nan=False)
    write_whole(run_dir / SUMMARY, text + "\n")
    return summary
