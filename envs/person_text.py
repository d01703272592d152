"""The text layer of a person (``simulators.human``)."""

from __future__ import annotations

from dialogue.acts import UserActs
from dialogue.view import DialogueView, SystemTurn
from language.responder import Responder
from simulators.human import HumanUser


class PersonText:
    """Shows the system's words to the person and hands the person's words on.

    Args:
        user: Who speaks; it has heard its own words with the environment's tracker.
        responder: Renders the system's turns that bring no text of their own.
    """

    def __init__(self, user: HumanUser, responder: Responder) -> None:
        self._user = user
        self._responder = responder

    def system_text(self, turn: SystemTurn, item: int, view: DialogueView) -> str:
        """The policy's own text, else the responder's; the person reads it."""
        text = turn.text if turn.text is not None else self._responder.respond(turn, item, view)
        self._user.hear(text)
        return text

    def user_text(self, acts: UserActs, view: DialogueView) -> str:
        """What the person just said."""
        return self._user.text

    def track(self, text: str, view: DialogueView) -> UserActs:
        """What the environment's tracker made of it."""
        return self._user.heard
