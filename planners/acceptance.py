"""Estimated acceptance: how likely an item is a target, by imagined goals and what people have seen."""

from __future__ import annotations

import random
from collections.abc import Sequence

from simulators.imagined import GoalSampler
from simulators.seen import SeenItems


class AcceptanceEstimate:
    """Chance that the user would accept an item, from goals imagined for the present view.

    Args:
        goals: Sampler of goals that fit the view.
        seen: Chance that an item has been seen, by rate.
        rate: Mean share of items that this user is believed to have seen.
        samples: Number of goals to imagine.
        rng: Stream of this decision.
    """

    def __init__(
        self, goals: GoalSampler, seen: SeenItems, rate: float, samples: int, rng: random.Random
    ) -> None:
        self._acceptable = [goals.sample(rng)[1] for _ in range(samples)]
        self._seen = seen
        self._rate = rate

    def of(self, item: int) -> float:
        """Estimated probability of acceptance of one item, in [0, 1]."""
        hits = sum(1 for bits in self._acceptable if bits >> item & 1)
        return hits / len(self._acceptable) * (1.0 - self._seen.probability(item, self._rate))

    def rerank(self, items: Sequence[int]) -> tuple[int, ...]:
        """The items by falling estimate, ties in the order given."""
        return tuple(sorted(items, key=lambda item: -self.of(item)))
