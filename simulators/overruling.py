"""What of a model's answer as the user stands, and what is overruled.

The catalogue decides what may be accepted and the account of patience decides who may leave. A
claim against either is reported, not believed.
"""

from __future__ import annotations

from typing import Any, NamedTuple

from dialogue.acts import ACCEPT, DETAILS, OTHER, QUIT, REJECT, SEEN, UserAct, UserActs
from language.prompts.user import Answer
from simulators.accounts import book
from simulators.user import EmbeddedUser

FALSE_ACCEPT = "false_accept"
MISSED_ACCEPT = "missed_accept"
EARLY_LEAVE = "early_leave"
LATE_LEAVE = "late_leave"
EMPTY_REPLY = "empty_reply"
OVERRULED = (FALSE_ACCEPT, MISSED_ACCEPT, EARLY_LEAVE, LATE_LEAVE, EMPTY_REPLY)
"""What is counted.

=============  ==============================================================================
false_accept   claims to accept what is no target, or when nothing is offered: the embedded
               answer stands
missed_accept  goes on after a target was offered or explained: the target is accepted
early_leave    leaves while patience is left: the embedded answer stands
late_leave     goes on with no patience left: it leaves
empty_reply    says nothing, even when asked again: the embedded answer stands
=============  ==============================================================================
"""

_REACTIONS = frozenset({REJECT, SEEN, DETAILS, QUIT, OTHER})


class Ruling(NamedTuple):
    """What stands.

    Attributes:
        acts: What the user is taken to mean.
        own: Whether the model's words stand; otherwise the embedded user's do.
        overruled: What was overruled, of :data:`OVERRULED`.
    """

    acts: UserActs
    own: bool
    overruled: tuple[str, ...]


def settle(
    user: EmbeddedUser,
    before: dict[str, Any],
    expected: UserActs,
    answer: Answer,
    action: int,
    item: int,
) -> Ruling:
    """Decide what of a model's answer stands, and leave the user's account as it then is.

    Args:
        user: The embedded user after its own answer.
        before: Its state before that.
        expected: Its own answer.
        answer: The model's answer.
        action: System action, -1 for the opening.
        item: Item offered or explained, -1 if none.
    """
    claims = any(act.kind == ACCEPT for act in expected)
    if sorted(answer.acts) == sorted(expected) and answer.accepts == claims:
        return Ruling(answer.acts, True, ())
    target = item >= 0 and bool(user.acceptable >> item & 1)
    if answer.accepts and not target:
        return Ruling(expected, False, (FALSE_ACCEPT,))
    after = user.get_state()
    user.set_state(before)
    if target and not _undecided(answer.acts, action == user.n_facets + 1):
        return _accept(user, answer, action, item)
    book(user, action, item, answer.acts)
    if any(act.kind == QUIT for act in answer.acts):
        return _leave(user, after, expected, answer)
    if user.patience <= 0:
        user.left = True
        return Ruling((*answer.acts, UserAct(QUIT)), True, (LATE_LEAVE,))
    return Ruling(answer.acts, True, ())


def _leave(user: EmbeddedUser, after: dict[str, Any], expected: UserActs, answer: Answer) -> Ruling:
    """Leaving is believed if patience is spent, by what was said or by the embedded answer."""
    if user.patience <= 0:
        user.left = True
        return Ruling(answer.acts, True, ())
    user.set_state(after)
    if any(act.kind == QUIT for act in expected):
        return Ruling(answer.acts, True, ())
    return Ruling(expected, False, (EARLY_LEAVE,))


def _undecided(acts: UserActs, offered: bool) -> bool:
    """Whether the user asks about an offer before it decides; a second time does not count."""
    kinds = {act.kind for act in acts}
    return offered and DETAILS in kinds and kinds.isdisjoint({ACCEPT, REJECT, SEEN})


def _accept(user: EmbeddedUser, answer: Answer, action: int, item: int) -> Ruling:
    """A target is accepted, said or not; what else is said of it (even that it leaves) is not."""
    said = tuple([act for act in answer.acts if act.kind not in _REACTIONS])
    overruled: tuple[str, ...] = ()
    if not answer.accepts:
        said = (*said, UserAct(ACCEPT, -1, -1, item))
        overruled = (MISSED_ACCEPT,)
    book(user, action, item, said)
    return Ruling(said, True, overruled)
