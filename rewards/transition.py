"""What a reward term sees of one finished turn."""

from __future__ import annotations

from typing import Protocol

from catalogs.goal import Goal
from dialogue.acts import UserActs
from dialogue.view import DialogueView


class Transition:
    """One finished turn, with the hidden goal (in a rollout: the imagined one).

    Attributes:
        view: Public view after the turn.
        goal: The user's goal.
        action: System action taken.
        legal: Whether the action was legal.
        repeated: Whether the turn repeated itself: an inquiry about a facet already said to be
            exhausted, or an explanation that nobody asked for.
        acts: The user's acts as meant.
        accepted: Whether a verified target was accepted in this turn.
        left: Whether the user gave up in this turn.
        best_before: Sum over facets of the best confidence ever reached before the turn, in [0, F).
        overlap_before: Overlap in [0, 1] of the best item not offered yet with the goal, before the
            turn.
        overlap_after: The same after the turn (see ``rewards.terms.overlap``).
    """

    __slots__ = (
        "accepted", "action", "acts", "best_before", "goal", "left", "legal", "overlap_after",
        "overlap_before", "repeated", "view",
    )  # fmt: skip

    view: DialogueView
    goal: Goal
    action: int
    legal: bool
    repeated: bool
    acts: UserActs
    accepted: bool
    left: bool
    best_before: float
    overlap_before: float
    overlap_after: float


class Term(Protocol):
    """One reward term: a pure function of a transition."""

    def __call__(self, transition: Transition) -> float:
        """Value of the term, before its weight."""
        ...
