"""The text layer of a user that speaks for itself (``simulators.model_user``)."""

from __future__ import annotations

from dialogue.acts import UserActs
from dialogue.view import DialogueView, SystemTurn
from language.responder import Responder
from language.tracker import Tracker
from simulators.model_user import ModelUser


class ModelText:
    """Hands the system's words to the user and the user's words on.

    Args:
        user: Who speaks.
        responder: Renders the system's turns that bring no text of their own.
        tracker: Reads the user's text.
    """

    def __init__(self, user: ModelUser, responder: Responder, tracker: Tracker) -> None:
        self._user = user
        self._responder = responder
        self._tracker = tracker

    def system_text(self, turn: SystemTurn, item: int, view: DialogueView) -> str:
        """The policy's own text, else the responder's; the user hears it."""
        text = turn.text if turn.text is not None else self._responder.respond(turn, item, view)
        self._user.hear(text)
        return text

    def user_text(self, acts: UserActs, view: DialogueView) -> str:
        """What the user just said; its words came with its acts."""
        return self._user.text

    def track(self, text: str, view: DialogueView) -> UserActs:
        """What the tracker understands."""
        return self._tracker.track(text, view)
