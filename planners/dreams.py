"""Dreams.

ELNode search for what to do, EXNode refinement for what to recommend (dreams §4, Algorithm 1).
Switches of the settings leave parts out (dreams Table 4).
"""

from __future__ import annotations

import random
from concurrent.futures import Future, wait
from functools import partial
from typing import Any

import numpy as np

from dialogue.view import DialogueView, SystemTurn
from language.llm.roles import Roles, open_roles
from language.prompts import refining_text
from planners.belief import load_profiles
from planners.dreams_settings import DreamsSettings
from planners.elicitation import ELNode
from planners.exploitation import EXNode, tree_json
from planners.free_form import Choose, FreeForm
from planners.hypotheses import Hypotheses, imagine
from planners.offering import Offer, from_history, from_state
from planners.refiner import EmbeddedRefiner, ModelRefiner
from planners.tools import PlannerTools
from retrieval.situation import check_channel
from rewards.total import Reward, make_reward
from search import SearchResult


class Dreams:
    """The planner. It reads the public view and imagines users; true goals never reach it.

    Args:
        settings: Constants.
        reward: The reward to plan for; rollouts run it on imagined goals.
        roles: Which of the roles that it asks for a language model plays; default: none.
        choose: The choice of an action without a state; only with ``context="history"``.

    Attributes:
        asks: Roles that it asks for, where a language model plays them.
        prompts: By role, prompts other than the role's usual one.
    """

    def __init__(
        self,
        settings: DreamsSettings | None = None,
        reward: Reward | None = None,
        roles: Roles | None = None,
        choose: Choose | None = None,
    ) -> None:
        self.settings = settings or DreamsSettings()
        self.reward = reward or make_reward()
        self.roles = roles or open_roles(None)
        self._profiles = load_profiles(self.settings.user_model)
        self._tools: PlannerTools | None = None
        self._free_form: FreeForm | None = None
        self.asks = self.settings.asks()
        self.prompts: dict[str, str] = {}
        if self.settings.context == "history":
            if choose is None:
                raise ValueError("context='history' needs choose, the choice without a state")
            self._free_form = FreeForm(self.settings, self.roles, choose)
            self.prompts["refine"] = refining_text.PROMPT
        self.last_search: SearchResult | None = None

    def reset(self, view: DialogueView, rng: np.random.Generator) -> None:
        """Forget the last dialogue.

        Raises:
            ValueError: The settings need texts, and the environment has ``channel=acts``.
        """
        if "history" in (self.settings.context, self.settings.retrieve):
            check_channel(view, "this planner")
        if self._tools is None or self._tools.catalog is not view.catalog:
            self._tools = PlannerTools(view.catalog)
        self.last_search = None

    def decide(self, view: DialogueView, rng: np.random.Generator) -> SystemTurn:
        """Refine the query, search for an action, and offer the refined choice on ItemRec."""
        if self._free_form is not None:
            return self._free_form.decide(view, self._ready())
        stream = random.Random(int(rng.integers(1 << 62)))
        forced = self._forced(view)
        if forced is not None:
            return SystemTurn(forced)
        if self.settings.act == "prior":
            return self._choose(view, stream)
        hypotheses = self._imagine(view, stream)
        offer = self._offer(view, hypotheses)
        asked = self._ask_refinement(view, hypotheses, early=True)
        item = offer.ranking[0] if offer else -1
        try:
            found = self._elicitation().search(view, hypotheses, item, stream)
        except BaseException:
            if asked is not None and not asked.cancel():
                wait([asked])  # what it costs is booked to this dialogue
            raise
        self.last_search = found
        if asked is None and found.action == view.catalog.domain.recommend:
            asked = self._ask_refinement(view, hypotheses, early=False)
        if asked is not None:
            offer = asked.result()
        told = self._trace(view, found, hypotheses, offer) if self.settings.trace else None
        return self._turn(view, found.action, offer, found.changed_decision, told)

    def _imagine(self, view: DialogueView, stream: random.Random) -> Hypotheses:
        rules = self.settings
        return imagine(view, self._ready(), rules.imagination, rules.goals, self._profiles, stream)

    def _elicitation(self) -> ELNode:
        return ELNode(self._ready(), self.settings, self.reward, self.roles)

    def _choose(self, view: DialogueView, stream: random.Random) -> SystemTurn:
        """Direct choice: the action with the highest prior, the lower index among equals."""
        scores = self._elicitation().scores(view)
        action = scores.index(max(scores))
        offer = None
        if action == view.catalog.domain.recommend:
            hypotheses = self._imagine(view, stream)
            asked = self._ask_refinement(view, hypotheses, early=False)
            offer = self._offer(view, hypotheses) if asked is None else asked.result()
        trace: dict[str, object] | None = None
        if self.settings.trace:
            names = list(view.catalog.domain.actions)
            trace = {"choice": {"chosen": action, "actions": names, "scores": scores}}
            trace |= _refinement(view, offer)
        return self._turn(view, action, offer, None, trace)

    def _turn(
        self,
        view: DialogueView,
        action: int,
        offer: Offer | None,
        changed: bool | None,
        trace: dict[str, object] | None,
    ) -> SystemTurn:
        if action != view.catalog.domain.recommend or offer is None:
            return SystemTurn(action, search_changed=changed, trace=trace)
        return SystemTurn(
            action, query=offer.query, ranking=offer.ranking, search_changed=changed, trace=trace
        )

    def _offer(
        self,
        view: DialogueView,
        hypotheses: Hypotheses,
        refiner: ModelRefiner | None = None,
    ) -> Offer | None:
        """What ItemRec would offer; None when every item has been offered.

        The embedded one is made before the search, which needs to know it.
        """
        tools, rules = self._ready(), self.settings.refinement
        if view.offered == view.catalog.everything:
            return None
        if self.settings.retrieve == "state":
            return from_state(view)
        if self.settings.retrieve == "history":
            return from_history(view)
        node = EXNode(view.catalog, tools.ranker(view), hypotheses.acceptance, rules, refiner)
        best, root = node.recommend(view)
        return Offer(best.query.text, best.ranking, (best, root))

    def _ask_refinement(
        self, view: DialogueView, hypotheses: Hypotheses, early: bool
    ) -> Future[Offer | None] | None:
        """Start the EXNode on a language model; None where it is embedded, left out, or not due.

        Where the search waits for a model too, it runs beside it and takes no time of its own;
        elsewhere it starts when the search has decided for ItemRec, so that no call is wasted.
        """
        refines = self.settings.retrieve == "refined" and self.roles.is_model("refine")
        searches = self.settings.act == "search" and self.roles.is_model("imagine")
        if not refines or early != searches:
            return None
        refiner = ModelRefiner(view, EmbeddedRefiner(view.catalog), self.roles)
        return self.roles.submit(partial(self._offer, view, hypotheses, refiner))

    def _ready(self) -> PlannerTools:
        if self._tools is None:
            raise RuntimeError(
                "Dreams.decide before reset: call reset(view, rng) at the start of a dialogue"
            )
        return self._tools

    def _forced(self, view: DialogueView) -> int | None:
        if view.turn < self.settings.first_inquiries:
            unasked = [f for f, times in enumerate(view.asked) if not times]
            return unasked[0] if unasked else None
        if self.settings.force_reflection and view.just_rejected:
            return view.catalog.domain.reflect
        return None

    def _trace(
        self,
        view: DialogueView,
        found: SearchResult,
        hypotheses: Hypotheses,
        offer: Offer | None,
    ) -> dict[str, object]:
        """Both trees of a decision and the belief behind them, JSON-compatible."""
        elicitation: dict[str, Any] = found.to_json(
            self.settings.trace_depth, self.settings.trace_visits
        )
        elicitation["actions"] = list(view.catalog.domain.actions)
        trace: dict[str, object] = {"elicitation": elicitation, "belief": hypotheses.belief.weights}
        return trace | _refinement(view, offer)


def _refinement(view: DialogueView, offer: Offer | None) -> dict[str, object]:
    """The refinement tree for the record, if there is one."""
    if offer is None or offer.nodes is None:
        return {}
    best, root = offer.nodes
    return {"exploitation": {"chosen": best.strategy, "tree": tree_json(root, view.catalog)}}
