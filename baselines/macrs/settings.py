"""Constants of MACRS."""

from __future__ import annotations

from dataclasses import dataclass
from typing import get_args

from baselines.failures import FailureRules, Next
from baselines.macrs.planning import PlanRules
from baselines.questions import QuestionRules
from dialogue.constants import check_constants


@dataclass(frozen=True, slots=True)
class MACRSSettings:
    """Constants of the method's retrieval and of its embedded agents.

    Attributes:
        pool: Items found by the profile's words, which the profile then orders.
        row: Most questions in a row (planner).
        known: Facets of which something must be known before the first offer (planner).
        sure: Offer when at most this many candidates fit best (planner).
        hurry: Level of impatience (1..3) from which on only offers are made; 4 = never (planner).
        after_reason: ``ask`` or ``recommend``, after a complaint about a facet (strategy).
        after_blind: After a rejection without a reason (strategy).
        after_seen: After an item that the user has seen (strategy).
        people_first: Ask about people before other facets (asking agent).
        clarify_first: Ask what a vague word means first (asking agent).
        more_people: Ask for further names where one is known (asking agent).
        per_facet: Most questions about a facet (asking agent).
        trace: Whether profile, strategy and proposals go into the record.
    """

    pool: int = 200
    row: int = 2
    known: int = 2
    sure: int = 3
    hurry: int = 3
    after_reason: Next = "ask"
    after_blind: Next = "ask"
    after_seen: Next = "ask"
    people_first: bool = True
    clarify_first: bool = False
    more_people: bool = False
    per_facet: int = 2
    trace: bool = False

    def __post_init__(self) -> None:
        """Check ranges.

        Raises:
            ValueError: A constant is out of range; the message names its key.
        """
        check_constants(
            self,
            {
                "pool": (10, None),
                "hurry": (1, 4),
                **dict.fromkeys(("row", "known"), (0, None)),
                **dict.fromkeys(("sure", "per_facet"), (1, None)),
            },
            dict.fromkeys(("after_reason", "after_blind", "after_seen"), get_args(Next)),
        )

    def questions(self) -> QuestionRules:
        """Constants of the asking agent."""
        return QuestionRules.of(self)

    def plan(self) -> PlanRules:
        """Constants of the planner."""
        return PlanRules.of(self, questions=self.questions())

    def strategy(self) -> FailureRules:
        """Constants of the strategy-level reflection."""
        return FailureRules.of(self)
