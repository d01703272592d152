"""The scorer without search: what Dreams would do if it only followed its prior."""

from __future__ import annotations

import numpy as np

from dialogue.view import DialogueView
from planners.scorer import EmbeddedScorer, ScorerSettings


class PriorOnly:
    """Takes the action with the highest prior; the environment's retriever fills the rest."""

    def __init__(self, settings: ScorerSettings | None = None) -> None:
        self._scorer = EmbeddedScorer(settings)

    def reset(self, view: DialogueView, rng: np.random.Generator) -> None:
        """Nothing to forget."""

    def decide(self, view: DialogueView, rng: np.random.Generator) -> int:
        """The best scored action, the lower index among equals."""
        scores = self._scorer.scores(view)
        return scores.index(max(scores))
