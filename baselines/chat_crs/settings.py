"""Constants of ChatCRS."""

from __future__ import annotations

from dataclasses import dataclass

from baselines.asking import FailureSettings
from baselines.chat_crs.goal import GoalRules
from dialogue.constants import check_constants


@dataclass(frozen=True, slots=True)
class ChatCRSSettings(FailureSettings):
    """Constants of triples and goals; those of retrieval, questions and rejections included.

    Attributes:
        triples: Most triples that the conversation agent gets; 1..1000.
        row: Most questions in a row (goal planner), at least 0.
        enough: Values to know before the first offer (goal planner), at least 0.
        between: Values to know before later offers follow each other without a question, at
            least 0.
        trace: Whether goal and triples go into the record.
    """

    triples: int = 40
    row: int = 2
    enough: int = 3
    between: int = 3
    trace: bool = False

    def __post_init__(self) -> None:
        """Check ranges.

        Raises:
            ValueError: A constant is out of range; the message names its key.
        """
        FailureSettings.__post_init__(self)
        least = dict.fromkeys(("row", "enough", "between"), (0, 1000))
        check_constants(self, {"triples": (1, 1000), **least})

    def goal(self) -> GoalRules:
        """Constants of the goal planner."""
        return GoalRules.of(self, failures=self.failures(), questions=self.questions())
