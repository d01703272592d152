"""Constants of Dreams; ``conf/planner/dreams.yaml`` says where the defaults come from."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import Literal

from dialogue.constants import check_constants
from planners.exploitation import RefinementSettings
from planners.scorer import ScorerSettings
from search import UCTSettings
from simulators.imagined import ImaginationSettings

EMBEDDED_SIMULATIONS = 400
"""n(El) with ``auto`` and embedded rollouts, which cost no model call."""

MODEL_SIMULATIONS = 5
"""n(El) with ``auto`` and rollouts on a language model (dreams Table 10)."""

WAVE = 5
"""Simulations of a wave with ``auto``, where n(El) is small enough for model calls."""

FEW = 10
"""Largest n(El) for which ``auto`` searches in waves: whether plies wait for a model must not
change what a search of the same size decides."""

EXPLORATION = 6.0
"""c of Eq. 1 in units of a reward whose acceptance pays 10; chosen on train goals.

The paper names no value. Its released code has 1 for rewards of another size.
"""

SWITCHES = {
    "act": ("search", "prior"),
    "context": ("state", "history"),
    "retrieve": ("refined", "state", "history"),
}
"""What each switch may be set to."""


@dataclass(frozen=True)
class DreamsSettings:
    """Everything about Dreams that a user may change.

    ``conf/planner/dreams.yaml`` says where the defaults come from.

    Attributes:
        n_el: Simulations per decision, n(El); ``auto`` is 400 with embedded rollouts and the
            paper's 5 with rollouts on a language model.
        search: Constants of the ELNode search (c, gamma, k(El), W_tree, W_LLM, ...); its ``wave``
            is replaced by the next.
        wave: Simulations selected before any is backed up; ``auto`` is 5 for up to 10 simulations
            and 1 beyond.
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
        foresight: Whether rollouts and leaf values expect later offers to be chosen by estimated
            acceptance, as the EXNode does (:mod:`planners.foresight`), or to be the retriever's.
        first_inquiries: Forced inquiries at the start (the paper searches from the first turn; its
            released code forces two).
        force_reflection: Whether a rejection forces FailureReflection (a later version of the
            released code does).
        search_dislikes: Whether the search state keeps dislikes (the paper does; its released code
            does not).
        act: How an action is chosen: ``search`` (ELNode), or ``prior``, the scorer's best directly.
        context: What choices are made from: the tracked ``state``, or ``history``, the dialogue's
            text alone (then nothing can be searched).
        retrieve: What ItemRec retrieves with: ``refined`` (EXNode), the tracked ``state`` as it is,
            or ``history``, the whole dialogue's text.
        trace: Whether each decision's trees go into the record.
        trace_depth: Plies of the search tree that a trace shows.
        trace_visits: Fewest visits of a node that a trace shows.
    """

    n_el: int | Literal["auto"] = "auto"
    wave: int | Literal["auto"] = "auto"
    search: UCTSettings = field(default_factory=lambda: UCTSettings(exploration=EXPLORATION))
    refinement: RefinementSettings = field(default_factory=RefinementSettings)
    scorer: ScorerSettings = field(default_factory=ScorerSettings)
    imagination: ImaginationSettings = field(default_factory=ImaginationSettings)
    user_model: str = "learned"
    goals: int = 200
    exact_outcomes: bool = False
    m: int = 1
    look: int = 3
    foresight: bool = True
    first_inquiries: int = 0
    force_reflection: bool = False
    search_dislikes: bool = True
    act: Literal["search", "prior"] = "search"
    context: Literal["state", "history"] = "state"
    retrieve: Literal["refined", "state", "history"] = "refined"
    trace: bool = False
    trace_depth: int = 3
    trace_visits: int = 3

    def __post_init__(self) -> None:
        """Check switches and the numbers of things; ValueError names what is out of range."""
        self._check_switches()
        ranges = {"goals": (1, 100_000), "m": (1, 1000), "look": (0, 1000)}
        ranges |= dict.fromkeys(("first_inquiries", "trace_depth", "trace_visits"), (0, 1_000_000))
        sizes = [name for name in ("n_el", "wave") if getattr(self, name) != "auto"]
        check_constants(self, ranges | dict.fromkeys(sizes, (1, 1_000_000)))

    def _check_switches(self) -> None:
        for name, known in SWITCHES.items():
            if getattr(self, name) not in known:
                raise ValueError(
                    f"planner.{name} is one of {', '.join(known)}, not {getattr(self, name)!r}"
                )
        if self.context == "state":
            return
        needs = {"act": "prior", "first_inquiries": 0, "force_reflection": False}
        for name, value in needs.items():
            if getattr(self, name) != value:
                raise ValueError(
                    f"planner.context=history keeps no state, and needs planner.{name}={value}"
                )
        if self.retrieve == "state":
            raise ValueError(
                "planner.context=history keeps no state to retrieve with; set planner.retrieve to "
                "refined or history"
            )

    def asks(self) -> tuple[str, ...]:
        """The roles that these settings leave to be asked."""
        if self.context == "history":
            chooses: tuple[str, ...] = ("policy",)
        else:
            chooses = ("score", "imagine") if self.act == "search" else ("score",)
        return (*chooses, "refine") if self.retrieve == "refined" else chooses

    def simulations(self, on_model: bool) -> int:
        """Simulations per decision, with embedded rollouts or with ones on a language model."""
        if self.n_el != "auto":
            return self.n_el
        return MODEL_SIMULATIONS if on_model else EMBEDDED_SIMULATIONS

    def uct(self, simulations: int) -> UCTSettings:
        """Constants of a search of so many simulations."""
        wave = self.wave
        if wave == "auto":
            wave = WAVE if simulations <= FEW else 1
        return replace(self.search, wave=wave)
