"""Paired tests of two methods on what they share, and what they are corrected by.

Success, Recall@1, FGE2, PE2 and the next action are tested by McNemar's test, exact below
:data:`FEW` discordant pairs; turns, returns and CGE2 by Wilcoxon's signed-rank test, equal pairs
left out. ``holm`` corrects a family: all tests of one measure, either against the reference or of
all pairs. A second p flips signs goal by goal, of the same statistic.
"""

from __future__ import annotations

import math
import warnings
from collections.abc import Hashable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from evaluation.comparison.by_goal import flip_test
from evaluation.comparison.measures import TESTED, Tested
from evaluation.comparison.method import Method
from evaluation.comparison.pairing import Shared, shared, shared_decisions
from evaluation.comparison.resampling import intervals, pooled
from evaluation.statistics import CONFIDENCE, Interval
from evaluation.tally import Tally, Vector

DECIMALS = 9
"""To which differences are rounded: sums that differ by rounding alone must rank as equal."""
FEW = 25
"""Discordant dialogues below which McNemar's test is exact; from there on chi-square, corrected."""
LEVEL = 0.05
"""p-values below it count as significant."""


@dataclass(frozen=True, slots=True)
class PairedTest:
    """One measure of two methods, first minus second.

    Attributes:
        key: The measure's key.
        measure: Its name in words.
        first: Name of the first method.
        second: Name of the second.
        dialogues: Number of shared dialogues, or of decisions at shared prefixes.
        test: The test's name.
        wins: Dialogues in which the first is higher (of turns: longer).
        losses: Dialogues in which the second is higher.
        difference: Mean difference over them.
        interval: Its 95 % bootstrap interval; episodes, or prefixes, are resampled with all seeds.
        effect_name: ``odds ratio`` (wins / losses) or ``rank-biserial`` (in [-1, 1]).
        effect: The effect size; infinite odds where nothing was lost; None where nothing differs.
        effect_interval: Exact 95 % interval of the odds ratio, None for the other.
        p_value: Two-sided.
        p_goals: Of the same statistic (wins minus losses, or the sum of signed ranks) with goals
            for independent, not dialogues (:mod:`evaluation.comparison.by_goal`); uncorrected;
            None at prefixes.
        p_holm: ``p_value`` corrected for its family.
    """

    key: str
    measure: str
    first: str
    second: str
    dialogues: int
    test: str
    wins: int
    losses: int
    difference: float
    interval: Interval
    effect_name: str
    effect: float | None
    effect_interval: Interval | None
    p_value: float
    p_goals: float | None = None
    p_holm: float = 1.0

    @property
    def significant(self) -> bool:
        """Whether both p_holm and p_goals, where there is one, are below :data:`LEVEL`.

        Alone, p_holm takes dialogues that are alike for independent, so it is too small.
        """
        return self.p_holm < LEVEL and (self.p_goals is None or self.p_goals < LEVEL)


def compare_pairs(
    pairs: Sequence[tuple[Method, Method]], without: Sequence[str] = ()
) -> list[PairedTest]:
    """All tests of these pairs of methods, by measure; each measure is one family.

    Pairs that share neither dialogues nor prefixes have no tests.

    Args:
        pairs: The methods.
        without: Keys of measures that are left out.

    Raises:
        ComparisonError: Two methods hold different dialogues at one place.
    """
    matched = [(one, other, shared(one, other)) for one, other in pairs]
    tests: list[PairedTest] = []
    for measure in TESTED:
        if measure.key in without:
            continue
        able = [
            (one.name, other.name, *found)
            for one, other, common in matched
            for found in _paired(measure, one, other, common)
        ]
        bounds = _intervals([row[2] for row in able], [row[3] for row in able])
        tests += holm(
            [
                compared(measure, one, other, difference, interval, goals)
                for (one, other, difference, _, goals), interval in zip(able, bounds, strict=True)
            ]
        )
    return tests


def _paired(
    measure: Tested, one: Method, other: Method, common: Shared
) -> Iterator[tuple[Vector, Sequence[Hashable], Sequence[Hashable]]]:
    """Differences in what two methods share, what each is drawn with, and its goal.

    Nothing where they share nothing; no goals at prefixes.
    """
    if measure.prefixes:
        places = shared_decisions(one, other)
        rights = [(one.decisions[place], other.decisions[place]) for place in places]
        difference = np.array([float(ours) - float(theirs) for ours, theirs in rights])
        units: Sequence[Hashable] = [prefix for _, prefix in places]
        goals: Sequence[Hashable] = ()
    elif len(common) and _testable(measure, one) and _testable(measure, other):
        ours, theirs = one.tallies[measure.key], other.tallies[measure.key]
        above = ours.numerator[common.ours], theirs.numerator[common.theirs]
        below = ours.denominator[common.ours], theirs.denominator[common.theirs]
        kept = np.flatnonzero((below[0] > 0) & (below[1] > 0))
        difference = above[0][kept] / below[0][kept] - above[1][kept] / below[1][kept]
        difference = np.round(difference, DECIMALS)
        units, goals = [common.episodes[k] for k in kept], [common.goals[k] for k in kept]
    else:
        return
    if len(difference):
        yield difference, units, goals


def _intervals(
    differences: Sequence[Vector], units: Sequence[Sequence[Hashable]]
) -> list[Interval]:
    """Intervals of mean differences; those over equally many units are drawn at once."""
    found: list[Interval] = [(math.nan, math.nan)] * len(differences)
    pairs = zip(differences, units, strict=True)
    tallies = [pooled(Tally.mean_of(difference), own) for difference, own in pairs]
    for size in {len(tally) for tally in tallies}:
        places = [k for k, tally in enumerate(tallies) if len(tally) == size]
        drawn = intervals([tallies[k] for k in places])
        for k, bounds in zip(places, drawn, strict=True):
            found[k] = bounds or found[k]
    return found


def compared(
    measure: Tested,
    first: str,
    second: str,
    difference: Vector,
    bounds: Interval,
    goals: Sequence[Hashable] = (),
) -> PairedTest:
    """Test one measure of two methods; ``p_holm`` is left for :func:`holm`.

    Args:
        measure: Which.
        first: Name of the first method.
        second: Name of the second.
        difference: First minus second by shared dialogue, at least one.
        bounds: Interval of the mean difference.
        goals: The goal of each dialogue; none at prefixes.
    """
    wins, losses = int((difference > 0).sum()), int((difference < 0).sum())
    if measure.binary:
        name, p_value = mcnemar(wins, losses)
        effect, effect_bounds = odds_ratio(wins, losses)
        parts = difference
    else:
        name, p_value = wilcoxon(difference)
        effect, effect_bounds = rank_biserial(difference), None
        parts = signed_ranks(difference)
    return PairedTest(
        measure.key,
        measure.name,
        first,
        second,
        len(difference),
        name,
        wins,
        losses,
        float(difference.mean()),
        bounds,
        "odds ratio" if measure.binary else "rank-biserial",
        effect,
        effect_bounds,
        p_value,
        flip_test(parts, goals) if goals else None,
    )


def _testable(measure: Tested, method: Method) -> bool:
    tally = method.tallies.get(measure.key)
    return tally is not None and (measure.share or bool((tally.denominator == 1).all()))


def mcnemar(wins: int, losses: int) -> tuple[str, float]:
    """McNemar's test from the two discordant counts: its name and two-sided p.

    Exact (binomial) below :data:`FEW` discordant dialogues, else chi-square with the continuity
    correction.
    """
    from statsmodels.stats.contingency_tables import mcnemar as test

    exact = wins + losses < FEW
    found = test([[0, wins], [losses, 0]], exact=exact, correction=True)
    return "McNemar, exact" if exact else "McNemar, χ²", min(1.0, float(found.pvalue))


def odds_ratio(wins: int, losses: int) -> tuple[float | None, Interval | None]:
    """The conditional odds ratio of matched pairs, wins / losses, with its exact 95 % interval."""
    if not wins + losses:
        return None, None
    from scipy import stats

    bounds = stats.binomtest(wins, wins + losses).proportion_ci(CONFIDENCE, method="exact")
    return _odds(wins / (wins + losses)), (_odds(bounds.low), _odds(bounds.high))


def _odds(share: float) -> float:
    return math.inf if share >= 1.0 else float(share / (1.0 - share))


def wilcoxon(difference: Vector) -> tuple[str, float]:
    """Wilcoxon's signed-rank test of paired differences: its name and two-sided p."""
    name = "Wilcoxon signed-rank"
    kept = difference[difference != 0]
    if not len(kept):
        return name, 1.0
    from scipy import stats

    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)  # few dialogues: the normal is approximate
        found: Any = stats.wilcoxon(kept, zero_method="wilcox", alternative="two-sided")
    return name, min(1.0, float(found.pvalue))


def rank_biserial(difference: Vector) -> float | None:
    """Matched-pairs rank-biserial correlation in [-1, 1]; None where all pairs are equal.

    Ranks of the positive differences minus those of the negative ones, over all ranks.
    """
    ranks = signed_ranks(difference)
    return float(ranks.sum() / np.abs(ranks).sum()) if ranks.any() else None


def signed_ranks(difference: Vector) -> Vector:
    """Ranks of the differences by size, with their signs, (n,): Wilcoxon's statistic is their sum.

    As in the test, equal pairs are ranked nowhere (0), and equal sizes share their mean rank.
    """
    from scipy import stats

    ranks = np.zeros(len(difference))
    kept = np.flatnonzero(difference)
    ranks[kept] = stats.rankdata(np.abs(difference[kept])) * np.sign(difference[kept])
    return ranks


def holm(tests: Sequence[PairedTest]) -> list[PairedTest]:
    """Correct the p-values of one family (Holm's step-down procedure)."""
    if not tests:
        return []
    from statsmodels.stats.multitest import multipletests

    corrected = multipletests([test.p_value for test in tests], method="holm")[1]
    return [replace(t, p_holm=float(p)) for t, p in zip(tests, corrected, strict=True)]
