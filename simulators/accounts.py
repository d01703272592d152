"""Booking what a user said on its own account, where its words were not its own rules'.

A model speaks for the embedded user. The account (what is left to say, patience, what is under
discussion) must follow what was said, by the embedded user's rules, so that the embedded user can
take over at any turn.
"""

from __future__ import annotations

from dialogue.acts import (
    CORRECT,
    DETAILS,
    EVADE,
    LIKE,
    NOMORE,
    REJECT,
    SEEN,
    SIGH,
    VAGUE,
    UserAct,
    UserActs,
)
from simulators.user import (
    FATIGUE_COST,
    REJECTION_COST,
    SEEN_COST,
    USELESS_COST,
    EmbeddedUser,
)


def book(user: EmbeddedUser, action: int, item: int, acts: UserActs) -> None:
    """Account for a turn: patience as in ``simulators.user`` and ``simulators.wear``, and values.

    Leaving is not booked: whether it was time is for the caller to decide.

    Args:
        user: Whose account it is, as it was before the turn.
        action: System action, -1 for the opening.
        item: Item offered or explained, -1 if none.
        acts: What the user said.
    """
    kinds = {act.kind for act in acts}
    if 0 <= action <= user.n_facets:
        _question(user, action, kinds)
    elif action > user.n_facets:
        user.streak = 0
        asked, user.asked_details = user.asked_details, -1
        if action == user.n_facets + 2 and asked != item:
            user.patience -= USELESS_COST
        _reaction(user, item, kinds, acts)
    for act in acts:
        _statement(user, action, act)


def _question(user: EmbeddedUser, action: int, kinds: set[int]) -> None:
    user.asked_details = -1
    user.streak += 1
    if user.streak > user.behaviour.fatigue:
        user.patience -= FATIGUE_COST
    if NOMORE in kinds or not _has_answer(user, action):
        user.patience -= USELESS_COST


def _has_answer(user: EmbeddedUser, action: int) -> bool:
    """Whether there is something left to say to a question."""
    if action < user.n_facets:
        return bool(user.remaining[action])
    # A reflection without a reason to take up is answered with whatever is still untold.
    return user.last_rejected >= 0 and (user.reason_facet >= 0 or any(user.remaining))


def _reaction(user: EmbeddedUser, item: int, kinds: set[int], acts: UserActs) -> None:
    if DETAILS in kinds:
        user.asked_details = item
    if SEEN in kinds:
        user.patience -= SEEN_COST
    if REJECT in kinds:
        user.patience -= REJECTION_COST
    if SEEN in kinds or REJECT in kinds:
        user.last_rejected = item
        reasons = [act.facet for act in acts if act.kind == REJECT and act.facet >= 0]
        user.reason_facet = reasons[0] if reasons else -1


def _statement(user: EmbeddedUser, action: int, act: UserAct) -> None:
    kind, facet, value, other = act
    if kind in (LIKE, CORRECT):
        user.remaining[facet] = tuple(v for v in user.remaining[facet] if v != value)
        user.vague_said[facet] = tuple(v for v in user.vague_said[facet] if v != value)
        if kind == CORRECT and user.slip is not None and user.slip[::2] == (facet, other):
            user.slip = None
    elif kind == VAGUE:
        meant = [v for v in (value, other) if v in user.remaining[facet]]
        if meant and meant[0] not in user.vague_said[facet]:
            user.vague_said[facet] = (*user.vague_said[facet], meant[0])
    elif kind == EVADE:
        about = facet if facet >= 0 else action
        if 0 <= about < user.n_facets:
            user.evaded[about] += 1
    elif kind == SIGH:
        user.level = max(user.level, facet)
