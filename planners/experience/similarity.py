"""How alike two situations are: a weighted distance between their structured states.

Only the structure counts, never which genre or actor was named: what to do in a dialogue with one
facet open and one offer turned down is the same whatever its subject (dreams §B.1).
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from dialogue.experience import Experience

Facts = Mapping[str, float]


@dataclass(frozen=True, slots=True)
class SimilaritySettings:
    """Weights of the features; 0 leaves one out. Chosen on train and held-out dialogues.

    Attributes:
        turns_left: Share of the turns that is left.
        streak: Questions just asked in a row.
        rejections: Offers turned down.
        impatience: Impatience shown.
        rejected: Whether an offer was just turned down.
        reason: Whether that had a reason, and about which facet.
        details: Whether the user just asked about an offer.
        candidates: Items that fit best, in powers of two.
        best: Share of the constraints that the best item meets.
        acceptance: Estimated chance that the best offer is accepted (its square root).
        lead: How far that is above the second best offer's.
        patience: Patience believed of the user.
        fatigue: Questions that the user is believed to bear.
        confidence: Per facet, how well it is known.
        ambiguous: Per facet, whether an ambiguity is open.
        closed: Per facet, whether the user has nothing more to say.
        evaded: Per facet, how often a question was evaded.
        asked: Per facet, inquiries.
    """

    turns_left: float = 1.0
    streak: float = 1.0
    rejections: float = 0.5
    impatience: float = 1.0
    rejected: float = 3.0
    reason: float = 1.5
    details: float = 4.0
    candidates: float = 1.0
    best: float = 0.0
    acceptance: float = 3.0
    lead: float = 1.0
    patience: float = 0.0
    fatigue: float = 0.0
    confidence: float = 1.0
    ambiguous: float = 1.0
    closed: float = 1.0
    evaded: float = 0.7
    asked: float = 0.7

    def __post_init__(self) -> None:
        """Check the weights; ValueError names the one that is out of range."""
        for field in fields(self):
            value = getattr(self, field.name)
            number = isinstance(value, int | float) and not isinstance(value, bool)
            if not number or not 0.0 <= value < math.inf:
                raise ValueError(
                    f"planner.similarity.{field.name} must be a number of at least 0, not {value!r}"
                )


def _overall(facts: Facts) -> dict[str, float]:
    """Features of a whole situation, by weight; each spans about 0 to 3."""
    first, second = facts["acceptance.1"], facts["acceptance.2"]
    reasoned = any(value for name, value in facts.items() if name.startswith("reason."))
    return {
        "turns_left": 3.0 * (1.0 - facts["turn"] / max(facts["max_turns"], 1.0)),
        "streak": min(facts["streak"], 3.0) / 1.5,
        "rejections": min(facts["rejections"], 4.0) / 2.0,
        "impatience": facts["impatience"],
        "rejected": facts["just_rejected"],
        "reason": float(reasoned),
        "details": facts["details"],
        "candidates": math.log2(max(facts["candidates"], 0.0) + 1.0) / 6.0,
        "best": 2.0 * facts["score.1"],
        "acceptance": 3.0 * math.sqrt(max(first, 0.0)),
        "lead": 3.0 * math.sqrt(max(first - second, 0.0)),
        "patience": facts["patience"] - 2.5,
        "fatigue": (facts["fatigue"] - 3.0) / 1.5,
    }


def _of_facet(entry: Mapping[str, Any], facts: Facts, facet: str) -> dict[str, float]:
    """Features of a facet, by weight."""
    return {
        "confidence": 1.5 * facts[f"confidence.{facet}"],
        "ambiguous": float(bool(entry["ambiguous"])),
        "closed": float(entry["closed"]),
        "evaded": min(entry["evasions"], 2.0),
        "asked": min(facts[f"asked.{facet}"], 2.0),
        "reason": facts[f"reason.{facet}"],
    }


class Near(NamedTuple):
    """A case and its distance, at least 0."""

    case: Experience
    distance: float


class Pair(NamedTuple):
    """The nearest cases of dialogues that succeeded and of ones that failed, nearest first."""

    successes: tuple[Near, ...]
    failures: tuple[Near, ...]


class CaseIndex:
    """Finds the cases nearest to a situation.

    Args:
        cases: The cases.
        facets: Names of the domain's facets in order.
        settings: Weights.

    Raises:
        ValueError: A case lacks a facet or a fact.
    """

    def __init__(
        self, cases: Sequence[Experience], facets: Sequence[str], settings: SimilaritySettings
    ) -> None:
        self._facets, self._settings = tuple(facets), settings
        self._groups = []
        for success in (True, False):
            group = tuple(case for case in cases if case.success == success)
            rows = [self._of_case(case) for case in group]
            self._groups.append((group, np.array(rows, dtype=np.float64)))

    def nearest(self, state: Mapping[str, Any], facts: Facts, count: int) -> Pair:
        """The ``count`` nearest successes and failures (fewer where there are fewer)."""
        here = np.array(self.features(state, facts), dtype=np.float64)
        successes, failures = (_nearest(group, rows, here, count) for group, rows in self._groups)
        return Pair(successes, failures)

    def features(self, state: Mapping[str, Any], facts: Facts) -> list[float]:
        """A situation as a point; distances between points are Euclidean."""
        parts = [_overall(facts), *(_of_facet(state[f], facts, f) for f in self._facets)]
        return [
            getattr(self._settings, name) * value for part in parts for name, value in part.items()
        ]

    def _of_case(self, case: Experience) -> list[float]:
        try:
            return self.features(case.state, case.facts)
        except KeyError as error:
            raise ValueError(
                f"the experience base lacks {error} in episode {case.episode}, turn {case.turn}; "
                f"make it anew (experience.rebuild=true)"
            ) from error


def _nearest(
    group: tuple[Experience, ...], rows: NDArray[np.float64], here: NDArray[np.float64], count: int
) -> tuple[Near, ...]:
    if not group:
        return ()
    distances = np.sqrt(((rows - here) ** 2).sum(axis=1))
    order = np.argsort(distances, kind="stable")[:count]
    return tuple(Near(group[i], float(distances[i])) for i in order)
