"""Episodes that are finished while one before them is not: kept for a run that is interrupted.

``records.jsonl`` has its lines in the order that was asked for. What is finished out of order waits
for its turn here, in memory and as a line of ``ahead.jsonl`` (``episode``, ``record``, ``timing``),
so that a run which is stopped or killed need not hold, and pay for, those dialogues again. The file
goes when the run is complete; a line whose episode has got into ``records.jsonl`` is of no use.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import suppress
from pathlib import Path

from evaluation.episode import Finished
from evaluation.failures import is_unreached
from evaluation.records import SCHEMA, LineWriter, Record, Timing, complete_lines, cut_off
from evaluation.run_dir import RunDirError

AHEAD_FILE = "ahead.jsonl"


class Ahead:
    """Finished episodes that wait for their turn.

    Args:
        run_dir: An existing directory; what an earlier start of the run left in it is taken in.
        seed: Run seed.
        split: Split of the goals.

    Raises:
        RecordError: A line of the file is corrupt; a torn last one is dropped.
        RunDirError: A line is of another seed or split.
    """

    def __init__(self, run_dir: Path, seed: int, split: str) -> None:
        self._path = run_dir / AHEAD_FILE
        self._writer: LineWriter | None = None
        self._waiting: dict[int, Finished] = {}
        lines = complete_lines(self._path, ("record", "timing"))
        cut_off(self._path, lines[-1][1] if lines else 0)
        for line, _ in lines:
            record = line["record"]
            # Environments without records of their own know no splits.
            if (record["seed"], record.get("split", split)) != (seed, split):
                raise RunDirError(
                    f"{self._path}: episode {line['episode']} is of another seed or split; resume "
                    f"with the settings of the run, or give another run_dir"
                )
            self._waiting[line["episode"]] = (record, line["timing"])

    def __contains__(self, number: int) -> bool:
        return number in self._waiting

    def in_order(self, numbers: Sequence[int], finished: Iterator[Finished]) -> Iterator[Finished]:
        """The episodes of these numbers, in this order, from those that wait or are finished now.

        Args:
            numbers: Episodes.
            finished: Those that do not wait here yet, in any order.
        """
        for number in numbers:
            while number not in self._waiting:
                self._keep(number, *next(finished))
            yield self._waiting.pop(number)

    def _keep(self, awaited: int, record: Record, timing: Timing) -> None:
        number = record["episode"]
        self._waiting[number] = (record, timing)
        # A resumed run tries again what no model was there for.
        if number != awaited and not is_unreached(record):
            self._writer = self._writer or LineWriter(self._path)
            self._writer.append(
                {"schema": SCHEMA, "episode": number, "record": record, "timing": timing}
            )

    def close(self) -> None:
        """Close the file."""
        if self._writer is not None:
            self._writer.close()

    def remove(self) -> None:
        """Remove the file of a run that is complete."""
        self.close()
        with suppress(FileNotFoundError):
            self._path.unlink()
