"""What a decision assumes about the user: goals, behaviour, and what would be accepted."""

from __future__ import annotations

import random
from collections.abc import Sequence
from dataclasses import dataclass

from dialogue.view import DialogueView
from planners.acceptance import AcceptanceEstimate
from planners.belief import Profile, ProfileBelief
from planners.tools import PlannerTools
from simulators.imagined import GoalPool, GoalSampler, ImaginationSettings


@dataclass(frozen=True, slots=True)
class Hypotheses:
    """Imagined for one decision, and shared by search and refinement.

    Attributes:
        goals: Goals that fit the view.
        belief: What is believed about this user's behaviour.
        acceptance: How likely items are accepted under these goals and this behaviour.
    """

    goals: GoalPool
    belief: ProfileBelief
    acceptance: AcceptanceEstimate


def imagine(
    view: DialogueView,
    tools: PlannerTools,
    settings: ImaginationSettings,
    count: int,
    profiles: Sequence[Profile],
    stream: random.Random,
) -> Hypotheses:
    """Hypotheses that fit a view; true goals have no part in them.

    Args:
        view: The dialogue.
        tools: Of its catalogue.
        settings: Constants of goal sampling.
        count: Goals to imagine, at least 1.
        profiles: Behaviours to believe in.
        stream: Randomness of the goals.
    """
    sampler = GoalSampler(view, tools.retriever, settings)
    goals = GoalPool(sampler, count, stream)
    belief = ProfileBelief(profiles, view)
    return Hypotheses(goals, belief, AcceptanceEstimate(goals, tools.seen, belief.mean("seen")))
