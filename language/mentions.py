"""Mentions: where an utterance names values of the catalogue, and which values they are."""

from __future__ import annotations

import re
import unicodedata
from typing import NamedTuple

from language.lexicon import Lexicon, Sense
from language.passages import Hit, PassageFinder
from language.phrases.roles import ROLE_WORDS
from language.phrases.weak import DETERMINERS, EVERYDAY, OCCASIONS, WEAK
from language.text import COMMA, NO_BREAK, STOP, Words, fold_words
from language.titles import TitleMask

_EDGES = re.compile(r"^\W+|\W+$")
_CONNECTORS = frozenset({"and", "or", "nor", "also", "plus"})


class Mention(NamedTuple):
    """A passage that names one value (or, with a vague word, one of two).

    Attributes:
        start: First word.
        end: Word after the last.
        facet: Facet meant.
        value: Vocabulary index.
        other: Second possible value of a vague word, else -1.
    """

    start: int
    end: int
    facet: int
    value: int
    other: int


class MentionFinder:
    """Finds mentions. Longer names win over shorter ones, written names over misspelled ones."""

    def __init__(self, lexicon: Lexicon, cue_words: frozenset[str]) -> None:
        self.lexicon = lexicon
        self._passages = PassageFinder(lexicon, cue_words)
        self._titles = TitleMask(lexicon, self._passages, cue_words)
        facets = lexicon.catalog.domain.facets
        self._roles = tuple(
            ROLE_WORDS.get(facet.name, frozenset())
            | frozenset(fold_words(f"{facet.name} {facet.singular} {facet.plural}"))
            for facet in facets
        )
        nouns = lexicon.catalog.domain
        self._nouns = frozenset(
            fold_words(f"{nouns.noun} {nouns.nouns} film films flick flicks genre genres")
        )
        self._person = tuple(facet.person for facet in facets)

    def find(self, words: Words, asked: int, offered: str = "") -> list[Mention]:
        """Mentions in order of position.

        Args:
            words: The utterance. Titles of the catalogue found in it are masked in place.
            asked: Facet that the system just asked about, or -1; it decides between equal readings.
            offered: Title of the item just offered; it is masked in any writing.
        """
        self._titles.hide(words, offered)
        mentions: list[Mention] = []
        last: Mention | None = None
        for hit in self._passages.hits(words):
            found = self._decide(words, hit, asked, last)
            mentions.extend(found)
            if found:
                words.breaks[hit.start + 1 : hit.end] = [NO_BREAK] * (hit.end - hit.start - 1)
            last = found[-1] if found else last
        return mentions

    def _decide(self, words: Words, hit: Hit, asked: int, last: Mention | None) -> list[Mention]:
        """The reading that role words, question and spelling favour; none if it is no mention."""
        role = self._role(words, hit, last)
        senses = hit.senses
        if senses[0].bare:
            senses = self._named_like_a_person(words, hit, role, asked)
        elif not self._person[senses[0].facet] and self._is_weak(words, hit, asked):
            return []
        facets = {sense.facet for sense in senses}
        if len(facets) > 1:
            favoured = [facet for facet in (role, asked) if facet in facets]
            facet = favoured[0] if favoured else self._commonest(senses)
            senses = tuple(sense for sense in senses if sense.facet == facet)
        if not senses:
            return []
        if len(senses) > 1 and (self._person[senses[0].facet] or self._same_name(senses)):
            senses = (self._as_written(words, hit, senses),)
        return [Mention(hit.start, hit.end, s.facet, s.value, s.other) for s in senses]

    def _role(self, words: Words, hit: Hit, last: Mention | None) -> int:
        """Facet whose role words stand just before the passage or the list that it continues."""
        start = hit.start
        if last is not None and self._continues(words, last.end, start):
            return last.facet
        for back in range(1, 5):
            i = start - back
            if i < 0 or (back > 1 and words.breaks[i + 1] == STOP):
                break
            for facet, role_words in enumerate(self._roles):
                if words.folded[i] in role_words:
                    return facet
            if words.breaks[i] == STOP:
                break
        after = words.folded[hit.end : hit.end + 3]
        if after and after[0] in {"as", "directing", "acting", "starring"}:
            for facet, role_words in enumerate(self._roles):
                if role_words.intersection(after):
                    return facet
        return -1

    def _continues(self, words: Words, end: int, start: int) -> bool:
        between = words.folded[end:start]
        if STOP in words.breaks[end : start + 1] or len(between) > 1:
            return False
        return bool(between and between[0] in _CONNECTORS) or (
            not between and words.breaks[start] == COMMA
        )

    def _named_like_a_person(
        self, words: Words, hit: Hit, role: int, asked: int
    ) -> tuple[Sense, ...]:
        written = words.written[hit.start]
        catalog = self.lexicon.catalog
        return tuple(
            s
            for s in hit.senses
            if not s.bare
            or (
                s.facet in (role, asked) and catalog.value(s.facet, s.value).startswith(written[:2])
            )
        )

    def _is_weak(self, words: Words, hit: Hit, asked: int) -> bool:
        """Whether an everyday word such as "family" is used in its everyday sense."""
        word = words.folded[hit.start]
        if hit.end - hit.start > 1:
            return word in EVERYDAY and bool(
                OCCASIONS.intersection(words.folded[hit.end : hit.end + 1])
            )
        if word not in WEAK or hit.start == 0:
            return False
        after = words.folded[hit.end : hit.end + 2]
        if after and after[0] in _CONNECTORS:
            del after[0]
        if after and (after[0] in self._nouns or self._is_value(after[0])):
            return False
        if word in EVERYDAY and hit.senses[0].facet != asked:
            return True
        return words.breaks[hit.start] == NO_BREAK and words.folded[hit.start - 1] in DETERMINERS

    def _is_value(self, word: str) -> bool:
        """Whether a word alone names something that is not a person."""
        return any(not self._person[sense.facet] for sense in self.lexicon.senses.get(word, ()))

    def _same_name(self, senses: tuple[Sense, ...]) -> bool:
        names = self.lexicon.names
        return len({names[s.facet][s.value] for s in senses}) == 1

    def _commonest(self, senses: tuple[Sense, ...]) -> int:
        postings = self.lexicon.catalog.postings
        return max(senses, key=lambda s: (postings[s.facet][s.value].bit_count(), -s.facet)).facet

    def _as_written(self, words: Words, hit: Hit, senses: tuple[Sense, ...]) -> Sense:
        """Among values of one form, the one spelled as in the text, else the most frequent."""
        passage = words.passage(hit.start, hit.end)
        catalog = self.lexicon.catalog
        for sense in senses:
            name = unicodedata.normalize("NFKC", catalog.value(sense.facet, sense.value))
            if passage == _EDGES.sub("", name):
                return sense
        return min(senses, key=lambda s: s.value)
