"""What could be offered now, and how likely that is to be accepted: the EXNode, and no search."""

from __future__ import annotations

import random
from collections.abc import Sequence
from dataclasses import dataclass, field, replace

from dialogue.constants import check_constants
from dialogue.state import PreferenceState
from dialogue.view import DialogueView
from planners.belief import Profile
from planners.exploitation import EXNode, QueryNode, RefinementSettings
from planners.hypotheses import imagine
from planners.refiner import Refiner
from planners.tools import PlannerTools
from simulators.imagined import ImaginationSettings

FIRST = 3
"""Items whose estimated acceptance is looked at."""


@dataclass(frozen=True)
class OutlookSettings:
    """Constants of looking at what could be offered; Dreams has the same.

    Attributes:
        refinement: Constants of the EXNode; its refinements are proposed at once.
        imagination: Constants of goal sampling.
        user_model: Profiles to believe in (``planners.belief.load_profiles``).
        goals: Goals imagined for the estimate of acceptance, at least 1.
    """

    refinement: RefinementSettings = field(default_factory=RefinementSettings)
    imagination: ImaginationSettings = field(default_factory=ImaginationSettings)
    user_model: str = "learned"
    goals: int = 200

    def __post_init__(self) -> None:
        """Check the number of goals; ValueError if it is out of range."""
        check_constants(self, {"goals": (1, 100_000)})

    def at_once(self) -> RefinementSettings:
        """The EXNode's constants with one round of proposals."""
        return replace(self.refinement, wave=max(1, self.refinement.iterations))


class Outlook:
    """What ItemRec would offer in a view.

    Args:
        view: The dialogue.
        tools: Of its catalogue.
        settings: Constants.
        profiles: Behaviours to believe in.
        stream: Randomness of the imagined goals.

    Attributes:
        belief: What is believed about the user's behaviour.
        nodes: The EXNode's best query and its root; None when every item has been offered.
        chances: Estimated acceptance of the first items of the best ranking, at most three.
    """

    def __init__(
        self,
        view: DialogueView,
        tools: PlannerTools,
        settings: OutlookSettings,
        profiles: Sequence[Profile],
        stream: random.Random,
    ) -> None:
        made = imagine(view, tools, settings.imagination, settings.goals, profiles, stream)
        self.belief, self._estimate = made.belief, made.acceptance
        self._view, self._tools, self._rules = view, tools, settings.at_once()
        self.nodes = self.refined()
        first = self.nodes[0].ranking[:FIRST] if self.nodes else ()
        self.chances = tuple(self._estimate.of(item) for item in first)

    def refined(
        self, refiner: Refiner[PreferenceState] | None = None
    ) -> tuple[QueryNode, QueryNode] | None:
        """The best query and the root with the refinements of somebody (None: the rules)."""
        view = self._view
        if view.offered == view.catalog.everything:
            return None
        ranker = self._tools.ranker(view)
        node = EXNode(view.catalog, ranker, self._estimate, self._rules, refiner)
        return node.recommend(view)
