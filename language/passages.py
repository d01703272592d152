"""Passages: the longest known forms in an utterance, also when they are misspelled."""

from __future__ import annotations

from itertools import product
from typing import NamedTuple

from language.lexicon import Lexicon, Sense
from language.phrases.ordinary import ORDINARY
from language.spelling import MIN_LENGTH, Speller
from language.text import HIDDEN, NO_BREAK, Words

MAX_REPAIRS = 12
"""Misspelled words that are looked up in one utterance."""

_LONG_SURNAME = 8


class Hit(NamedTuple):
    """The words ``start .. end - 1`` and all that they may mean."""

    start: int
    end: int
    senses: tuple[Sense, ...]


class PassageFinder:
    """Finds forms of a lexicon. Longer forms win; a repaired form wins if it is longer still."""

    def __init__(self, lexicon: Lexicon, cue_words: frozenset[str]) -> None:
        self.lexicon = lexicon
        self._cue_words = cue_words
        self._speller = Speller(lexicon.known)

    def hits(self, words: Words) -> list[Hit]:
        """Passages in order; they do not overlap."""
        hits: list[Hit] = []
        unknown = [self._unknown(word) for word in words.folded]
        repairs = MAX_REPAIRS
        i = 0
        while i < len(words):
            end, senses = self.longest(words, i)
            if repairs and any(unknown[i : i + 3]):
                mended_end, mended = self._mended(words, unknown, i)
                repairs -= unknown[i]
                if mended_end > end:
                    end, senses = mended_end, mended
            if senses:
                hits.append(Hit(i, end, senses))
                i = end
            else:
                i += 1
        return hits

    def longest(self, words: Words, start: int) -> tuple[int, tuple[Sense, ...]]:
        """End and senses of the longest form that starts at a word; its start without one."""
        reach = self.lexicon.longest.get(words.folded[start], 0)
        if not reach:
            reach = 1 if words.folded[start].endswith("s") else 0
        for n in range(min(reach, len(words) - start), 0, -1):
            end = start + n
            senses = self._lookup(words, " ".join(words.folded[start:end]), start, end)
            if senses:
                return end, senses
        return start, ()

    def _lookup(self, words: Words, key: str, start: int, end: int) -> tuple[Sense, ...]:
        senses = self.lexicon.senses.get(key, ())
        if not senses and words.written[end - 1].endswith(("'s", "’s")):
            key = key[:-1]
            senses = self.lexicon.senses.get(key, ())
        whole = not any(level > NO_BREAK for level in words.breaks[start + 1 : end])
        return senses if whole or key in self.lexicon.marked else ()

    def _unknown(self, word: str) -> bool:
        return (
            len(word) >= MIN_LENGTH
            and word not in self.lexicon.known
            and word not in ORDINARY
            and word not in self._cue_words
            and not (
                word.endswith("s") and (word[:-1] in self.lexicon.known or word[:-1] in ORDINARY)
            )
        )

    def _mended(
        self, words: Words, unknown: list[bool], start: int
    ) -> tuple[int, tuple[Sense, ...]]:
        """The longest form that starts here with misspelled words replaced by near ones."""
        choices: list[tuple[str, ...]] = []
        best: tuple[int, tuple[Sense, ...]] = (start, ())
        for end in range(start + 1, min(start + 4, len(words)) + 1):
            word = words.folded[end - 1]
            near = self._speller.near(word) if unknown[end - 1] else (word,)
            if not near or word == HIDDEN:
                break
            choices.append(near)
            if any(unknown[start:end]):
                for candidate in product(*choices):
                    senses = self._lookup(words, " ".join(candidate), start, end)
                    if senses and (end - start > 1 or self._repairable(words, start, candidate[0])):
                        best = (end, senses)
                        break
        return best

    def _repairable(self, words: Words, start: int, form: str) -> bool:
        """Whether one word is enough to see what was meant: a genre, a long capitalised surname."""
        if form in self.lexicon.surnames:
            return len(form) >= _LONG_SURNAME and words.written[start][0].isupper()
        return not self.lexicon.senses[form][0].bare
