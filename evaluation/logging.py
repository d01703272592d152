"""Logging a run to TensorBoard, Weights & Biases, both or neither, behind one interface."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from types import TracebackType
from typing import Any, Literal, Protocol, Self, get_args

from evaluation.curves import (
    EpisodeCurves,
    Scalars,
    dialogue_text,
    flat_settings,
    summary_scalars,
)
from evaluation.reading import is_dialogue
from evaluation.records import Record, Timing

LoggerKind = Literal["tensorboard", "wandb", "both", "none"]
Axis = Literal["episode", "timesteps"]
TEXTS = 5
"""Dialogues whose text is logged: the first ones of a run."""


class LogSink(Protocol):
    """One place that a run is logged to."""

    def settings(self, settings: Mapping[str, Any]) -> None:
        """Record flat hyperparameters, before anything else."""
        ...

    def scalars(self, values: Scalars, step: int, axis: Axis) -> None:
        """Record named numbers at a step."""
        ...

    def text(self, name: str, text: str, step: int) -> None:
        """Record a text of several lines, shown as it is."""
        ...

    def result(self, values: Scalars) -> None:
        """Record the final metrics that runs are compared by."""
        ...

    def close(self) -> None:
        """Write everything out."""
        ...


class RunLogger:
    """Logs a run to any number of sinks; without one it does nothing.

    Args:
        sinks: Where to.
        texts: Number of dialogues whose text is logged.
    """

    def __init__(self, sinks: Sequence[LogSink] = (), texts: int = TEXTS) -> None:
        self._sinks = tuple(sinks)
        self._texts = texts
        self._curves = EpisodeCurves()

    def start(self, settings: Mapping[str, Any], earlier: Sequence[Record] = ()) -> None:
        """Record the (nested) settings of a run.

        Args:
            settings: The configuration.
            earlier: Records of the interrupted run that is continued; they enter running means
                and are not logged again.
        """
        for record in earlier:
            self._curves.add(record)
        self._texts = max(0, self._texts - len(earlier))
        for sink in self._sinks:
            sink.settings(flat_settings(settings))

    def dialogue(self, record: Record, timing: Timing) -> None:
        """Log a finished episode; give it to ``evaluate`` as ``on_dialogue``."""
        if not self._sinks:
            return
        step = int(record["episode"])
        values = self._curves.add(record)
        values["evaluation/seconds"] = timing["seconds_policy"] + timing["seconds_environment"]
        for sink in self._sinks:
            sink.scalars(values, step, "episode")
        if self._texts > 0 and is_dialogue(record):
            self._texts -= 1
            for sink in self._sinks:
                sink.text(f"dialogue/{step}", dialogue_text(record), step)

    def training(self, values: Scalars, timesteps: int) -> None:
        """Log numbers of a learning policy; names should start with ``train/``."""
        for sink in self._sinks:
            sink.scalars(values, timesteps, "timesteps")

    def finish(self, summary: Mapping[str, Any]) -> None:
        """Log the summary's metrics as the result that runs are compared by."""
        for sink in self._sinks:
            sink.result(summary_scalars(summary))

    def close(self) -> None:
        """Write everything out."""
        for sink in self._sinks:
            sink.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        self.close()


def make_logger(kind: LoggerKind, run_dir: Path, texts: int = TEXTS) -> RunLogger:
    """A logger by name; only what it needs is imported.

    Args:
        kind: ``tensorboard``, ``wandb``, ``both`` or ``none``.
        run_dir: The run's directory; TensorBoard's files go to ``tensorboard/`` in it, those of
            Weights & Biases to ``wandb/``.
        texts: Number of dialogues whose text is logged.

    Raises:
        ValueError: There is no logger of that name.
    """
    if kind not in get_args(LoggerKind):
        raise ValueError(f"no logger {kind!r}; there are {', '.join(get_args(LoggerKind))}")
    sinks: list[LogSink] = []
    if kind in ("tensorboard", "both"):
        from evaluation.tensorboard import TensorBoardSink

        sinks.append(TensorBoardSink(run_dir / "tensorboard"))
    if kind in ("wandb", "both"):
        from evaluation.wandb import WandbSink

        sinks.append(WandbSink(run_dir))
    return RunLogger(sinks, texts)
