"""Constants of what embedded free-form methods retrieve and ask, alike in all of them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import get_args

from baselines.failures import FailureRules, Next
from baselines.questions import QuestionRules
from dialogue.constants import check_constants


@dataclass(frozen=True, slots=True)
class AskingSettings:
    """Constants of retrieval and of questions; a model reads none of those of questions.

    Attributes:
        pool: Items that the words found retrieve, among which the wishes decide; 10..1000.
        familiar: Whether candidates that fit the wishes equally come by familiarity, as in the
            shared retriever's own order, else by how well the words match.
        hurry: Shown impatience (1..3) from which nothing more is asked; 4: never.
        people_first: Whether people are asked about before other facets.
        clarify_first: Whether what a vague word means is asked before what is unknown.
        more_people: Whether further names are asked for where one is known and suffices.
        per_facet: How often a facet is asked about at most; 1..1000.
    """

    pool: int = 200
    familiar: bool = True
    hurry: int = 3
    people_first: bool = True
    clarify_first: bool = False
    more_people: bool = False
    per_facet: int = 2

    def __post_init__(self) -> None:
        """Check ranges.

        Raises:
            ValueError: A constant is out of range; the message names its key.
        """
        check_constants(self, {"pool": (10, 1000), "hurry": (1, 4), "per_facet": (1, 1000)})

    def questions(self) -> QuestionRules:
        """Constants of which questions are left, and of their order."""
        return QuestionRules.of(self)


@dataclass(frozen=True, slots=True)
class FailureSettings(AskingSettings):
    """With constants of what follows a rejection, ``ask`` or ``recommend`` each.

    Attributes:
        after_reason: After a complaint about a facet.
        after_blind: After a rejection without a reason.
        after_seen: After an item that the user has seen.
    """

    after_reason: Next = "ask"
    after_blind: Next = "ask"
    after_seen: Next = "ask"

    def __post_init__(self) -> None:
        """Check ranges.

        Raises:
            ValueError: A constant is out of range; the message names its key.
        """
        AskingSettings.__post_init__(self)
        names = ("after_reason", "after_blind", "after_seen")
        check_constants(self, {}, dict.fromkeys(names, get_args(Next)))

    def failures(self) -> FailureRules:
        """Constants of what follows a rejection."""
        return FailureRules.of(self)
