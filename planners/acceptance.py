"""Estimated acceptance.

How likely an item is a target, by imagined goals and what people have seen.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

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
        self._count = len(goals.goals)
        self._seen = seen
        self._rate = rate
        self._meets = _by_item([acceptable for _, acceptable in goals.goals])
        self._met: dict[int, int] = {}
        self.everything = (1 << self._count) - 1

    def of(self, item: int) -> float:
        """Estimated probability of acceptance of one item, in [0, 1]."""
        return self.worth(item, self.everything) / self._count

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
            known = item < len(self._meets)
            found = int.from_bytes(self._meets[item].tobytes(), "little") if known else 0
            self._met[item] = found
        return found


def _by_item(acceptable: Sequence[int]) -> NDArray[np.uint8]:
    """Bit sets of items by goal turned into bit sets of goals, a row of bytes an item.

    Shape (items, goals / 8); items beyond the last that any goal accepts are left out. Bit by bit
    it would take a tenth of a decision's time.
    """
    size = (max(acceptable).bit_length() + 7) // 8
    if not size:
        return np.zeros((0, 0), np.uint8)
    packed = b"".join(items.to_bytes(size, "little") for items in acceptable)
    rows = np.frombuffer(packed, np.uint8).reshape(len(acceptable), size)
    bits = np.unpackbits(rows, axis=1, bitorder="little")
    return np.packbits(np.ascontiguousarray(bits.T), axis=1, bitorder="little")
