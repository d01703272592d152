"""Two policies compared on the same episodes: ``python -m evaluation.paired A... --against B...``.

A and B are run directories, one per seed, in the same order. Prints the success rate of each side
over the dialogues compared and the paired difference with its interval and permutation test.
Episodes whose dialogue failed on either side are left out, and their number is printed.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any, NamedTuple

from evaluation.failures import is_failed
from evaluation.recommendation import succeeded
from evaluation.records import Record, RecordError, read_records
from evaluation.statistics import bootstrap_interval, compare_paired
from evaluation.tally import Tally

KEY = ("seed", "split", "episode", "persona", "goal", "targets")
"""What two dialogues must share to be compared: other targets mean another catalogue."""
ASKED = KEY[:3]
"""What even a dialogue that failed at its opening knows."""


class PairingError(ValueError):
    """Runs that do not hold the same episodes; the message names the first that differs."""


class Pairs(NamedTuple):
    """Records of the same episodes.

    Attributes:
        ours: Of the first side.
        theirs: Of the second, same order.
        left_out: Number of episodes without a pair, since a dialogue failed.
    """

    ours: list[Record]
    theirs: list[Record]
    left_out: int


def paired_records(first: Sequence[Path], second: Sequence[Path]) -> Pairs:
    """The records of two lists of run directories, episode by episode.

    Raises:
        PairingError: The lists differ in length, or two runs differ in seed, split or episodes,
            or no episode is left to compare.
        RecordError: A file is missing or corrupt.
    """
    if len(first) != len(second):
        raise PairingError(f"{len(first)} runs against {len(second)}; give one per seed and side")
    ours: list[Record] = []
    theirs: list[Record] = []
    left_out = 0
    for a, b in zip(first, second, strict=True):
        pairs = _pairs(a, b)
        whole = [pair for pair in pairs if not any(map(is_failed, pair))]
        ours += [pair[0] for pair in whole]
        theirs += [pair[1] for pair in whole]
        left_out += len(pairs) - len(whole)
    if not ours:
        raise PairingError(f"all {left_out} episodes failed on one side; nothing is left")
    return Pairs(ours, theirs, left_out)


def _pairs(a: Path, b: Path) -> list[tuple[Record, Record]]:
    ours, theirs = read_records(a), read_records(b)
    pairs = list(zip(ours, theirs, strict=False))
    if not ours or len(ours) != len(theirs) or not all(_same(*pair) for pair in pairs):
        raise PairingError(
            f"{a} and {b} do not hold the same episodes: {', '.join(KEY)} must agree in each"
        )
    return pairs


def _same(one: Record, other: Record) -> bool:
    names = ASKED if is_failed(one) or is_failed(other) else KEY

    def key(record: Record) -> list[Any]:
        return [record.get(name) for name in names]

    return key(one) == key(other)


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
        ours, theirs, left_out = paired_records(args.runs, args.against)
    except (PairingError, RecordError, OSError) as error:
        sys.exit(f"evaluation.paired: {error}")
    if left_out:
        print(f"{left_out} episodes are left out: a dialogue failed in A or B")
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
