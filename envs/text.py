"""The text layer of ``channel=text``: user's voice, system's responder, and the one tracker."""

from __future__ import annotations

from catalogs.catalog import Catalog
from dialogue.acts import UserActs
from dialogue.streams import Uniform
from dialogue.view import DialogueView, SystemTurn
from language.responder import Responder
from language.tracker import Tracker
from language.voice import Style, UserVoice


class EmbeddedText:
    """Text from templates and text to acts by lexicon; no model, no network.

    Args:
        catalog: The items.
        voice: Renders the user's acts.
        style: How this user sounds.
        stream: Where wording is drawn from.
        responder: Renders the system's turns that bring no text of their own.
        tracker: Reads the user's text.
    """

    def __init__(
        self,
        catalog: Catalog,
        voice: UserVoice,
        style: Style,
        stream: Uniform,
        responder: Responder,
        tracker: Tracker,
    ) -> None:
        self.catalog = catalog
        self.stream = stream
        self._voice = voice
        self._style = style
        self._responder = responder
        self._tracker = tracker

    def system_text(self, turn: SystemTurn, item: int, view: DialogueView) -> str:
        """The policy's own text, else the responder's."""
        return turn.text if turn.text is not None else self._responder.respond(turn, item, view)

    def user_text(self, acts: UserActs, view: DialogueView) -> str:
        """The user's utterance in its style."""
        return self._voice.say(acts, self._style, view, self.stream)

    def track(self, text: str, view: DialogueView) -> UserActs:
        """What the tracker understands."""
        return self._tracker.track(text, view)
