"""What RA-CRS's steps are given, and what they answer."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field

from baselines.ra_crs.state import Constraint, Intent, Reaction, State
from baselines.steps import Shape

Purpose = Literal["instead", "which", "missing", "more"]
Index = Annotated[int, Field(ge=0)]


class Patience(Shape):
    """Constant of the rules; see ``hurry`` of the settings."""

    hurry: Index


class Utterance(Shape):
    """The last utterance is in the situation."""

    rules: Patience


class Intents(Shape):
    """What the last utterance does, and the facets that are done with."""

    intents: list[Intent]
    settled: list[str]


class Constraints(Shape):
    """Constraints read off the dialogue."""

    constraints: list[Constraint]


class Offered(Shape):
    """Items offered so far, in order."""

    offers: list[Index]


class Stance(Shape):
    """The user's reaction to an offer.

    Attributes:
        offer: Number of the offer, 1 is the first.
        reaction: What became of it.
        facet: After a rejection, the facet complained about, if that was said.
        value: After a rejection, the value complained about, if that was said.
    """

    offer: int
    reaction: Reaction
    facet: str | None
    value: str | None


class Stances(Shape):
    """Reactions to offers; an offer that is left out is open."""

    reactions: list[Stance]


class Asking(Shape):
    """What to ask about.

    Attributes:
        purpose: ``instead``: what to have in place of what was refused; ``which``: what a vague
            word means; ``missing``: a constraint that there is none of; ``more``: further ones.
        facet: Facet asked about.
        known: Its values that are known, or between which it is open.
        state: All that is known.
    """

    purpose: Purpose
    facet: Index
    known: list[str]
    state: State


class Known(Shape):
    """All that is known."""

    state: State


class Search(Shape):
    """A query."""

    query: str


class Retrieved(Known):
    """An item, the passages of its texts that match best, and all that is known."""

    item: Index
    passages: list[str]


class Words(Shape):
    """What is said."""

    text: str
