"""Learning curves that a run keeps: the training scalars in its TensorBoard files."""

from __future__ import annotations

import math
from pathlib import Path
from typing import NamedTuple

FOLDER = "tensorboard"
TAGS = {
    "train/success_rate": "Success in training dialogues",
    "train/return": "Return of training dialogues",
}
"""Scalars that :mod:`baselines.sb3_training` logs, over time steps."""
POINTS = 400
"""Points kept of a curve: more than a plot can show."""


class Curve(NamedTuple):
    """One scalar over time steps.

    Attributes:
        tag: Key of :data:`TAGS`.
        steps: Time steps of the environment, ascending.
        values: The scalar at each.
    """

    tag: str
    steps: tuple[int, ...]
    values: tuple[float, ...]


def read_curves(run_dir: Path) -> tuple[Curve, ...]:
    """The learning curves of a run; none where it trained nothing or kept no event file.

    A resumed run adds event files; where they repeat a step, the later value counts.
    """
    folder = run_dir / FOLDER
    if not folder.is_dir() or not any(folder.glob("*tfevents*")):
        return ()
    from tensorboard.backend.event_processing.event_accumulator import EventAccumulator

    events = EventAccumulator(str(folder), size_guidance={"scalars": 0})
    events.Reload()
    tags = events.Tags()["scalars"]
    return tuple(_curve(tag, events.Scalars(tag)) for tag in TAGS if tag in tags)


def _curve(tag: str, events: list[object]) -> Curve:
    points = {int(event.step): float(event.value) for event in events}  # type: ignore[attr-defined]
    kept = [(step, value) for step, value in sorted(points.items()) if math.isfinite(value)]
    stride = max(1, math.ceil(len(kept) / POINTS))
    kept = kept[::-1][::stride][::-1]  # the last point is kept
    return Curve(tag, tuple(step for step, _ in kept), tuple(value for _, value in kept))
