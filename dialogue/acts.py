"""Acts: what a user's utterance means, as small integers.

System acts are the domain's actions (``Domain.actions``) plus, for ItemRec and ItemExplanation, an
item.
"""

from __future__ import annotations

from enum import IntEnum
from typing import NamedTuple


class Kind(IntEnum):
    """Kinds of user acts. Columns: what ``facet``, ``value`` and ``other`` of the act hold.

    ==========  =========================  ==========================  ===========================
    kind        facet                      value                       other
    ==========  =========================  ==========================  ===========================
    LIKE        facet                      wanted value                -
    DISLIKE     facet                      unwanted value              -
    VAGUE       facet                      first value it may mean     second value it may mean
    CORRECT     facet                      value now wanted            value taken back
    EVADE       facet asked about          -                           -
    NOMORE      facet asked about          -                           -
    REJECT      facet complained about,    value of the item that is   item offered
                -1 without a reason        unwanted, -1 without one
    SEEN        -                          -                           item offered
    DETAILS     -                          -                           item asked about
    SIGH        level of impatience 1..3   -                           -
    ACCEPT      -                          -                           item offered
    QUIT        -                          -                           -
    OTHER       -                          -                           -
    ==========  =========================  ==========================  ===========================

    A dash is -1. The embedded user shows levels 1 and 2: at 3 nothing is left, and it leaves.
    ``OTHER`` is talk that says nothing about preferences.
    """

    LIKE = 0
    DISLIKE = 1
    VAGUE = 2
    CORRECT = 3
    EVADE = 4
    NOMORE = 5
    REJECT = 6
    SEEN = 7
    DETAILS = 8
    SIGH = 9
    ACCEPT = 10
    QUIT = 11
    OTHER = 12


class UserAct(NamedTuple):
    """One meaning unit of a user's utterance; see :class:`Kind` for the columns."""

    kind: int
    facet: int = -1
    value: int = -1
    other: int = -1


UserActs = tuple[UserAct, ...]

# Plain integers: comparing enum members costs several times as much in the rollouts.
(
    LIKE, DISLIKE, VAGUE, CORRECT, EVADE, NOMORE, REJECT,
    SEEN, DETAILS, SIGH, ACCEPT, QUIT, OTHER,
) = map(int, Kind)  # fmt: skip
REJECTIONS = frozenset({REJECT, SEEN})
