"""Dreams: ELNode search for what to do, EXNode refinement for what to recommend (dreams §4, Algorithm 1)."""

from __future__ import annotations

import random
from dataclasses import dataclass, field
from typing import Any, Literal

import numpy as np

from dialogue.state import PreferenceState
from dialogue.view import DialogueView, SystemTurn
from planners.acceptance import AcceptanceEstimate
from planners.belief import ProfileBelief, load_profiles
from planners.dreams_model import ConversationEvaluator, ConversationModel
from planners.exploitation import EXNode, RefinementSettings, tree_json
from planners.scorer import EmbeddedScorer, ScorerSettings
from planners.tools import PlannerTools
from rewards.total import Reward, make_reward
from search import UCT, SearchResult, UCTSettings
from simulators.imagined import GoalSampler, ImaginationSettings

EMBEDDED_SIMULATIONS = 400
"""n(El) with ``auto`` and embedded rollouts: they cost no model call (the paper's 5 is for model calls)."""


@dataclass(frozen=True)
class DreamsSettings:
    """Everything about Dreams that a user may change; ``conf/planner/dreams.yaml`` says where defaults come from.

    Attributes:
        n_el: Simulations per decision, n(El); ``auto`` is 400 with embedded rollouts.
        search: Constants of the ELNode search (c, gamma, k(El), W_tree, W_LLM, ...).
        refinement: Constants of the EXNode (n(Ex), weights).
        scorer: Constants of the embedded action scorer.
        imagination: Constants of goal sampling.
        user_model: ``learned`` (belief over profiles learned from train dialogues) or ``generic`` (one row).
        acceptance_samples: Goals imagined to estimate acceptance in the EXNode.
        m: Samples of the scorer that a prior averages (dreams §4.2); the embedded scorer never varies.
        look: Items that the leaf value considers; 0 turns the leaf value off.
        first_inquiries: Forced inquiries at the start (the paper searches from the first turn; its released code
            forces two).
        force_reflection: Whether a rejection forces FailureReflection (a later version of the released code does).
        search_dislikes: Whether the search state keeps dislikes (the paper does; its released code does not).
        trace: Whether each decision's trees go into the record.
        trace_depth: Plies of the search tree that a trace shows.
        trace_visits: Fewest visits of a node that a trace shows.
    """

    n_el: int | Literal["auto"] = "auto"
    search: UCTSettings = field(default_factory=UCTSettings)
    refinement: RefinementSettings = field(default_factory=RefinementSettings)
    scorer: ScorerSettings = field(default_factory=ScorerSettings)
    imagination: ImaginationSettings = field(default_factory=ImaginationSettings)
    user_model: str = "learned"
    acceptance_samples: int = 200
    m: int = 1
    look: int = 3
    first_inquiries: int = 0
    force_reflection: bool = False
    search_dislikes: bool = True
    trace: bool = False
    trace_depth: int = 3
    trace_visits: int = 3

    @property
    def simulations(self) -> int:
        """Simulations per decision."""
        return EMBEDDED_SIMULATIONS if self.n_el == "auto" else self.n_el


class Dreams:
    """The planner. It reads the public view and imagines users; true goals never reach it.

    Args:
        settings: Constants.
        reward: The reward to plan for; rollouts run it on imagined goals.
        tools: What is shared by all dialogues of a catalogue; made at the first reset when None.
    """

    def __init__(self, settings: DreamsSettings | None = None, reward: Reward | None = None) -> None:
        self.settings = settings or DreamsSettings()
        self.reward = reward or make_reward()
        self._profiles = load_profiles(self.settings.user_model)
        self._tools: PlannerTools | None = None
        self.last_search: SearchResult | None = None

    def reset(self, view: DialogueView, rng: np.random.Generator) -> None:
        """Forget the last dialogue."""
        if self._tools is None or self._tools.catalog is not view.catalog:
            self._tools = PlannerTools(view.catalog)
        self.last_search = None

    def decide(self, view: DialogueView, rng: np.random.Generator) -> SystemTurn:
        """Search for an action; refine the query when it is ItemRec."""
        stream = random.Random(int(rng.integers(1 << 62)))
        domain = view.catalog.domain
        forced = self._forced(view)
        if forced is not None:
            return SystemTurn(forced)
        goals = GoalSampler(view, self._ready(view).retriever, self.settings.imagination)
        belief = ProfileBelief(self._profiles, view)
        found = self._search(view, goals, belief, stream)
        self.last_search = found
        trace: dict[str, object] | None = None
        if self.settings.trace:
            trace = {"elicitation": self._trace(found, view), "belief": belief.weights}
        if found.action != domain.recommend:
            return SystemTurn(found.action, search_changed=found.changed_decision, trace=trace)
        estimate = AcceptanceEstimate(
            goals, self._ready(view).seen, belief.mean("seen"), self.settings.acceptance_samples, stream
        )
        node = EXNode(view.catalog, self._ready(view).ranker(view), estimate, self.settings.refinement)
        best, root = node.recommend(view)
        if trace is not None:
            trace["exploitation"] = {"chosen": best.strategy, "tree": tree_json(root, view.catalog)}
        return SystemTurn(
            domain.recommend,
            query=best.query.text,
            ranking=best.ranking,
            search_changed=found.changed_decision,
            trace=trace,
        )

    def _ready(self, view: DialogueView) -> PlannerTools:
        if self._tools is None:
            raise RuntimeError("Dreams.decide before reset: call reset(view, rng) at the start of a dialogue")
        return self._tools

    def _forced(self, view: DialogueView) -> int | None:
        if view.turn < self.settings.first_inquiries:
            unasked = [f for f, times in enumerate(view.asked) if not times]
            return unasked[0] if unasked else None
        if self.settings.force_reflection and view.just_rejected:
            return view.catalog.domain.reflect
        return None

    def _search(
        self, view: DialogueView, goals: GoalSampler, belief: ProfileBelief, stream: random.Random
    ) -> SearchResult:
        tools, settings = self._ready(view), self.settings
        start = view if settings.search_dislikes else _without_dislikes(view)
        model = ConversationModel(start, goals, belief, self.reward, tools.seen, tools.vague, tools.retriever)
        scorer = EmbeddedScorer(tools.retriever, settings.scorer)
        evaluator = ConversationEvaluator(
            scorer, tools.retriever, self.reward, settings.search.discount, settings.look, settings.m
        )
        return UCT(model, evaluator, settings.search).search(stream, settings.simulations)

    def _trace(self, found: SearchResult, view: DialogueView) -> dict[str, Any]:
        trace = found.to_json(self.settings.trace_depth, self.settings.trace_visits)
        trace["actions"] = list(view.catalog.domain.actions)
        return trace


def _without_dislikes(view: DialogueView) -> DialogueView:
    start = view.fork()
    empty = PreferenceState(len(view.asked))
    start.state.dislikes, start.state.doubts = empty.dislikes, empty.doubts
    return start
