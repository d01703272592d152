"""The tracker: what a user's utterance means, given what the system just did."""

from __future__ import annotations

from typing import Protocol

from catalogs.catalog import Catalog
from dialogue.acts import OTHER, UserAct, UserActs
from dialogue.view import DialogueView
from language.attitude import judge
from language.context import context_of
from language.corrections import paired_acts
from language.cues import CueFinder
from language.lexicon import Lexicon, build_lexicon
from language.mentions import MentionFinder
from language.preferences import preference_acts
from language.reactions import reaction_acts, reply_acts
from language.reading import Reading
from language.text import read_words


class Tracker(Protocol):
    """Turns a user's text into acts."""

    def track(self, text: str, view: DialogueView) -> UserActs:
        """Acts of an utterance.

        Args:
            text: What the user said.
            view: The view after the system's action and before the user's reaction is applied.
        """
        ...


class EmbeddedTracker:
    """Rules over the catalogue's lexicon and phrase tables: no model, no network, deterministic.

    Args:
        catalog: The items whose values can be understood.
        lexicon: The catalogue's lexicon, if it is already built.
    """

    def __init__(self, catalog: Catalog, lexicon: Lexicon | None = None) -> None:
        self.lexicon = lexicon if lexicon is not None else build_lexicon(catalog)
        self._cues = CueFinder()
        self._mentions = MentionFinder(self.lexicon, self._cues.words)

    def track(self, text: str, view: DialogueView) -> UserActs:
        """Acts of an utterance in the order in which they were said; never empty after the opening.

        An utterance without any of them is ``OTHER`` (nothing at all in the opening).
        """
        reading = self.read(text, view)
        placed = paired_acts(reading)
        placed += reaction_acts(reading)
        placed += preference_acts(reading)
        placed += reply_acts(reading, placed)
        placed.sort(key=lambda entry: entry[0])
        acts = tuple(act for _, act in placed)
        if acts or reading.context.opening:
            return acts
        return (UserAct(OTHER),)

    def read(self, text: str, view: DialogueView) -> Reading:
        """What the rules work on: words, mentions with stances, and cues, in context."""
        context = context_of(view)
        words = read_words(text)
        catalog = self.lexicon.catalog
        offered = catalog.items[context.item].title if context.item >= 0 else ""
        mentions = self._mentions.find(words, context.asked, offered)
        cues = self._cues.find(words, ((m.start, m.end) for m in mentions))
        return Reading(
            words, judge(words, mentions, cues), cues, context, view, self.lexicon, set()
        )
