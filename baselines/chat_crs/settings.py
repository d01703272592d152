"""Constants of ChatCRS."""

from __future__ import annotations

from dataclasses import dataclass
from typing import get_args

from baselines.chat_crs.goal import GoalRules
from baselines.failures import FailureRules, Next
from baselines.questions import QuestionRules
from dialogue.constants import check_constants


@dataclass(frozen=True, slots=True)
class ChatCRSSettings:
    """Constants of the method's retrieval and of its embedded agents.

    Attributes:
        pool: Items found by the entities' names, which the triples then order.
        triples: Most triples that the conversation agent gets.
        row: Most questions in a row (goal planner).
        enough: Values to know before the first offer (goal planner).
        between: Values to know before later offers follow each other without a question.
        hurry: Level of impatience (1..3) from which on only offers are made; 4 = never.
        after_reason: ``ask`` or ``recommend``, after a complaint about a facet.
        after_blind: After a rejection without a reason.
        after_seen: After an item that the user has seen.
        people_first: Ask about people before other facets.
        clarify_first: Ask what a vague word means first.
        more_people: Ask for further names where one is known.
        per_facet: Most questions about a facet.
        trace: Whether goal, relations and triples go into the record.
    """

    pool: int = 200
    triples: int = 40
    row: int = 2
    enough: int = 3
    between: int = 3
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
                **dict.fromkeys(("row", "enough", "between"), (0, None)),
                **dict.fromkeys(("triples", "per_facet"), (1, None)),
            },
            dict.fromkeys(("after_reason", "after_blind", "after_seen"), get_args(Next)),
        )

    def questions(self) -> QuestionRules:
        """Constants of what is asked."""
        return QuestionRules.of(self)

    def goal(self) -> GoalRules:
        """Constants of the goal planner."""
        return GoalRules.of(self, failures=FailureRules.of(self), questions=self.questions())
