"""Estimated acceptance.

How likely an item is a target, by imagined goals and what people have seen.
"""

from __future__ import annotations

from collections.abc import Sequence

from simulators.imagined import GoalPool
from simulators.seen import SeenItems


class AcceptanceEstimate:
    """Chance that the user would accept an item, from goals imagined for the present view.

    Nobody has seen every target (:mod:`simulators.seen`), so the only target of a goal is unseen
    for certain. That is left out: imagined goals have a single target more often than goals of the
    published rule, and with it fewer held-out dialogues succeeded (.763 of 300 against .777).

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
        self._met: dict[int, int] = {}
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
        unseen = 1.0 - self._seen.probability(item, self._rate)
        return (self.met(item) & possible).bit_count() * unseen

    def met(self, item: int) -> int:
        """Bit set of the goals that an item meets, seen or not."""
        found = self._met.get(item)
        if found is None:
            found = 0
            for k, acceptable in enumerate(self._acceptable):
                found |= (acceptable >> item & 1) << k
            self._met[item] = found
        return found
