"""Decisions at prefixes of dialogues, and their metrics pooled over the seeds of a method."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from evaluation.comparison.resampling import pooled
from evaluation.failures import is_failed
from evaluation.metrics import Tallies
from evaluation.prefixes.scoring import is_prefix, prefix_tallies
from evaluation.records import Record, read_records

_READ = (
    "prefix", "seed", "episode", "right", "preferred", "due", "useful", "redundant", "asks",
    "premature", "legal",
)  # fmt: skip


def read_prefixed(run_dir: Path) -> tuple[Record, ...]:
    """The finished decisions of a run that scored prefixes, without texts; none of other runs.

    Raises:
        RecordError: A line is corrupt.
    """
    records = [record for record in read_records(run_dir) if not is_failed(record)]
    if not records or not all(is_prefix(record) for record in records):
        return ()
    return tuple({key: record[key] for key in _READ} for record in records)


def pooled_tallies(records: Sequence[Record]) -> Tallies:
    """The metrics of dreams Table 8; the decisions of all seeds at one prefix are one unit."""
    prefixes = [record["prefix"] for record in records]
    return {key: pooled(tally, prefixes) for key, tally in prefix_tallies(records).items()}
