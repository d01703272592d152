"""Attitude: which mentioned values a speaker wants, does not want, or only talks about."""

from __future__ import annotations

from collections.abc import Sequence
from enum import IntEnum
from typing import NamedTuple

from language.cues import Cue, Found
from language.mentions import Mention
from language.phrases.attitude_cues import ASPECTS
from language.text import COMMA, NO_BREAK, STOP, Words


class Stance(IntEnum):
    """What the speaker thinks of a mentioned value."""

    FIRM_NO = -2
    NO = -1
    OPEN = 0
    YES = 1


class Judged(NamedTuple):
    """A mention with the speaker's stance and the number of the sentence it is in."""

    mention: Mention
    stance: Stance
    sentence: int


_REACH = 3
"""Words between a negation and the verb that it negates ("not really what I want")."""

_SPEAKER = frozenset({"i", "id", "im", "ill", "we", "give", "show", "lets"})


class _Scan:
    """Left-to-right scan: a negation holds until its clause ends or a new wish begins."""

    def __init__(self, words: Words) -> None:
        self.words = words
        self.stance = Stance.YES
        self.since = -9
        self.pause = False
        self.named = False
        self.clause: list[int] = []
        self.stances: list[Stance] = []

    def boundary(self, level: int) -> None:
        if level == STOP:
            self._open_clause(Stance.YES)
        elif level == COMMA:
            self.pause = True

    def phrase(self, found: Found) -> None:
        cues = found.cues
        if Cue.NO in cues and self._stands_alone(found):
            return
        if Cue.NEGATIVE_AFTER in cues:
            for index in self.clause:
                if self.stances[index] == Stance.YES:
                    self.stances[index] = Stance.NO
        elif Cue.FIRM in cues:
            self._set(Stance.FIRM_NO, found.end)
        elif Cue.NEGATIVE in cues:
            self._set(min(Stance.NO, self.stance), found.end)
        elif Cue.UNDECIDED in cues:
            self._set(Stance.OPEN, found.end)
        elif Cue.BUT in cues or self._begins_anew(found):
            self._open_clause(Stance.YES)

    def mention(self, start: int, end: int) -> None:
        stance = self.stance
        if stance == Stance.YES and start and self.words.folded[start - 1] in {"too", "non"}:
            stance = Stance.NO
        elif stance == Stance.YES and self._is_trait(end):
            stance = Stance.OPEN
        self.named = True
        self.clause.append(len(self.stances))
        self.stances.append(stance)
        self.pause = False

    def _is_trait(self, end: int) -> bool:
        words = self.words
        return end < len(words) and words.folded[end] in ASPECTS and words.breaks[end] == NO_BREAK

    def _set(self, stance: Stance, end: int) -> None:
        self.stance = stance
        self.since = end
        self.pause = False
        self.named = False

    def _open_clause(self, stance: Stance) -> None:
        self._set(stance, -9)
        self.clause = []

    def _begins_anew(self, found: Found) -> bool:
        """Whether a new wish begins, too far from the last negation to be negated by it."""
        if not found.cues & {Cue.WISH, Cue.BEGINNING}:
            return False
        if self.named and self.words.folded[found.start] in _SPEAKER:
            return True
        return self.pause or found.start - self.since > _REACH

    def _stands_alone(self, found: Found) -> bool:
        return self.words.breaks[found.end] > NO_BREAK


def judge(words: Words, mentions: Sequence[Mention], cues: Sequence[Found]) -> list[Judged]:
    """Stance and sentence of each mention, in order."""
    scan = _Scan(words)
    at_mention = {mention.start: mention for mention in mentions}
    at_cue = {found.start: found for found in cues}
    doubled = [m.start for m in mentions]
    sentences: list[int] = []
    sentence = 0
    for i in range(len(words)):
        if words.breaks[i]:
            sentence += words.breaks[i] == STOP
            scan.boundary(words.breaks[i])
        if i in at_mention:
            for _ in range(doubled.count(i)):
                scan.mention(i, at_mention[i].end)
                sentences.append(sentence)
        elif i in at_cue:
            scan.phrase(at_cue[i])
    return [
        Judged(mention, stance, number)
        for mention, stance, number in zip(mentions, scan.stances, sentences, strict=True)
    ]
