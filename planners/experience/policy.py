"""Dreams(EA): decides by a successful and a failed case instead of searching (dreams §5.6, B.1)."""

from __future__ import annotations

import random
from typing import Any, ClassVar

import numpy as np

from dialogue.experience import ExperienceBase
from dialogue.view import DialogueView, SystemTurn
from language.llm.roles import Roles, open_roles
from language.prompts import advising
from planners.belief import load_profiles
from planners.experience.advice import Advice, Advised, ask_advice
from planners.experience.choice import best, examples, weigh
from planners.experience.facts import public_numbers, structured_state
from planners.experience.outlook import Outlook
from planners.experience.settings import EASettings
from planners.experience.similarity import CaseIndex, Near, Pair
from planners.exploitation import QueryNode, tree_json
from planners.scorer import EmbeddedScorer
from planners.tools import PlannerTools


class DreamsEA:
    """The planner. Its experience comes from Dreams' dialogues with train and held-out users.

    A decision takes no tree search over dialogues. The structured state finds the most similar
    successful and failed case. A language model is shown both and decides (one call: action and
    refined query); on the embedded backend rules do, which average over a few such pairs. What to
    offer comes from the EXNode, as in Dreams.

    Args:
        settings: Constants; None: the defaults.
        base: The experience.
        roles: Whether a language model plays ``score``; default: not.

    Attributes:
        asks: Roles that it asks for, where a language model plays them.
        prompts: By role, prompts other than the role's usual one.
    """

    asks = ("score",)
    prompts: ClassVar[dict[str, str]] = {"score": advising.PROMPT}

    def __init__(
        self, settings: EASettings | None, base: ExperienceBase, roles: Roles | None = None
    ) -> None:
        self.settings = settings or EASettings()
        self.base = base
        self.roles = roles or open_roles(None)
        self._profiles = load_profiles(self.settings.outlook.user_model)
        self._scorer = EmbeddedScorer(self.settings.prior)
        self._tools: PlannerTools | None = None
        self._index: CaseIndex | None = None

    def reset(self, view: DialogueView, rng: np.random.Generator) -> None:
        """Prepare for the view's catalogue; nothing is kept from the last dialogue.

        Raises:
            ValueError: The experience is of another domain.
        """
        if self._tools is not None and self._tools.catalog is view.catalog:
            return
        domain = view.catalog.domain
        known = tuple(self.base.header["actions"])
        if known != domain.actions:
            raise ValueError(
                f"the experience base has the actions {', '.join(known)}, not the domain's "
                f"{', '.join(domain.actions)}; give another, or make it anew "
                f"(experience.rebuild=true)"
            )
        facets = [facet.name for facet in domain.facets]
        self._index = CaseIndex(self.base.experiences, facets, self.settings.similarity)
        self._tools = PlannerTools(view.catalog)

    def decide(self, view: DialogueView, rng: np.random.Generator) -> SystemTurn:
        """Look up similar cases and follow the better of them."""
        if self._tools is None or self._index is None:
            raise RuntimeError(
                "DreamsEA.decide before reset: call reset(view, rng) at the start of a dialogue"
            )
        stream = random.Random(int(rng.integers(1 << 62)))
        outlook = Outlook(view, self._tools, self.settings.outlook, self._profiles, stream)
        state, facts = structured_state(view), public_numbers(view, outlook)
        rules = self.settings.choice
        pair = self._index.nearest(state, facts, max(self.settings.pairs, rules.neighbours))
        priors = self._scorer.scores(view)
        cases = examples(pair, rules.neighbours)
        scores = weigh(view.catalog.domain.actions, priors, *cases, rules)
        action, nodes = best(scores, priors), outlook.nodes
        if self.roles.is_model("score"):
            advice = ask_advice(view, facts, pair, nodes, self.settings, self.roles)
            action = advice.action
            nodes = self._advised(view, outlook, advice)
        offer = nodes if action == view.catalog.domain.recommend else None
        trace = self._trace(view, pair, scores, offer) if self.settings.trace else None
        if offer is None:
            return SystemTurn(action, trace=trace)
        return SystemTurn(action, query=offer[0].query.text, ranking=offer[0].ranking, trace=trace)

    def _advised(
        self, view: DialogueView, outlook: Outlook, advice: Advice
    ) -> tuple[QueryNode, QueryNode] | None:
        """The EXNode's best query with the model's refinements, where there is an offer to make."""
        if advice.action != view.catalog.domain.recommend:
            return None
        return outlook.refined(Advised(view.state, advice.proposals))

    def _trace(
        self,
        view: DialogueView,
        pair: Pair,
        scores: list[float],
        offer: tuple[QueryNode, QueryNode] | None,
    ) -> dict[str, object]:
        """The cases and scores of a decision, JSON-compatible."""
        trace: dict[str, object] = {
            "experience": {
                "actions": list(view.catalog.domain.actions),
                "scores": scores,
                "successes": [_told(near) for near in pair.successes],
                "failures": [_told(near) for near in pair.failures],
            }
        }
        if offer is not None:
            chosen, root = offer
            trace["exploitation"] = {
                "chosen": chosen.strategy,
                "tree": tree_json(root, view.catalog),
            }
        return trace


def _told(near: Near) -> dict[str, Any]:
    case = near.case
    return {
        "split": case.split,
        "episode": case.episode,
        "turn": case.turn,
        "distance": near.distance,
        "action": case.action,
        "reason": case.reason,
    }
