"""The scorer without search: what Dreams would do if it only followed its prior."""

from __future__ import annotations

import numpy as np

from dialogue.view import DialogueView
from planners.scorer import EmbeddedScorer, ScorerSettings
from planners.tools import PlannerTools


class PriorOnly:
    """Takes the action with the highest prior; the environment's retriever fills the rest."""

    def __init__(self, settings: ScorerSettings | None = None) -> None:
        self._settings = settings
        self._scorer: EmbeddedScorer | None = None

    def reset(self, view: DialogueView, rng: np.random.Generator) -> None:
        """Nothing to forget beyond the catalogue."""
        self._scorer = EmbeddedScorer(PlannerTools(view.catalog).retriever, self._settings)

    def decide(self, view: DialogueView, rng: np.random.Generator) -> int:
        """The best scored action, the lower index among equals."""
        if self._scorer is None:
            raise RuntimeError("PriorOnly.decide before reset: call reset(view, rng) first")
        scores = self._scorer.scores(view)
        return scores.index(max(scores))
