"""Two policies compared on the same episodes: ``python -m evaluation.paired A... --against B...``.

A and B are run directories, one per seed, in the same order. Prints the success rate of each side
over all their dialogues and the paired difference with its interval and permutation test.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from pathlib import Path

from evaluation.recommendation import succeeded
from evaluation.records import Record, RecordError, read_records
from evaluation.statistics import bootstrap_interval, compare_paired
from evaluation.tally import Tally

KEY = ("seed", "split", "episode", "persona", "goal", "targets")
"""What two dialogues must share to be compared: other targets mean another catalogue."""


class PairingError(ValueError):
    """Runs that do not hold the same episodes; the message names the first that differs."""


def paired_records(
    first: Sequence[Path], second: Sequence[Path]
) -> tuple[list[Record], list[Record]]:
    """The records of two lists of run directories, episode by episode.

    Raises:
        PairingError: The lists differ in length, or two runs differ in seed, split or episodes.
        RecordError: A file is missing or corrupt.
    """
    if len(first) != len(second):
        raise PairingError(f"{len(first)} runs against {len(second)}; give one per seed and side")
    ours: list[Record] = []
    theirs: list[Record] = []
    for a, b in zip(first, second, strict=True):
        records = read_records(a), read_records(b)
        keys = [[[r.get(name) for name in KEY] for r in side] for side in records]
        if not keys[0] or keys[0] != keys[1]:
            raise PairingError(
                f"{a} and {b} do not hold the same episodes: {', '.join(KEY)} must agree in each"
            )
        ours += records[0]
        theirs += records[1]
    return ours, theirs


def success(records: Sequence[Record]) -> Tally:
    """Success of each dialogue."""
    return Tally.mean_of(float(succeeded(record)) for record in records)


def main(argv: Sequence[str] | None = None) -> None:
    """Command line."""
    parser = argparse.ArgumentParser(prog="python -m evaluation.paired", description=__doc__)
    parser.add_argument("runs", nargs="+", type=Path, metavar="A", help="run directories")
    parser.add_argument("--against", nargs="+", type=Path, metavar="B", required=True)
    args = parser.parse_args(argv)
    try:
        ours, theirs = paired_records(args.runs, args.against)
    except (PairingError, RecordError, OSError) as error:
        sys.exit(f"evaluation.paired: {error}")
    for name, records in (("A", ours), ("B", theirs)):
        tally = success(records)
        low, high = bootstrap_interval(tally) or (float("nan"), float("nan"))
        print(
            f"{name}: success {tally.value:.3f} [{low:.3f}, {high:.3f}], {len(records)} dialogues"
        )
    found = compare_paired(success(ours), success(theirs))
    low, high = found.interval
    print(f"A - B: {found.difference:+.3f} [{low:+.3f}, {high:+.3f}], p = {found.p_value:.2g}")


if __name__ == "__main__":
    main()
