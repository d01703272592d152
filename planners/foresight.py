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
from planners.acceptance import AcceptanceEstimate
from planners.exploitation import RANKING
from retrieval.structured import StructuredRetriever
from simulators.imagined import GoalPool


class Foresight:
    """What would be offered inside the rollouts of one decision: the first items, reranked.

    Args:
        start: The view that rollouts start from.
        structured: Retrieves.
        goals: The decision's imagined goals; bit k of the sets below is goal k.
        estimate: What items are worth under these goals.
    """

    def __init__(
        self,
        start: DialogueView,
        structured: StructuredRetriever,
        goals: GoalPool,
        estimate: AcceptanceEstimate,
    ) -> None:
        self._structured = structured
        self._estimate = estimate
        self._likes = [frozenset(values) for values in start.state.likes]
        self._dislikes = [frozenset(values) for values in start.state.dislikes]
        self._reactions = [reaction for _, reaction in start.offers]
        self._wanting = _by_value(goals)
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
            worth = {item: self._estimate.worth(item, possible) for item in found[:RANKING]}
            first = sorted(worth, key=lambda item: -worth[item])
            order = self._tops[key] = (*first, *found[RANKING:])
        return order[:count]

    def _possible(self, view: DialogueView) -> int:
        """The goals that what happened in the rollout leaves possible."""
        left, state = self._estimate.everything, view.state
        for f, values in enumerate(state.likes):
            for value in values:
                if value not in self._likes[f]:
                    left &= self._wanting.get((f, value), 0)
        for f, values in enumerate(state.dislikes):
            for value in values:
                if value not in self._dislikes[f]:
                    left &= ~self._wanting.get((f, value), 0)
        for place, (item, reaction) in enumerate(view.offers):
            # An offer that was undecided at the start may have been rejected since.
            before = self._reactions[place] if place < len(self._reactions) else None
            if reaction == REJECT != before:
                left &= ~self._estimate.met(item)
        return left


def _by_value(goals: GoalPool) -> dict[tuple[int, int], int]:
    """By facet and value, the goals that want it."""
    found: dict[tuple[int, int], int] = {}
    for k, (goal, _) in enumerate(goals.goals):
        for f, values in enumerate(goal.values):
            for value in values:
                found[f, value] = found.get((f, value), 0) | 1 << k
    return found
