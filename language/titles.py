"""Titles in an utterance: masked, so that "Love Actually" is not read as a wish for love."""

from __future__ import annotations

from language.lexicon import Lexicon
from language.passages import PassageFinder
from language.phrases.weak import BEFORE_TITLE
from language.text import STOP, Words, fold_words


class TitleMask:
    """Hides titles of the catalogue's items in place."""

    def __init__(
        self, lexicon: Lexicon, passages: PassageFinder, cue_words: frozenset[str]
    ) -> None:
        self._lexicon = lexicon
        self._passages = passages
        self._cue_words = cue_words

    def hide(self, words: Words, offered: str) -> None:
        """Mask the offered item's title in any writing, and other titles written as titles."""
        self._hide_offered(words, tuple(fold_words(offered)))
        self._hide_titles(words)

    def _hide_offered(self, words: Words, title: tuple[str, ...]) -> None:
        if not title:
            return
        for i, word in enumerate(words.folded):
            end = i + len(title)
            if word == title[0] and tuple(words.folded[i:end]) == title:
                before = words.folded[i - 1] if i and not words.breaks[i] else ""
                alone = not before and words.breaks[end] == STOP
                unmistakable = len(title) > 1 and not self._has_meaning(title)
                if unmistakable or (alone and not self._is_cue(title)) or before in BEFORE_TITLE:
                    words.hide(i, end)

    def _is_cue(self, title: tuple[str, ...]) -> bool:
        """Whether a title consists of words that answer or refuse ("No Thanks")."""
        return self._cue_words.issuperset(title)

    def _has_meaning(self, title: tuple[str, ...]) -> bool:
        return " ".join(title) in self._lexicon.senses or self._is_cue(title)

    def _hide_titles(self, words: Words) -> None:
        titles = self._lexicon.titles
        folded = words.folded
        for i, word in enumerate(folded):
            for title in titles.get(word, ()):
                end = i + len(title)
                if tuple(folded[i:end]) == title and self._looks_like_title(words, i, end):
                    words.hide(i, end)
                    break

    def _looks_like_title(self, words: Words, start: int, end: int) -> bool:
        """Capitalised as a title is, of one piece, and not itself a name in the lexicon."""
        if any(words.breaks[start + 1 : end]):
            return False
        written = words.written[start:end]
        if not all(word[0].isupper() or word[0].isdigit() for word in written if len(word) > 3):
            return False
        if not written[0][0].isupper() or not any(word[0].isupper() for word in written[1:]):
            return False
        return self._passages.longest(words, start)[0] < end
