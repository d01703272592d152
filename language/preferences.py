"""Preferences in an utterance: likes, dislikes and vague words."""

from __future__ import annotations

from itertools import groupby

from dialogue.acts import DISLIKE, LIKE, VAGUE, UserAct
from language.attitude import Judged, Stance
from language.cues import Cue
from language.reading import Placed, Reading

MANY_WORDS = 5
"""In sentences with more words besides, a genre that nobody asked for needs a word of wishing."""


def preference_acts(reading: Reading) -> list[Placed]:
    """Acts of all mentions that no pairing and no reaction has used, sentence by sentence."""
    return [act for _, judged in sentences(reading) for act in _sentence_acts(reading, judged)]


def sentences(reading: Reading) -> list[tuple[list[int], list[Judged]]]:
    """The unused mentions by sentence: their numbers, and themselves."""
    groups = []
    for _, group in groupby(enumerate(reading.judged), key=lambda entry: entry[1].sentence):
        free = [entry for entry in group if entry[0] not in reading.used]
        if free:
            groups.append(([number for number, _ in free], [judged for _, judged in free]))
    return groups


def _sentence_acts(reading: Reading, judged: list[Judged]) -> list[Placed]:
    start, end = reading.sentence(judged[0].mention.start)
    other_words = end - start - sum(j.mention.end - j.mention.start for j in judged)
    cues = reading.cues_around(start)
    wished = other_words <= MANY_WORDS or any(Cue.WISH in found.cues for found in cues)
    return [act for j in judged if wished or not _is_talk(reading, j) for act in plain_acts(j)]


def _is_talk(reading: Reading, judged: Judged) -> bool:
    """Whether a genre (or the like) that nobody asked for is only talked about."""
    facet = judged.mention.facet
    person = reading.lexicon.catalog.domain.facets[facet].person
    return judged.stance == Stance.YES and not person and facet != reading.context.asked


def plain_acts(judged: Judged) -> list[Placed]:
    """The act of one mention by itself; none if the speaker leaves it open."""
    mention, stance, _ = judged
    if stance == Stance.OPEN:
        return []
    if mention.other >= 0:
        vague = vague_act(mention.facet, mention.value, mention.other)
        return [(mention.start, vague)] if stance == Stance.YES else []
    kind = LIKE if stance == Stance.YES else DISLIKE
    return [(mention.start, UserAct(kind, mention.facet, mention.value))]


def vague_act(facet: int, first: int, second: int) -> UserAct:
    """Either of two values, the smaller index first."""
    return UserAct(VAGUE, facet, min(first, second), max(first, second))
