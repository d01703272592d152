"""Uncertainty of metrics: bootstrap intervals, paired comparison of runs, tests across personas."""

from __future__ import annotations

import warnings
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from evaluation.groups import GroupSuccess
from evaluation.tally import Tally, Vector

RESAMPLES = 2000
CONFIDENCE = 0.95
_SEED = 20_250_101  # intervals are part of a run's result, so they must not vary

Interval = tuple[float, float]


def bootstrap_interval(
    tally: Tally, confidence: float = CONFIDENCE, resamples: int = RESAMPLES
) -> Interval | None:
    """Percentile bootstrap interval of a metric; dialogues are resampled.

    Resamples in which nothing counts towards a pooled metric are left out. With one dialogue, or
    equal ones, the interval is the value itself: the bootstrap cannot know better.

    Args:
        tally: The metric, n dialogues.
        confidence: Coverage in (0, 1).
        resamples: Number of resamples.

    Returns:
        (low, high), or None when the metric has no value.
    """
    if tally.value is None:
        return None
    if len(tally) == 1:
        return tally.value, tally.value

    def ratio(numerator: Vector, denominator: Vector, axis: int) -> Vector:
        return _divide(numerator.sum(axis=axis), denominator.sum(axis=axis))

    drawn = _resample((tally.numerator, tally.denominator), ratio, resamples)
    return _percentiles(drawn, confidence)


@dataclass(frozen=True, slots=True)
class Comparison:
    """Two runs over the same episodes.

    Attributes:
        difference: First minus second.
        interval: Paired bootstrap interval of the difference.
        p_value: Two-sided paired permutation test: runs are exchangeable within an episode.
    """

    difference: float
    interval: Interval
    p_value: float


def compare_paired(
    first: Tally,
    second: Tally,
    confidence: float = CONFIDENCE,
    resamples: int = RESAMPLES,
    permutations: int = 9999,
) -> Comparison:
    """Compare a metric of two runs, paired by episode.

    Args:
        first: Metric of one run.
        second: The same metric of the other run, same episodes in the same order.
        confidence: Coverage of the interval in (0, 1).
        resamples: Number of bootstrap resamples.
        permutations: Number of permutations; all of them where there are fewer.

    Raises:
        ValueError: The runs differ in length, or the metric has no value in one of them.
    """
    if len(first) != len(second):
        raise ValueError(
            f"runs of {len(first)} and {len(second)} episodes cannot be paired; compare the "
            f"episodes that both have"
        )
    if first.value is None or second.value is None:
        raise ValueError("the metric has no value in one of the runs, so it cannot be compared")
    observed = first.value - second.value
    if len(first) == 1:
        return Comparison(observed, (observed, observed), 1.0)
    numerator = np.concatenate([first.numerator, second.numerator])
    denominator = np.concatenate([first.denominator, second.denominator])

    def difference(ours: npt.NDArray[np.intp], theirs: npt.NDArray[np.intp], axis: int) -> Vector:
        return _divide(numerator[ours].sum(axis), denominator[ours].sum(axis)) - _divide(
            numerator[theirs].sum(axis), denominator[theirs].sum(axis)
        )

    # Positions stand for dialogues, so that both numbers of a dialogue travel together.
    positions = np.arange(len(first)), np.arange(len(first), 2 * len(first))
    drawn = _resample(positions, difference, resamples)
    p_value = _permutation_p(positions, difference, permutations)
    return Comparison(observed, _percentiles(drawn, confidence), p_value)


@dataclass(frozen=True, slots=True)
class GroupTest:
    """Chi-square test of equal success across groups.

    Attributes:
        statistic: Chi-square, without continuity correction.
        degrees: Degrees of freedom, groups - 1.
        p_value: Probability of at least this statistic under equal success.
    """

    statistic: float
    degrees: int
    p_value: float


def chi_square(groups: Mapping[Any, GroupSuccess]) -> GroupTest:
    """Whether groups (personas, goals) differ in success.

    With one group, or when all dialogues succeed or all fail, nothing differs: p = 1.
    """
    table = np.array([[g.successes, g.episodes - g.successes] for g in groups.values()], dtype=int)
    if len(table) < 2 or not table.sum(axis=0).all():
        return GroupTest(0.0, max(0, len(table) - 1), 1.0)
    from scipy import stats

    found = stats.chi2_contingency(table, correction=False)
    return GroupTest(float(found.statistic), int(found.dof), float(found.pvalue))


def _resample(data: tuple[Any, Any], statistic: Any, resamples: int) -> Vector:
    """The bootstrap distribution of a statistic of two paired samples."""
    from scipy import stats

    with warnings.catch_warnings():
        # Equal dialogues: scipy warns that the distribution is degenerate, which it may be here.
        warnings.simplefilter("ignore", stats.DegenerateDataWarning)
        found = stats.bootstrap(
            data,
            statistic,
            paired=True,
            vectorized=True,
            method="percentile",
            n_resamples=resamples,
            rng=np.random.default_rng(_SEED),
        )
    distribution: Vector = found.bootstrap_distribution
    return distribution


def _percentiles(drawn: Vector, confidence: float) -> Interval:
    tail = (1.0 - confidence) / 2.0
    low, high = np.nanquantile(drawn, [tail, 1.0 - tail])
    return float(low), float(high)


def _permutation_p(positions: tuple[Any, Any], statistic: Any, permutations: int) -> float:
    from scipy import stats

    found = stats.permutation_test(
        positions,
        statistic,
        permutation_type="samples",
        vectorized=True,
        n_resamples=permutations,
        alternative="two-sided",
        rng=np.random.default_rng(_SEED),
    )
    return float(found.pvalue)


def _divide(numerator: Vector, denominator: Vector) -> Vector:
    """Quotients, NaN where nothing counts."""
    with np.errstate(divide="ignore", invalid="ignore"):
        quotient: Vector = np.where(denominator > 0, numerator / denominator, np.nan)
    return quotient
