"""Retrieval inside rollouts where ItemRec retrieves with the dialogue's text (no EXNode).

Rollouts have no texts. What the imagined user says there counts as the names of its values, added
to what was really said, so that a search expects of later offers what they will be worth.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from dialogue.view import Assessment, DialogueView
from retrieval.situation import whole_dialogue
from retrieval.spoken import SpokenRanker
from retrieval.structured import StructuredRetriever

Scores = NDArray[np.float32]
NameScores = dict[tuple[int, int], Scores]
"""Scores of all items by a value's name."""

MOST_NAMES = 1000
"""Names whose scores are kept; one takes four bytes an item."""


class TextRolloutRetriever:
    """Shared retriever of the rollouts of one decision.

    Args:
        start: The view that rollouts start from.
        heard: The view with the dialogue's texts.
        ranker: Scores items by text.
        structured: Assesses how many items fit, which does not depend on their order.
        names: Scores by name so far, of the same ranker; added to.
    """

    def __init__(
        self,
        start: DialogueView,
        heard: DialogueView,
        ranker: SpokenRanker,
        structured: StructuredRetriever,
        names: NameScores,
    ) -> None:
        self._catalog = start.catalog
        self._ranker = ranker
        self._structured = structured
        self._names = names
        self._said = ranker.scores(whole_dialogue(heard))
        self._before = [frozenset(values) for values in start.state.likes]
        self._tops: dict[tuple[object, ...], tuple[int, ...]] = {}

    def top(self, view: DialogueView, count: int) -> tuple[int, ...]:
        """The best items not offered yet, by what was said before and in the rollout."""
        key = (view.offered, count, *view.state.likes)
        found = self._tops.get(key)
        if found is None:
            found = self._tops[key] = self._rank(view, count)
        return found

    def assess(self, view: DialogueView) -> Assessment:
        """The structured assessment, with this ranking's first item as ``best``."""
        best = self.top(view, 1)
        return self._structured.assess(view)._replace(best=best[0] if best else -1)

    def _rank(self, view: DialogueView, count: int) -> tuple[int, ...]:
        scores = self._said.copy()
        for f, values in enumerate(view.state.likes):
            for value in values:
                if value not in self._before[f]:
                    scores += self._name(f, value)
        left = view.offered
        while left:
            low = left & -left
            scores[low.bit_length() - 1] = -1.0
            left ^= low
        found: list[int] = []
        for _ in range(count):
            best = int(scores.argmax())  # the first among equals, which is the more familiar
            if scores[best] < 0.0:
                break
            found.append(best)
            scores[best] = -1.0
        return tuple(found)

    def _name(self, facet: int, value: int) -> Scores:
        found = self._names.get((facet, value))
        if found is None:
            found = self._ranker.scores(self._catalog.value(facet, value))
            if len(self._names) >= MOST_NAMES:
                self._names.clear()
            self._names[facet, value] = found
        return found
