"""Dreams.

ELNode search for what to do, EXNode refinement for what to recommend (dreams §4, Algorithm 1).
"""

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
from planners.exploitation import EXNode, QueryNode, RefinementSettings, tree_json
from planners.scorer import EmbeddedScorer, ScorerSettings
from planners.tools import PlannerTools
from rewards.total import Reward, make_reward
from search import UCT, SearchResult, UCTSettings
from simulators.imagined import GoalPool, GoalSampler, ImaginationSettings

EMBEDDED_SIMULATIONS = 400
"""n(El) with ``auto`` and embedded rollouts.

They cost no model call (the paper's 5 is for model calls).
"""

EXPLORATION = 6.0
"""c of Eq. 1 in units of a reward whose acceptance pays 10; chosen on train goals.

The paper names no value. Its released code has 1 for rewards of another size.
"""


@dataclass(frozen=True)
class DreamsSettings:
    """Everything about Dreams that a user may change.

    ``conf/planner/dreams.yaml`` says where the defaults come from.

    Attributes:
        n_el: Simulations per decision, n(El); ``auto`` is 400 with embedded rollouts.
        search: Constants of the ELNode search (c, gamma, k(El), W_tree, W_LLM, ...).
        refinement: Constants of the EXNode (n(Ex), weights).
        scorer: Constants of the embedded action scorer.
        imagination: Constants of goal sampling.
        user_model: ``learned`` (belief over profiles learned from train dialogues) or ``generic``
            (one row).
        goals: Goals imagined per decision, shared by simulations and acceptance estimates.
        exact_outcomes: Whether each exact reply is a branch of the tree. By default replies that
            differ only in the values named share one, so that a few hundred simulations reach the
            second decision often enough to choose there.
        m: Samples of the scorer that a prior averages (dreams §4.2); the embedded scorer never
            varies.
        look: Items that the leaf value considers; 0 turns the leaf value off.
        first_inquiries: Forced inquiries at the start (the paper searches from the first turn; its
            released code forces two).
        force_reflection: Whether a rejection forces FailureReflection (a later version of the
            released code does).
        search_dislikes: Whether the search state keeps dislikes (the paper does; its released code
            does not).
        trace: Whether each decision's trees go into the record.
        trace_depth: Plies of the search tree that a trace shows.
        trace_visits: Fewest visits of a node that a trace shows.
    """

    n_el: int | Literal["auto"] = "auto"
    search: UCTSettings = field(default_factory=lambda: UCTSettings(exploration=EXPLORATION))
    refinement: RefinementSettings = field(default_factory=RefinementSettings)
    scorer: ScorerSettings = field(default_factory=ScorerSettings)
    imagination: ImaginationSettings = field(default_factory=ImaginationSettings)
    user_model: str = "learned"
    goals: int = 200
    exact_outcomes: bool = False
    m: int = 1
    look: int = 3
    first_inquiries: int = 0
    force_reflection: bool = False
    search_dislikes: bool = True
    trace: bool = False
    trace_depth: int = 3
    trace_visits: int = 3

    def __post_init__(self) -> None:
        """Check the numbers of things; ValueError names the one that is out of range."""
        least = {"goals": 1, "m": 1, "look": 0, "first_inquiries": 0, "trace_depth": 0}
        if self.n_el != "auto":
            least["n_el"] = 1
        for name, lowest in least.items():
            value = getattr(self, name)
            if not isinstance(value, int) or value < lowest:
                raise ValueError(
                    f"planner.{name} must be a whole number of at least {lowest}, not {value!r}"
                )

    @property
    def simulations(self) -> int:
        """Simulations per decision."""
        return EMBEDDED_SIMULATIONS if self.n_el == "auto" else self.n_el


class Dreams:
    """The planner. It reads the public view and imagines users; true goals never reach it.

    Args:
        settings: Constants.
        reward: The reward to plan for; rollouts run it on imagined goals.
    """

    def __init__(
        self, settings: DreamsSettings | None = None, reward: Reward | None = None
    ) -> None:
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
        found = self._search(view, goals, belief, offer, stream)
        self.last_search = found
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
        self, view: DialogueView, goals: GoalPool, belief: ProfileBelief
    ) -> tuple[QueryNode, QueryNode] | None:
        """The EXNode's best query and its tree's root; None when every item has been offered.

        It is made before the search, which needs to know what ItemRec would offer.
        """
        tools = self._ready()
        if view.offered == view.catalog.everything:
            return None
        estimate = AcceptanceEstimate(goals, tools.seen, belief.mean("seen"))
        node = EXNode(view.catalog, tools.ranker(view), estimate, self.settings.refinement)
        return node.recommend(view)

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
        start = view if settings.search_dislikes else _without_dislikes(view)
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
        )
        scorer = EmbeddedScorer(settings.scorer)
        evaluator = ConversationEvaluator(
            scorer,
            tools.retriever,
            self.reward,
            settings.search.discount,
            settings.look,
            settings.m,
        )
        return UCT(model, evaluator, settings.search).search(stream, settings.simulations)

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
