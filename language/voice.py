"""The simulated user's voice: acts to text, in the style of a persona."""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import groupby

from catalogs.catalog import Catalog
from dialogue.acts import (
    ACCEPT,
    DETAILS,
    DISLIKE,
    EVADE,
    LIKE,
    NOMORE,
    OTHER,
    QUIT,
    REJECT,
    SEEN,
    SIGH,
    VAGUE,
    UserAct,
    UserActs,
)
from dialogue.streams import Uniform, pick
from dialogue.view import DialogueView
from language.context import Context, context_of
from language.cues import CueFinder
from language.lexicon import Lexicon, build_lexicon
from language.mentions import MentionFinder
from language.phrases import Phrases, answers, moods, offers, wishes
from language.style import Style
from language.text import ends_in_short_form, read_words
from language.wording import Wording

__all__ = ["Style", "UserVoice"]

MOOD_BEFORE = 0.45
"""Chance that an utterance begins with an interjection."""

MOOD_AFTER = 0.35
"""Chance that it ends with one."""

OWN_PHRASE = 0.25
"""Chance that a wish is put in the emotion's own phrase."""


_SLOT = re.compile(r"\{\w+\}")
_GROUPED = (LIKE, DISLIKE)
_SIMPLE: dict[int, Phrases] = {
    SEEN: offers.SEEN,
    DETAILS: offers.DETAILS,
    ACCEPT: offers.ACCEPT,
    QUIT: offers.QUIT,
    OTHER: answers.OTHER,
}
_PAIRED = {EVADE: answers.EVADE, NOMORE: answers.NOMORE}


class UserVoice:
    """Says any acts; what is said depends only on the acts, the style, the view and the stream.

    Args:
        catalog: The items that are talked about.
        lexicon: The catalogue's lexicon, if it is already built.
    """

    def __init__(self, catalog: Catalog, lexicon: Lexicon | None = None) -> None:
        lexicon = lexicon if lexicon is not None else build_lexicon(catalog)
        self._catalog = catalog
        self._finder = MentionFinder(lexicon, CueFinder().words)
        self._wording = Wording(catalog, self._finder)
        self._usable: dict[tuple[str, ...], tuple[str, ...]] = {}

    def say(self, acts: UserActs, style: Style, view: DialogueView, stream: Uniform) -> str:
        """The user's utterance.

        Args:
            acts: What is meant, in the order to be said; may be empty in the opening.
            style: The persona's emotion and age.
            view: The view after the system's action and before the user's reaction is applied.
            stream: The user's random numbers.
        """
        context = context_of(view)
        sentences: list[str] = []
        if stream.random() < MOOD_BEFORE:
            sentences.append(self._pick(moods.BEFORE[style.emotion], stream))
        if context.opening:
            sentences.insert(0, self._pick(answers.GREETING[style.age], stream))
            if not acts or stream.random() < 0.3:
                request = self._pick(answers.REQUEST[style.age], stream)
                sentences.append(self._fill(request))
        for kind, group in groupby(acts, key=_group):
            sentences += self._sentences(kind[0], list(group), style, context, stream)
        if not sentences:
            sentences.append(self._pick(answers.OTHER[style.age], stream))
        text = _join(sentences)
        if stream.random() < MOOD_AFTER:
            text = _append(text, self._pick(moods.AFTER[style.emotion], stream))
        return text

    def _sentences(
        self, kind: int, acts: Sequence[UserAct], style: Style, context: Context, stream: Uniform
    ) -> list[str]:
        if kind in _GROUPED:
            return [self._wish(kind, acts, style, stream)]
        return [text for act in acts for text in self._single(act, style, context, stream)]

    def _wish(self, kind: int, acts: Sequence[UserAct], style: Style, stream: Uniform) -> str:
        facet = acts[0].facet
        person = self._catalog.domain.facets[facet].person
        liked = kind == LIKE
        joint = "and" if liked else "or"
        values = self._wording.values(facet, [act.value for act in acts], style, stream, joint)
        if liked and stream.random() < OWN_PHRASE:
            template = self._pick(wishes.LIKE_BY_EMOTION[style.emotion], stream)
            return self._fill(template, values=f"something {values}" if person else values)
        if liked:
            table = wishes.LIKE_PERSON if person else wishes.LIKE_THING
        else:
            table = wishes.DISLIKE_PERSON if person else wishes.DISLIKE_THING
        return self._fill(self._pick(table[style.age], stream), values=values)

    def _single(self, act: UserAct, style: Style, context: Context, stream: Uniform) -> list[str]:
        kind = act.kind
        if kind in _SIMPLE:
            return [self._fill(self._pick(_SIMPLE[kind][style.age], stream), item=act.other)]
        if kind in _PAIRED:
            about = self._about(act.facet, context)
            return [self._fill(self._pick(_PAIRED[kind][style.age], stream), about=about)]
        if kind == SIGH:
            level = min(max(act.facet, 1), 3)
            return [self._pick(offers.SIGH[level][style.age], stream)]
        if kind == REJECT:
            return self._rejection(act, style, stream)
        if kind == VAGUE:
            return [self._vague(act, style, stream)]
        return [self._two_values(wishes.CORRECT, act.facet, act.other, act.value, style, stream)]

    def _rejection(self, act: UserAct, style: Style, stream: Uniform) -> list[str]:
        refusal = self._fill(self._pick(offers.REJECT[style.age], stream), item=act.other)
        if act.facet < 0:
            return [refusal]
        described = self._catalog.domain.facets[act.facet]
        if act.value < 0:
            template = self._pick(offers.REASON_FACET[style.age], stream)
            return [refusal, self._fill(template, facet=described.singular)]
        table = offers.REASON_PERSON if described.person else offers.REASON_THING
        values = self._wording.values(act.facet, [act.value], style, stream)
        return [refusal, self._fill(self._pick(table[style.age], stream), values=values)]

    def _vague(self, act: UserAct, style: Style, stream: Uniform) -> str:
        word = self._wording.vague(act.facet, act.value, act.other, stream)
        if word:
            return self._fill(self._pick(wishes.VAGUE[style.age], stream), values=word)
        return self._two_values(wishes.VAGUE_PAIR, act.facet, act.value, act.other, style, stream)

    def _two_values(
        self, table: Phrases, facet: int, old: int, new: int, style: Style, stream: Uniform
    ) -> str:
        first = self._wording.values(facet, [old], style, stream)
        second = self._wording.values(facet, [new], style, stream)
        return self._fill(self._pick(table[style.age], stream), old=first, new=second)

    def _about(self, facet: int, context: Context) -> str:
        if facet < 0 or facet == context.asked:
            return ""
        return f" about the {self._catalog.domain.facets[facet].plural}"

    def _pick(self, templates: tuple[str, ...], stream: Uniform) -> str:
        """One of the templates that do not happen to name a value of this catalogue."""
        usable = self._usable.get(templates)
        if usable is None:
            usable = tuple(t for t in templates if not self._names_something(t)) or templates
            self._usable[templates] = usable
        return pick(stream, usable)

    def _names_something(self, template: str) -> bool:
        words = read_words(_SLOT.sub(" . ", template))
        return any(self._finder.find(words, f) for f in range(self._catalog.domain.n_facets))

    def _fill(self, template: str, item: int = -1, **slots: str) -> str:
        domain = self._catalog.domain
        read, watch = self._wording.verbs()
        title = self._wording.title(item) if "{title}" in template else ""
        return template.format(
            noun=domain.noun, nouns=domain.nouns, title=title, read=read, watch=watch, **slots
        )


def _group(act: UserAct) -> tuple[int, int]:
    return (act.kind, act.facet if act.kind in _GROUPED else -1)


def _join(sentences: Sequence[str]) -> str:
    """Sentences one after the other, each closed by some punctuation."""
    return " ".join([*(_closed(sentence) for sentence in sentences[:-1]), sentences[-1]])


def _append(text: str, mood: str) -> str:
    return _closed(text) + mood if mood[:1] == " " else text + mood


def _closed(sentence: str) -> str:
    ended = sentence[-1] in ".!?" and not ends_in_short_form(sentence)
    return sentence if ended else f"{sentence}."
