"""The constants of InterCRS: of its retrieval and its embedded decision."""

from __future__ import annotations

from dataclasses import dataclass
from typing import get_args

from baselines.failures import FailureRules, Next
from baselines.inter_crs.rules import DecisionRules
from baselines.questions import QuestionRules
from dialogue.constants import check_constants


@dataclass(frozen=True, slots=True)
class InterCRSSettings:
    """Everything that can be tuned; a model reads none of the rules' constants.

    Attributes:
        pool: Items that the user's words retrieve, among which the wishes named decide; 10..1000.
        opening: Rules: most questions before the first offer, at least 0.
        between: Rules: most questions in a row after an offer, at least 0.
        enough: Rules: number of wanted values from which nothing more is asked, at least 1.
        sure: Rules: nothing more is asked when at most this many candidates fit best; 0..10, and 0
            looks at no candidate.
        hurry: Rules: shown impatience (1..3) from which nothing more is asked; 4: never.
        late: Rules: number of last turns in which nothing is asked, at least 0.
        after_reason: Rules: ``ask`` what to have instead or ``recommend``, after a complaint about
            a facet.
        after_blind: Rules: the same after a rejection without a reason.
        after_seen: Rules: the same after an item that the user has seen.
        people_first: Rules: whether people are asked about before other facets.
        clarify_first: Rules: whether what a vague word means is asked before what is unknown.
        more_people: Rules: whether further names are asked for where one is known and suffices.
        per_facet: Rules: how often a facet is asked about at most, at least 1.
    """

    pool: int = 200
    opening: int = 2
    between: int = 2
    enough: int = 3
    sure: int = 3
    hurry: int = 3
    late: int = 1
    after_reason: Next = "ask"
    after_blind: Next = "ask"
    after_seen: Next = "ask"
    people_first: bool = True
    clarify_first: bool = False
    more_people: bool = False
    per_facet: int = 2

    def __post_init__(self) -> None:
        """Check ranges.

        Raises:
            ValueError: A constant is out of range; the message names its key.
        """
        check_constants(
            self,
            {
                "pool": (10, 1000),
                "sure": (0, 10),
                "hurry": (1, 4),
                **dict.fromkeys(("opening", "between", "late"), (0, 1000)),
                **dict.fromkeys(("enough", "per_facet"), (1, 1000)),
            },
            dict.fromkeys(("after_reason", "after_blind", "after_seen"), get_args(Next)),
        )

    def rules(self) -> DecisionRules:
        """Constants of the embedded decision."""
        return DecisionRules.of(
            self, failures=FailureRules.of(self), questions=QuestionRules.of(self)
        )
