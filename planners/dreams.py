"""Dreams.

ELNode search for what to do, EXNode refinement for what to recommend (dreams §4, Algorithm 1).
"""

from __future__ import annotations

import random
from concurrent.futures import Future, wait
from functools import partial
from itertools import count
from typing import Any

import numpy as np

from dialogue.state import PreferenceState
from dialogue.view import DialogueView, SystemTurn
from language.llm.roles import Roles, open_roles
from planners.acceptance import AcceptanceEstimate
from planners.belief import ProfileBelief, load_profiles
from planners.dreams_model import ConversationEvaluator, ConversationModel, MakeImagined
from planners.dreams_settings import DreamsSettings
from planners.exploitation import EXNode, QueryNode, tree_json
from planners.model_rollouts import ModelEvaluator, ModelImaginedUser
from planners.model_scorer import ModelScorer, summed
from planners.refiner import EmbeddedRefiner, ModelRefiner, Refiner
from planners.scorer import EmbeddedScorer
from planners.tools import PlannerTools
from rewards.total import Reward, make_reward
from search import UCT, SearchResult
from search.lockstep import StepMap
from simulators.imagined import GoalPool, GoalSampler, ImaginedUser


class Dreams:
    """The planner. It reads the public view and imagines users; true goals never reach it.

    Args:
        settings: Constants.
        reward: The reward to plan for; rollouts run it on imagined goals.
        roles: Which of ``score``, ``imagine`` and ``refine`` a language model plays; default: none.

    Attributes:
        asks: Roles that it asks for, where a language model plays them.
    """

    asks = ("score", "imagine", "refine")

    def __init__(
        self,
        settings: DreamsSettings | None = None,
        reward: Reward | None = None,
        roles: Roles | None = None,
    ) -> None:
        self.settings = settings or DreamsSettings()
        self.reward = reward or make_reward()
        self.roles = roles or open_roles(None)
        self._profiles = load_profiles(self.settings.user_model)
        self._tools: PlannerTools | None = None
        self.last_search: SearchResult | None = None

    def reset(self, view: DialogueView, rng: np.random.Generator) -> None:
        """Forget the last dialogue."""
        if self._tools is None or self._tools.catalog is not view.catalog:
            self._tools = PlannerTools(view.catalog)
        self.last_search = None

    def decide(self, view: DialogueView, rng: np.random.Generator) -> SystemTurn:
        """Refine the query, search for an action, and offer the refined choice on ItemRec."""
        stream = random.Random(int(rng.integers(1 << 62)))
        domain = view.catalog.domain
        forced = self._forced(view)
        if forced is not None:
            return SystemTurn(forced)
        sampler = GoalSampler(view, self._ready().retriever, self.settings.imagination)
        goals = GoalPool(sampler, self.settings.goals, stream)
        belief = ProfileBelief(self._profiles, view)
        refined = self._refine(view, goals, belief)
        offer = refined[0].ranking[0] if refined else -1
        asked = self._ask_refinement(view, goals, belief, early=True)
        try:
            found = self._search(view, goals, belief, offer, stream)
        except BaseException:
            if asked is not None and not asked.cancel():
                wait([asked])  # what it costs is booked to this dialogue
            raise
        self.last_search = found
        if asked is None and found.action == domain.recommend:
            asked = self._ask_refinement(view, goals, belief, early=False)
        if asked is not None:
            refined = asked.result()
        trace = self._trace(view, found, belief, refined) if self.settings.trace else None
        if found.action != domain.recommend or refined is None:
            return SystemTurn(found.action, search_changed=found.changed_decision, trace=trace)
        best = refined[0]
        return SystemTurn(
            domain.recommend,
            query=best.query.text,
            ranking=best.ranking,
            search_changed=found.changed_decision,
            trace=trace,
        )

    def _refine(
        self,
        view: DialogueView,
        goals: GoalPool,
        belief: ProfileBelief,
        refiner: Refiner | None = None,
    ) -> tuple[QueryNode, QueryNode] | None:
        """The EXNode's best query and its tree's root; None when every item has been offered.

        The embedded one is made before the search, which needs to know what ItemRec would offer.
        """
        tools = self._ready()
        if view.offered == view.catalog.everything:
            return None
        estimate = AcceptanceEstimate(goals, tools.seen, belief.mean("seen"))
        rules = self.settings.refinement
        node = EXNode(view.catalog, tools.ranker(view), estimate, rules, refiner)
        return node.recommend(view)

    def _ask_refinement(
        self, view: DialogueView, goals: GoalPool, belief: ProfileBelief, early: bool
    ) -> Future[tuple[QueryNode, QueryNode] | None] | None:
        """Start the EXNode on a language model; None where it is embedded, or not due yet.

        Where the search waits for a model too, it runs beside it and takes no time of its own;
        elsewhere it starts when the search has decided for ItemRec, so that no call is wasted.
        """
        if not self.roles.is_model("refine") or early != self.roles.is_model("imagine"):
            return None
        refiner = ModelRefiner(view, EmbeddedRefiner(view.catalog), self.roles)
        return self.roles.submit(partial(self._refine, view, goals, belief, refiner))

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

    def _search(
        self,
        view: DialogueView,
        goals: GoalPool,
        belief: ProfileBelief,
        offer: int,
        stream: random.Random,
    ) -> SearchResult:
        tools, settings = self._ready(), self.settings
        on_model = self.roles.is_model("imagine")
        simulations = settings.simulations(on_model)
        start = view if settings.search_dislikes else _without_dislikes(view)
        imagine: MakeImagined = ImaginedUser
        if on_model:
            imagine = partial(
                ModelImaginedUser, roles=self.roles, scorer=settings.scorer, numbers=count()
            )
        model = ConversationModel(
            start,
            goals,
            belief,
            self.reward,
            tools.seen,
            tools.vague,
            tools.retriever,
            offer,
            settings.exact_outcomes,
            imagine,
        )
        make = ModelEvaluator if on_model else ConversationEvaluator
        evaluator = make(
            EmbeddedScorer(settings.scorer),
            tools.retriever,
            self.reward,
            settings.search.discount,
            settings.look,
            self._root(start),
        )
        step_map: StepMap = self.roles.map if on_model else map
        search = UCT(model, evaluator, settings.uct(simulations), step_map)
        return search.search(stream, simulations)

    def _root(self, start: DialogueView) -> tuple[int, list[float]] | None:
        """Turn and scores of the root, summed over m samples; None for one embedded sample."""
        rules, samples = self.settings.scorer, self.settings.m
        if self.roles.is_model("score"):
            return start.turn, ModelScorer(rules, self.roles, samples).scores(start)
        if samples == 1:
            return None
        return start.turn, summed([tuple(EmbeddedScorer(rules).scores(start))] * samples)

    def _trace(
        self,
        view: DialogueView,
        found: SearchResult,
        belief: ProfileBelief,
        refined: tuple[QueryNode, QueryNode] | None,
    ) -> dict[str, object]:
        """Both trees of a decision and the belief behind them, JSON-compatible."""
        elicitation: dict[str, Any] = found.to_json(
            self.settings.trace_depth, self.settings.trace_visits
        )
        elicitation["actions"] = list(view.catalog.domain.actions)
        trace: dict[str, object] = {"elicitation": elicitation, "belief": belief.weights}
        if refined is not None:
            best, root = refined
            trace["exploitation"] = {"chosen": best.strategy, "tree": tree_json(root, view.catalog)}
        return trace


def _without_dislikes(view: DialogueView) -> DialogueView:
    start = view.fork()
    empty = PreferenceState(len(view.asked))
    start.state.dislikes, start.state.doubts = empty.dislikes, empty.doubts
    return start
