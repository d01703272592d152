"""Estimated acceptance.

How likely an item is a target, by imagined goals and what people have seen.
"""

from __future__ import annotations

from collections.abc import Sequence

from simulators.imagined import GoalPool
from simulators.seen import SeenItems


class AcceptanceEstimate:
    """Chance that the user would accept an item, from goals imagined for the present view.

    Args:
        goals: Goals that fit the view.
        seen: Chance that an item has been seen, by rate.
        rate: Mean share of items that this user is believed to have seen.
    """

    def __init__(self, goals: GoalPool, seen: SeenItems, rate: float) -> None:
        self._acceptable = [acceptable for _, acceptable in goals.goals]
        self._seen = seen
        self._rate = rate

    def of(self, item: int) -> float:
        """Estimated probability of acceptance of one item, in [0, 1]."""
        hits = sum(1 for bits in self._acceptable if bits >> item & 1)
        return hits / len(self._acceptable) * (1.0 - self._seen.probability(item, self._rate))

    def rerank(self, items: Sequence[int]) -> tuple[int, ...]:
        """The items by falling estimate, ties in the order given."""
        return tuple(sorted(items, key=lambda item: -self.of(item)))
