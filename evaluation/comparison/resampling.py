"""Bootstrap intervals of many metrics at once, over the episodes or prefixes that seeds share."""

from __future__ import annotations

import warnings
from collections.abc import Hashable, Sequence
from typing import Any

import numpy as np

from evaluation.statistics import CONFIDENCE, RESAMPLES, Interval
from evaluation.tally import Tally, Vector

SEED = 20_250_101
"""Of :mod:`evaluation.statistics`: a run's interval here is the one of its summary."""


def pooled(tally: Tally, units: Sequence[Hashable]) -> Tally:
    """A metric with one entry for each unit, to resample units instead of dialogues.

    Dialogues of several seeds with one goal and persona are alike: drawn one by one they would
    pass for more than they are.

    Args:
        tally: n dialogues.
        units: What each of them is drawn with, n entries; units keep the order of appearance.
    """
    places = {unit: place for place, unit in enumerate(dict.fromkeys(units))}
    found = np.array([places[unit] for unit in units], dtype=np.intp)
    top, bottom = (
        np.bincount(found, numbers, len(places)).astype(np.float64)
        for numbers in (tally.numerator, tally.denominator)
    )
    return Tally(top, bottom)


def intervals(tallies: Sequence[Tally]) -> list[Interval | None]:
    """Percentile bootstrap intervals, 95 %, as :func:`evaluation.statistics.bootstrap_interval`.

    Entries are drawn with replacement, the same ones for all metrics; a metric is a sum over what
    is drawn divided by another, so that a matrix product gives all of them.

    Args:
        tallies: Metrics of the same n dialogues, or units of :func:`pooled`, in the same order.

    Returns:
        For each (low, high); None where it has no value.
    """
    if not tallies:
        return []
    values = [tally.value for tally in tallies]
    size = len(tallies[0])
    if size < 2:
        return [None if value is None else (value, value) for value in values]
    tops = np.stack([tally.numerator for tally in tallies], axis=1)
    bottoms = np.stack([tally.denominator for tally in tallies], axis=1)

    def metrics(positions: Any, axis: int = -1) -> Vector:
        counts = _counts(np.moveaxis(np.atleast_1d(positions), axis, -1), size)
        with np.errstate(divide="ignore", invalid="ignore"):
            top, bottom = counts @ tops, counts @ bottoms
            drawn: Vector = np.where(bottom > 0, top / bottom, np.nan)
        return np.moveaxis(drawn, -1, 0)

    tail = (1.0 - CONFIDENCE) / 2.0
    found: list[Interval | None] = []
    for value, drawn in zip(values, _drawn(size, metrics), strict=True):
        if value is None:
            found.append(None)
            continue
        low, high = np.nanquantile(drawn, [tail, 1.0 - tail])
        found.append((float(low), float(high)))
    return found


def _drawn(size: int, metrics: Any) -> Any:
    from scipy import stats

    with warnings.catch_warnings():
        # Equal dialogues: the distribution is degenerate, which it may be here.
        warnings.simplefilter("ignore", stats.DegenerateDataWarning)
        found = stats.bootstrap(
            (np.arange(size),),
            metrics,
            vectorized=True,
            method="percentile",
            n_resamples=RESAMPLES,
            rng=np.random.default_rng(SEED),
        )
    return found.bootstrap_distribution


def _counts(positions: Any, size: int) -> Vector:
    """How often each of ``size`` entries was drawn, by draw: (..., n) to (..., size)."""
    rows = positions.reshape(-1, positions.shape[-1])
    offsets = rows + size * np.arange(len(rows))[:, None]
    counts = np.bincount(offsets.ravel(), minlength=size * len(rows))
    return counts.reshape(*positions.shape[:-1], size).astype(np.float64)
