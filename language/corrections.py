"""Statements about two values: corrections ("not A, I meant B") and doubts between two of them."""

from __future__ import annotations

from dialogue.acts import CORRECT, DISLIKE, LIKE, UserAct
from language.attitude import Judged
from language.cues import Cue, Found
from language.preferences import plain_acts, sentences, vague_act
from language.reading import Placed, Reading

_MEANT = frozenset({"meant", "make", "scratch"})


def paired_acts(reading: Reading) -> list[Placed]:
    """Acts of the sentences that set two values against each other; their mentions become used."""
    placed: list[Placed] = []
    for numbers, judged in sentences(reading):
        acts = _sentence_acts(reading, judged)
        if acts:
            reading.used.update(numbers)
            placed += acts
    return placed


def _sentence_acts(reading: Reading, judged: list[Judged]) -> list[Placed]:
    cues = reading.cues_around(judged[0].mention.start)
    kinds = frozenset().union(*(found.cues for found in cues))
    if Cue.UNSURE in kinds and _is_pair(judged):
        first, second = (j.mention for j in judged)
        return [(first.start, vague_act(first.facet, first.value, second.value))]
    if Cue.CORRECTION in kinds or Cue.MILD_CORRECTION in kinds:
        return _correction(reading, judged, cues, firm=Cue.CORRECTION in kinds)
    return []


def _is_pair(judged: list[Judged]) -> bool:
    if len(judged) != 2 or any(j.mention.other >= 0 for j in judged):
        return False
    a, b = (j.mention for j in judged)
    return a.facet == b.facet and a.value != b.value


def _correction(
    reading: Reading, judged: list[Judged], cues: list[Found], firm: bool
) -> list[Placed]:
    """Pair what is taken back with what is wanted now; empty if the sentence corrects nothing."""
    facet = judged[0].mention.facet
    mine = [j for j in judged if j.mention.facet == facet and j.mention.other < 0]
    old, new = _sides(mine, cues, reading.view.state.likes[facet])
    if not old and firm and _says_meant(reading, cues):
        old = [v for v in reading.view.state.likes[facet] if v not in {value for _, value in new}][
            -1:
        ]
    if not old or not new or (not firm and not set(old) & set(reading.view.state.likes[facet])):
        return []
    position, value = new[0]
    position = min(position, mine[0].mention.start)
    placed: list[Placed] = [(position, UserAct(CORRECT, facet, value, old[0]))]
    placed += [(at, UserAct(LIKE, facet, more)) for at, more in new[1:]]
    placed += [(position, UserAct(DISLIKE, facet, more)) for more in old[1:]]
    others = [j for j in judged if j not in mine]
    return placed + [act for entry in others for act in plain_acts(entry)]


def _sides(
    judged: list[Judged], cues: list[Found], liked: tuple[int, ...]
) -> tuple[list[int], list[tuple[int, int]]]:
    old: list[int] = []
    new: list[tuple[int, int]] = []
    ends = {j.mention.end for j in judged}
    for mention, _, _ in judged:
        mode = _mode_before(cues, mention.start, ends)
        if mode == Cue.OLD or (mode is None and mention.value in liked):
            old.append(mention.value)
        else:
            new.append((mention.start, mention.value))
    return old, new


def _mode_before(cues: list[Found], position: int, ends: set[int]) -> Cue | None:
    """Whether the nearest cue takes back or brings in ("swap A for B" does both)."""
    for found in reversed(cues):
        if Cue.SWAPPED in found.cues and found.start not in ends:
            continue
        if found.start < position:
            for cue in (Cue.OLD, Cue.NEW):
                if cue in found.cues:
                    return cue
    return None


def _says_meant(reading: Reading, cues: list[Found]) -> bool:
    spoken = [word for found in cues for word in reading.words.folded[found.start : found.end]]
    return not _MEANT.isdisjoint(spoken)
