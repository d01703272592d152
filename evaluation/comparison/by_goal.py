"""A paired test that takes goals, not dialogues, for independent: signs flipped by goal.

Dialogues about one goal are alike whoever speaks: what a catalogue holds for it decides much. A
method that does well on a few goals can look certain over hundreds of dialogues. Here all that the
dialogues of a goal add to a test's statistic changes sign together; p is the share of such sign
patterns whose statistic is at least as far from 0.
"""

from __future__ import annotations

from collections.abc import Hashable, Sequence

import numpy as np

from evaluation.comparison.resampling import SEED
from evaluation.tally import Vector

ALL = 16
"""Goals up to which every pattern is counted."""
DRAWS = 20_000
"""Patterns drawn where there are more goals."""
_SLACK = 1e-9
"""Sums that differ by rounding alone are equal."""


def flip_test(parts: Vector, goals: Sequence[Hashable]) -> float | None:
    """Two-sided p of a sum over dialogues, by goal.

    Args:
        parts: What each dialogue adds to the statistic, float64 (n,): a difference of 0 or 1 where
            wins minus losses are tested, a signed rank where Wilcoxon's statistic is.
        goals: The goal of each dialogue, n entries.

    Returns:
        p in (0, 1]; None where there is but one goal, or a goal is unknown.
    """
    known = set(goals)
    if None in known or len(known) < 2:
        return None
    places = {goal: place for place, goal in enumerate(dict.fromkeys(goals))}
    sums = np.bincount([places[goal] for goal in goals], parts, len(places))
    seen = abs(float(sums.sum()))
    reached = np.abs(_signs(len(sums)) @ sums) >= seen - _SLACK * max(1.0, seen)
    if len(sums) <= ALL:
        return float(reached.mean())
    return float((reached.sum() + 1) / (len(reached) + 1))  # the pattern at hand is one of them


def _signs(count: int) -> Vector:
    """Sign patterns, (patterns, count): all of them, or so many drawn."""
    if count > ALL:
        drawn = np.random.default_rng(SEED).integers(0, 2, (DRAWS, count))
    else:
        drawn = np.arange(2**count)[:, None] >> np.arange(count) & 1
    return np.asarray(2 * drawn - 1, dtype=np.float64)
