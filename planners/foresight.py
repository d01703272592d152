"""What later offers would be, as rollouts foresee them where the EXNode chooses offers.

The EXNode reranks what is retrieved by estimated acceptance (:mod:`planners.acceptance`). Refining
in every rollout would cost more than it tells, but the rerank alone is cheap: the goals imagined
for a decision are known, so whatever is said or rejected inside a rollout leaves some of them
possible, and an item is worth the share of these that it would meet. A search that takes later
offers for the retriever's thinks little of what asking brings, and offers too early.
"""

from __future__ import annotations

from dialogue.acts import REJECT
from dialogue.view import DialogueView
from planners.exploitation import RANKING
from retrieval.structured import StructuredRetriever
from simulators.imagined import GoalPool
from simulators.seen import SeenItems


class Foresight:
    """What would be offered inside the rollouts of one decision: the first items, reranked.

    Args:
        start: The view that rollouts start from.
        structured: Retrieves.
        goals: The decision's imagined goals; bit k of the sets below is goal k.
        seen: Chance that an item has been seen.
        rate: Mean share of items that this user is believed to have seen.
    """

    def __init__(
        self,
        start: DialogueView,
        structured: StructuredRetriever,
        goals: GoalPool,
        seen: SeenItems,
        rate: float,
    ) -> None:
        self._structured = structured
        self._goals = goals.goals
        self._seen = seen
        self._rate = rate
        self._likes = [frozenset(values) for values in start.state.likes]
        self._dislikes = [frozenset(values) for values in start.state.dislikes]
        self._heard = len(start.offers)
        self._everything = (1 << len(self._goals)) - 1
        self._meeting: dict[int, tuple[int, float]] = {}
        self._wanting = self._by_value()
        self._tops: dict[tuple[object, ...], tuple[int, ...]] = {}

    def top(self, view: DialogueView, count: int) -> tuple[int, ...]:
        """The best items not offered yet; those beyond the first ten keep their order."""
        found = self._structured.top(view, max(count, RANKING))
        possible = self._possible(view)
        if not possible:
            return found[:count]
        key = (possible, found)
        order = self._tops.get(key)
        if order is None:
            worth = {item: self._worth(item, possible) for item in found[:RANKING]}
            first = sorted(worth, key=lambda item: -worth[item])
            order = self._tops[key] = (*first, *found[RANKING:])
        return order[:count]

    def _by_value(self) -> dict[tuple[int, int], int]:
        found: dict[tuple[int, int], int] = {}
        for k, (goal, _) in enumerate(self._goals):
            for f, values in enumerate(goal.values):
                for value in values:
                    found[f, value] = found.get((f, value), 0) | 1 << k
        return found

    def _possible(self, view: DialogueView) -> int:
        """The goals that what happened in the rollout leaves possible."""
        left, state = self._everything, view.state
        for f, values in enumerate(state.likes):
            for value in values:
                if value not in self._likes[f]:
                    left &= self._wanting.get((f, value), 0)
        for f, values in enumerate(state.dislikes):
            for value in values:
                if value not in self._dislikes[f]:
                    left &= ~self._wanting.get((f, value), 0)
        for item, reaction in view.offers[self._heard :]:
            if reaction == REJECT:
                left &= ~self._met(item)[0]
        return left

    def _met(self, item: int) -> tuple[int, float]:
        """The goals that an item meets, and the chance that it has not been seen."""
        found = self._meeting.get(item)
        if found is None:
            goals = 0
            for k, (_, acceptable) in enumerate(self._goals):
                goals |= (acceptable >> item & 1) << k
            unseen = 1.0 - self._seen.probability(item, self._rate)
            found = self._meeting[item] = goals, unseen
        return found

    def _worth(self, item: int, possible: int) -> float:
        goals, unseen = self._met(item)
        return (goals & possible).bit_count() * unseen
