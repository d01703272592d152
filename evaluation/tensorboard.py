"""TensorBoard: curves, HParams and dialogues in one event file."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from evaluation.curves import Scalars
    from evaluation.logging import Axis

COMPARED = (
    "success_rate",
    "average_turns",
    "recall_at_1",
    "return",
    "cge2",
    "fge2",
    "pe2",
    "seconds_per_turn",
)
"""Metrics that the HParams tab offers for comparing runs, as ``summary/<key>``."""


class TensorBoardSink:
    """Writes an event file.

    Args:
        folder: Directory of the event file; created if needed. A resumed run adds a file.
    """

    def __init__(self, folder: Path) -> None:
        from torch.utils.tensorboard import SummaryWriter

        self._writer = SummaryWriter(str(folder))
        self._end: Any = None

    def settings(self, settings: Mapping[str, Any]) -> None:
        """Record hyperparameters for the HParams tab, with the metrics to compare by."""
        from torch.utils.tensorboard.summary import hparams

        compared = {f"summary/{key}": 0.0 for key in COMPARED}
        experiment, start, self._end = hparams(dict(settings), compared)  # type: ignore[no-untyped-call]
        # Into the same file: SummaryWriter.add_hparams would open another run.
        self._file.add_summary(experiment)
        self._file.add_summary(start)

    def scalars(self, values: Scalars, step: int, axis: Axis) -> None:
        """Record named numbers; the names say which axis the steps count."""
        for name, value in values.items():
            self._writer.add_scalar(name, value, step)

    def text(self, name: str, text: str, step: int) -> None:
        """Record a text as an indented block, in which no mark-up means anything."""
        block = "\n".join("    " + line for line in text.splitlines())
        self._writer.add_text(name, block, step)

    def result(self, values: Scalars) -> None:
        """Record the final metrics and end the HParams session."""
        self.scalars(values, 0, "episode")
        if self._end is not None:
            self._file.add_summary(self._end)

    def close(self) -> None:
        """Write everything out."""
        self._writer.close()

    @property
    def _file(self) -> Any:
        return self._writer.file_writer
