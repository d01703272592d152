"""The scorer without search: what Dreams would do if it only followed its prior."""

from __future__ import annotations

import numpy as np

from dialogue.view import DialogueView
from language.llm.roles import Roles
from planners.model_scorer import ModelScorer
from planners.scorer import EmbeddedScorer, ScorerSettings


class PriorOnly:
    """Takes the action with the highest prior; the environment's retriever fills the rest.

    Args:
        settings: Constants of the embedded scorer.
        roles: Whether a language model plays ``score``; default: not.

    Attributes:
        asks: Roles that it asks for, where a language model plays them.
    """

    asks = ("score",)

    def __init__(self, settings: ScorerSettings | None = None, roles: Roles | None = None) -> None:
        settings = settings or ScorerSettings()
        on_model = roles is not None and roles.is_model("score")
        self._scorer: ModelScorer | EmbeddedScorer = EmbeddedScorer(settings)
        if roles is not None and on_model:
            self._scorer = ModelScorer(settings, roles)

    def reset(self, view: DialogueView, rng: np.random.Generator) -> None:
        """Nothing to forget."""

    def decide(self, view: DialogueView, rng: np.random.Generator) -> int:
        """The best scored action, the lower index among equals."""
        scores = self._scorer.scores(view)
        return scores.index(max(scores))
