"""What PC-CRS's steps are given, and what they answer."""

from __future__ import annotations

from typing import Annotated

from pydantic import Field

from baselines.pc_crs.strategies import Name
from baselines.questions import QuestionRules
from baselines.steps import Shape

Index = Annotated[int, Field(ge=0)]


class Constants(Shape):
    """Constants of the deciding rules; see :class:`baselines.pc_crs.settings.PCCRSSettings`."""

    opening: Index
    between: Index
    enough: Index
    hurry: Index
    late: Index
    reflect: bool
    questions: QuestionRules


class DecideIn(Shape):
    """For the decision: turns that are left, this one included."""

    turns_left: Index
    rules: Constants


class About(Shape):
    """An item to speak about: a candidate or the last offer.

    ``offered`` says whether it was offered before and is now explained.
    """

    item: Index
    offered: bool


class Chosen(Shape):
    """A strategy's name."""

    strategy: Name


class Framed(About):
    """An item and the strategy under which to speak about it."""

    strategy: Name


class Account(Shape):
    """What is said about an item."""

    text: str


class Drafted(About):
    """An account to check."""

    text: str


class FalseClaim(Shape):
    """A statement about an item that its entry does not bear out.

    Attributes:
        claim: The words.
        field: Facet that it is about, or ``year``, ``plot``, ``popularity`` or ``other``.
        fact: What the entry says instead.
    """

    claim: str
    field: str
    fact: str


class Checked(Shape):
    """The false statements of an account, none if it is credible."""

    false: list[FalseClaim]


class Doubted(Framed):
    """An account, and what is false in it."""

    text: str
    false: list[FalseClaim]
