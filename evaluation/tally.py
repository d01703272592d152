"""A metric as two numbers per dialogue, so that every metric can be resampled the same way."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

Vector = npt.NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class Tally:
    """A metric that is a sum over dialogues divided by another one.

    A mean over dialogues has denominators 1; a pooled, turn-level metric counts turns in them.
    Dialogues, not turns, are what varies independently, so they are what is resampled.

    Attributes:
        numerator: Shape (n,), one entry per dialogue.
        denominator: Shape (n,), each at least 0.
    """

    numerator: Vector
    denominator: Vector

    @classmethod
    def of(cls, pairs: Iterable[tuple[float, float]]) -> Tally:
        """Build one from (numerator, denominator) pairs, a pair per dialogue."""
        array = np.array(list(pairs), dtype=np.float64).reshape(-1, 2)
        return cls(array[:, 0].copy(), array[:, 1].copy())

    @classmethod
    def mean_of(cls, values: Iterable[float]) -> Tally:
        """A plain mean over dialogues."""
        return cls.of((value, 1.0) for value in values)

    def __len__(self) -> int:
        """Number of dialogues n."""
        return len(self.numerator)

    @property
    def value(self) -> float | None:
        """The metric, None where nothing counts towards it."""
        total = float(self.denominator.sum())
        return float(self.numerator.sum()) / total if total else None
