"""The JSON state of RA-CRS: made anew from the dialogue's text after each utterance."""

from __future__ import annotations

from typing import Literal

from baselines.steps import Shape
from baselines.utterances import facet_of, find_value
from catalogs.catalog import Catalog

Intent = Literal[
    "states_preference",
    "has_no_preference",
    "asks_about_item",
    "accepts_item",
    "rejects_item",
    "knows_item",
    "loses_patience",
    "small_talk",
]
Reaction = Literal["accepted", "rejected", "known", "open"]


class Constraint(Shape):
    """A condition in words: semi-structured, for both parts are plain text.

    Attributes:
        facet: Name of a facet, or ``other``.
        value: What the item must, should or must not have.
        wanted: False where the item should be without it.
    """

    facet: str
    value: str
    wanted: bool


class Refusal(Shape):
    """A rejected item and what was wrong with it, if that was said.

    Attributes:
        item: Label.
        facet: Name of a facet, or None.
        value: The value complained about, or None.
    """

    item: str
    facet: str | None
    value: str | None


class State(Shape):
    """What is known.

    Attributes:
        intents: What the user does in the last utterance.
        hard: Constraints that an item must meet.
        soft: Constraints that are tentative or vague.
        settled: Names of the facets about which the user has nothing (more) to say.
        current: Label of the item under discussion, or None.
        accepted: Labels of the items that the user took.
        rejected: Items that the user refused.
        known: Labels of the items that the user had seen before.
    """

    intents: list[Intent]
    hard: list[Constraint]
    soft: list[Constraint]
    settled: list[str]
    current: str | None
    accepted: list[str]
    rejected: list[Refusal]
    known: list[str]

    def wanted(self, facet: str) -> list[str]:
        """Values of a facet that are wanted, hard ones first."""
        both = (*self.hard, *self.soft)
        return [c.value for c in both if c.facet == facet and c.wanted]


def values_of(catalog: Catalog, constraints: list[Constraint]) -> list[tuple[int, int, bool]]:
    """The constraints that name a value of the catalogue: facet, value, whether it is wanted."""
    found = []
    for constraint in constraints:
        facet = facet_of(catalog, constraint.facet)
        value = find_value(catalog, facet, constraint.value) if facet >= 0 else -1
        if value >= 0:
            found.append((facet, value, constraint.wanted))
    return found
