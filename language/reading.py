"""A reading: everything that the tracker's rules know about one utterance."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from dialogue.acts import UserAct
from dialogue.view import DialogueView
from language.attitude import Judged
from language.context import Context
from language.cues import Cue, Found
from language.lexicon import Lexicon
from language.text import NO_BREAK, STOP, Words, fold_words

Placed = tuple[int, UserAct]
"""An act and the word at which it was said."""


@dataclass(slots=True)
class Reading:
    """Words, judged mentions and cues of an utterance in its context.

    Attributes:
        words: The words.
        judged: Mentions with stances, in order.
        cues: Cue phrases, in order.
        context: What the system just did.
        view: The public view before the reaction is applied.
        lexicon: The catalogue's lexicon.
        used: Indices of mentions that already went into an act.
    """

    words: Words
    judged: list[Judged]
    cues: list[Found]
    context: Context
    view: DialogueView
    lexicon: Lexicon
    used: set[int]

    def first(self, cue: Cue) -> int:
        """Position of the first phrase with a cue, or -1."""
        return next((found.start for found in self.cues if cue in found.cues), -1)

    def having(self, cue: Cue) -> Iterable[Found]:
        """Phrases with a cue."""
        return (found for found in self.cues if cue in found.cues)

    def alone(self, found: Found) -> bool:
        """Whether a phrase is followed by a pause or the end."""
        return self.words.breaks[found.end] > NO_BREAK or found.end == len(self.words)

    def sentence(self, position: int) -> tuple[int, int]:
        """First word of the sentence around a word, and the word after its last."""
        start = position
        while start > 0 and self.words.breaks[start] != STOP:
            start -= 1
        end = position + 1
        while end < len(self.words) and self.words.breaks[end] != STOP:
            end += 1
        return start, end

    def cues_around(self, position: int) -> list[Found]:
        """Phrases of the sentence around a word."""
        start, end = self.sentence(position)
        return [found for found in self.cues if start <= found.start < end]

    def facet_named(self, start: int, end: int) -> int:
        """Facet whose name or noun stands among the words, or -1."""
        span = self.words.folded[start:end]
        for f, facet in enumerate(self.lexicon.catalog.domain.facets):
            if any(
                word in span for word in fold_words(f"{facet.name} {facet.singular} {facet.plural}")
            ):
                return f
        return -1
