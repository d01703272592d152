"""Estimated acceptance.

How likely an item is a target that the user has not seen, by imagined goals.
"""

from __future__ import annotations

from collections.abc import Sequence

from catalogs.catalog import members
from simulators.imagined import GoalPool
from simulators.seen import SeenItems

FEW = 8
"""Targets of a goal up to which it matters that not all of them have been seen."""


class AcceptanceEstimate:
    """Chance that the user would accept an item, from goals imagined for the present view.

    Nobody has seen every target (:mod:`simulators.seen`): of a goal's items A, item i is unseen
    with probability ``1 - p_i + prod(p_j for j in A) / |A|``, which is 1 where it is the only one.

    Args:
        goals: Goals that fit the view; bit k of the sets below is goal k.
        seen: Chance that an item has been seen, by rate.
        rate: Mean share of items that this user is believed to have seen.

    Attributes:
        everything: Bit set of all goals.
    """

    def __init__(self, goals: GoalPool, seen: SeenItems, rate: float) -> None:
        self._acceptable = [acceptable for _, acceptable in goals.goals]
        self._seen = seen
        self._rate = rate
        self._spared = [self._spare(acceptable) for acceptable in self._acceptable]
        self._chances: dict[int, tuple[tuple[int, float], ...]] = {}
        self.everything = (1 << len(self._acceptable)) - 1

    def of(self, item: int) -> float:
        """Estimated probability of acceptance of one item, in [0, 1]."""
        return self.worth(item, self.everything) / len(self._acceptable)

    def rerank(self, items: Sequence[int]) -> tuple[int, ...]:
        """The items by falling estimate, ties in the order given."""
        return tuple(sorted(items, key=lambda item: -self.of(item)))

    def worth(self, item: int, possible: int) -> float:
        """Expected number of the possible goals that would accept the item.

        Args:
            item: Item index.
            possible: Bit set of goals.
        """
        return sum((goals & possible).bit_count() * chance for goals, chance in self._of(item))

    def met(self, item: int) -> int:
        """Bit set of the goals that an item meets, seen or not."""
        found = 0
        for goals, _ in self._of(item):
            found |= goals
        return found

    def _of(self, item: int) -> tuple[tuple[int, float], ...]:
        """Goals that the item meets, by the chance that it is unseen then."""
        found = self._chances.get(item)
        if found is None:
            unseen = 1.0 - self._seen.probability(item, self._rate)
            by_spare: dict[float, int] = {}
            for k, acceptable in enumerate(self._acceptable):
                if acceptable >> item & 1:
                    spare = self._spared[k]
                    by_spare[spare] = by_spare.get(spare, 0) | 1 << k
            found = tuple((goals, unseen + spare) for spare, goals in by_spare.items())
            self._chances[item] = found
        return found

    def _spare(self, acceptable: int) -> float:
        """What is added to each item's chance since not all of a goal's items have been seen."""
        count = acceptable.bit_count()
        if not 0 < count <= FEW:
            return 0.0
        product = 1.0
        for item in members(acceptable):
            product *= self._seen.probability(item, self._rate)
        return product / count
