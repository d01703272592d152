"""The embedded action scorer: priors over actions from the public view (dreams §A.3.3).

It plays the part of the language model's scores: which acts fit the moment, without looking ahead.
Acts that do not apply get zero, so that a small search does not spread over them.
"""

from __future__ import annotations

from dataclasses import dataclass, fields

from dialogue.constants import check_constants
from dialogue.view import DialogueView


@dataclass(frozen=True, slots=True)
class ScorerSettings:
    """Constants of the scorer, each in 0..1,000,000; scores are relative.

    Attributes:
        explain: Score of ItemExplanation when the user asked for details.
        reflect: Score of FailureReflection after a rejection with a stated reason.
        reflect_blind: The same after a rejection without one.
        ask: Score of an inquiry about a facet about which nothing is known.
        clarify: Score of an inquiry about a facet with an open ambiguity.
        again: Score of an inquiry about a facet that is known in part.
        recommend: Score of ItemRec when the best tier holds a single item; it falls to
            ``recommend_least`` as the tier grows.
        recommend_least: Score of ItemRec when nothing is known.
        tired: Factor on the scores of questions per question just asked.
        elsewhere: Factor on the score of an inquiry about another facet right after a rejection
            with a stated reason; 0 always takes the reason up first (FGE2), 1 leaves it open.
    """

    explain: float = 8.0
    reflect: float = 2.0
    reflect_blind: float = 3.0
    ask: float = 2.0
    clarify: float = 2.5
    again: float = 0.8
    recommend: float = 3.0
    recommend_least: float = 0.8
    tired: float = 0.4
    elsewhere: float = 1.0

    def __post_init__(self) -> None:
        """Check ranges; ValueError names the constant that is out of its range."""
        ranges = {field.name: (0.0, 1e6) for field in fields(self)}
        check_constants(self, ranges, place="ScorerSettings")


class EmbeddedScorer:
    """Scores actions by rule; a pure function of the view."""

    def __init__(self, settings: ScorerSettings | None = None) -> None:
        self._settings = settings or ScorerSettings()

    def scores(self, view: DialogueView) -> list[float]:
        """Non-negative scores, length F + 3; at least one is positive."""
        rules, n_facets = self._settings, len(view.asked)
        scores = [0.0] * (n_facets + 3)
        if view.details >= 0:
            scores[n_facets + 2] = rules.explain
        tired = rules.tired**view.streak
        for f in range(n_facets):
            scores[f] = self._inquiry(view, f) * tired
        if view.just_rejected:
            scores[n_facets] = (
                rules.reflect if view.reason[0] >= 0 else rules.reflect_blind
            ) * tired
        if view.offered != view.catalog.everything:
            scores[n_facets + 1] = self._recommend(view)
        if not any(scores):
            scores[0] = 1.0
        return scores

    def _inquiry(self, view: DialogueView, f: int) -> float:
        rules, state = self._settings, view.state
        if state.closed[f]:
            return 0.0
        if state.ambiguous[f]:
            return rules.clarify * self._taken_up(view, f)
        known = rules.again if state.likes[f] else rules.ask
        return known * 0.5 ** state.evasions[f] * self._taken_up(view, f)

    def _taken_up(self, view: DialogueView, f: int) -> float:
        elsewhere = view.just_rejected and view.reason[0] not in (-1, f)
        return self._settings.elsewhere if elsewhere else 1.0

    def _recommend(self, view: DialogueView) -> float:
        rules = self._settings
        found = view.assess()
        sharp = 1.0 / (1.0 + 0.5 * found.entropy)
        return rules.recommend_least + (rules.recommend - rules.recommend_least) * sharp
