"""What judges found in a run: ``judgements.jsonl`` beside the records, and the rates in summary."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from evaluation.canonical import canonical_line
from evaluation.judge import Judgement, TurnLabel, write_judgement
from evaluation.records import SCHEMA, Record, RecordError
from evaluation.run_dir import write_whole
from evaluation.statistics import bootstrap_interval
from evaluation.summary import SUMMARY, Summary, read_summary
from evaluation.tally import Tally

JUDGEMENTS = "judgements.jsonl"
PREFIX = "judge_"
"""With which a judge's keys of ``summary.json`` begin."""


def judged_rates(found: Sequence[Judgement]) -> Summary:
    """``judge_cge2`` pooled over turns (Eq. 20), ``judge_fge2`` and ``judge_pe2`` (Eq. 10).

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


def write_judgements(
    run_dir: Path, records: Sequence[Record], found: Sequence[Judgement], judge: str, prompt: str
) -> None:
    """Write one line per dialogue, whole or not at all; an earlier file is replaced.

    Args:
        run_dir: The run.
        records: The dialogues.
        found: One judgement per dialogue, same order.
        judge: The judge's name: ``embedded`` or the model's.
        prompt: Name and version of the prompt, or "" for the embedded judge.
    """
    lines = [
        canonical_line(
            {
                "schema": SCHEMA,
                "episode": record["episode"],
                "judge": judge,
                "prompt": prompt or None,
                **write_judgement(judgement),
            }
        ).decode("utf-8")
        for record, judgement in zip(records, found, strict=True)
    ]
    write_whole(run_dir / JUDGEMENTS, "".join(lines))


def read_judgements(run_dir: Path) -> list[Judgement]:
    """The judgements of a run in the order of its dialogues.

    Raises:
        FileNotFoundError: The run was not judged; the message says how to.
        RecordError: A line is corrupt.
    """
    path = run_dir / JUDGEMENTS
    if not path.exists():
        raise FileNotFoundError(
            f"{path} is not there; run python -m evaluation.judge_run {run_dir}"
        )
    found = []
    for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), start=1):
        try:
            raw = json.loads(line)
            turns = tuple(TurnLabel(t["intent"], t["retrieval"]) for t in raw["turns"])
            found.append(Judgement(turns, raw["fge2"], raw["pe2"]))
        except (ValueError, KeyError, TypeError) as error:
            raise RecordError(
                f"{path}, line {number}: not a judgement ({error}); judge the run again with "
                f"python -m evaluation.judge_run {run_dir}"
            ) from error
    return found


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
