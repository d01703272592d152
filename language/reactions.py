"""Reactions in an utterance: to an offer, to a question, and to how long it takes."""

from __future__ import annotations

from dialogue.acts import ACCEPT, CORRECT, DETAILS, EVADE, NOMORE, QUIT, REJECT, SEEN, SIGH, UserAct
from language.attitude import Stance
from language.cues import Cue, Found
from language.reading import Placed, Reading

_SHORT = 3
"""Words of an utterance in which "yes" alone accepts an offer."""

_NEAR = 3
"""Words between a complaint and the facet that it is about ("not my kind of genre")."""


def reaction_acts(reading: Reading) -> list[Placed]:
    """Acceptance, rejection, "seen it" or a request for details of the item just offered.

    Mentions that serve as a rejection's reason are marked as used.
    """
    item = reading.context.item
    if item < 0:
        return []
    accept, refused = _acceptance(reading)
    reject = _refusal(reading)
    if refused >= 0 and (reject < 0 or refused < reject):
        reject = refused
    seen = reading.first(Cue.SEEN)
    if seen >= 0:
        return [(seen, UserAct(SEEN, other=item))]
    if accept >= 0 and (reject < 0 or accept < reject):
        return [(accept, UserAct(ACCEPT, other=item))]
    at, facet, value = _reason(reading, item)
    if reject >= 0 or at >= 0:
        position = min(p for p in (reject, at) if p >= 0)
        return [(position, UserAct(REJECT, facet, value, item))]
    details = reading.first(Cue.DETAILS)
    return [(details, UserAct(DETAILS, other=item))] if details >= 0 else []


def _acceptance(reading: Reading) -> tuple[int, int]:
    """Positions of the first acceptance and of the first negated one ("not perfect")."""
    accepted = refused = -1
    for index, found in enumerate(reading.cues):
        short = len(reading.words) <= _SHORT and Cue.YES in found.cues
        if Cue.ACCEPT not in found.cues and not short:
            continue
        before = reading.cues[index - 1] if index else None
        negated = (
            before is not None
            and {Cue.NEGATIVE, Cue.FIRM} & before.cues
            and found.start - before.end <= 1
            and not reading.words.breaks[found.start]
        )
        if negated and refused < 0:
            refused = found.start
        elif not negated and accepted < 0:
            accepted = found.start
    return accepted, refused


def _refusal(reading: Reading) -> int:
    for found in reading.cues:
        if Cue.REJECT in found.cues:
            return found.start
        starts = found.start == 0 or reading.words.breaks[found.start] > 0
        if Cue.NO in found.cues and starts and reading.alone(found):
            return found.start
    return -1


def _reason(reading: Reading, item: int) -> tuple[int, int, int]:
    """Position, facet, value of the first complaint about the item; -1 for no one value."""
    values = reading.lexicon.catalog.items[item].values
    for index, (mention, stance, _) in enumerate(reading.judged):
        if index in reading.used or stance != Stance.NO or mention.other >= 0:
            continue
        if mention.value in values[mention.facet]:
            reading.used.add(index)
            return mention.start, mention.facet, mention.value
    for found in reading.having(Cue.TASTE):
        end = min(found.end + _NEAR, len(reading.words))
        facet = reading.facet_named(found.end, end)
        if facet >= 0:
            return found.start, facet, -1
    return -1, -1, -1


def reply_acts(reading: Reading, placed: list[Placed]) -> list[Placed]:
    """Evasions, "nothing more to say", impatience and leaving."""
    return _answers(reading, placed) + _sighs(reading) + _leaving(reading, placed)


def _answers(reading: Reading, placed: list[Placed]) -> list[Placed]:
    if reading.context.opening or reading.context.item >= 0:
        return []
    spoken = {act.facet for _, act in placed if act.kind != CORRECT}
    answers: dict[int, Placed] = {}
    for found in reading.cues:
        facet = _facet_answered(reading, found)
        if Cue.NOMORE in found.cues:
            if facet >= 0 and (Cue.NEGATIVE not in found.cues or reading.alone(found)):
                answers[facet] = (found.start, UserAct(NOMORE, facet))
        elif _evades(reading, found) and facet not in spoken and facet not in answers:
            answers[facet] = (found.start, UserAct(EVADE, facet))
    return list(answers.values())


def _evades(reading: Reading, found: Found) -> bool:
    if Cue.EVADE in found.cues and reading.words.folded[found.start].startswith("any"):
        end = reading.sentence(found.start)[1]  # "anything with X" names X
        return not any(found.start < j.mention.start < end for j in reading.judged)
    if Cue.EVADE in found.cues or Cue.REJECT in found.cues:
        return True
    return Cue.NO in found.cues and reading.alone(found)


def _facet_answered(reading: Reading, found: Found) -> int:
    start, end = reading.sentence(found.start)
    named = reading.facet_named(start, end)
    return named if named >= 0 else reading.context.asked


def _sighs(reading: Reading) -> list[Placed]:
    for level, cue in ((3, Cue.SIGH_3), (2, Cue.SIGH_2), (1, Cue.SIGH_1)):
        at = reading.first(cue)
        if at >= 0:
            return [(at, UserAct(SIGH, level))]
    return []


def _leaving(reading: Reading, placed: list[Placed]) -> list[Placed]:
    accepted = any(act.kind == ACCEPT for _, act in placed)
    for found in reading.cues:
        final = Cue.OLD not in found.cues or reading.alone(found)
        if Cue.QUIT in found.cues and final:
            return [(found.start, UserAct(QUIT))]
        if Cue.GOODBYE in found.cues and not accepted:
            return [(found.start, UserAct(QUIT))]
    return []
