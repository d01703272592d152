"""The embedded decision of InterCRS: a few rules on what was said.

1. The user asks about the item just offered, which was not explained yet: explain it.
2. A facet has not been asked about: ask, in the domain's order.
3. Offer the candidate of which the user named the most; otherwise the best match.

All is read off the texts (and which items were offered), so that it works on any wording, its own
or a model's, and comes out the same wherever the texts are read.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import cache
from typing import Any

from baselines.item_words import EXPLAIN, OFFER, facts_of
from baselines.questions import ASK
from baselines.told import contains, item_named, offered_labels
from catalogs.catalog import Catalog
from catalogs.domain import Facet
from language.cues import Cue, CueFinder
from language.text import fold_key, read_words

Lines = Sequence[Sequence[str]]
_REACTIONS = frozenset({Cue.ACCEPT, Cue.REJECT, Cue.SEEN, Cue.QUIT})


def embedded_decision(
    catalog: Catalog, lines: Lines, candidates: Sequence[int], offered: int
) -> dict[str, Any]:
    """What to do next, in the shape of ``language.prompts.single_call.PolicyAnswer``.

    Args:
        catalog: The items.
        lines: The dialogue as ``(speaker, utterance)``, speakers ``system`` and ``user``.
        candidates: Item indices, best match first; empty when nothing is left to offer.
        offered: Bit set of the items offered.

    Returns:
        ``action`` (an inquiry, ItemRec or ItemExplanation by name, always legal), ``item`` (number
        of a candidate from 1, or None) and ``reply``.
    """
    domain = catalog.domain
    labels = offered_labels(catalog, offered)
    spoken = [text for speaker, text in lines if speaker == "system"]
    asked_about = _asked_about(lines, spoken, labels)
    if asked_about >= 0:
        text = EXPLAIN.format(label=labels[asked_about], facts=facts_of(catalog, asked_about))
        return _answer(domain.actions[domain.explain], None, text)
    questions = [fold_key(text) for text in spoken if item_named(text, labels) < 0]
    for facet in domain.facets:
        if not any(_mentions(question, facet) for question in questions):
            return _answer(facet.inquiry, None, ASK.format(plural=facet.plural))
    if not candidates:
        facet = domain.facets[0]
        return _answer(facet.inquiry, None, ASK.format(plural=facet.plural))
    wishes = _padded(fold_key(text) for speaker, text in lines if speaker == "user")
    met = [_wishes_met(catalog, item, wishes) for item in candidates]
    choice = met.index(max(met))
    text = OFFER.format(label=catalog.items[candidates[choice]].label)
    return _answer(domain.actions[domain.recommend], choice + 1, text)


def _answer(action: str, item: int | None, reply: str) -> dict[str, Any]:
    return {"action": action, "item": item, "reply": reply}


def _asked_about(lines: Lines, spoken: Sequence[str], labels: dict[int, str]) -> int:
    """Item that the user wants to hear more about, -1 if none."""
    if not spoken or not lines or lines[-1][0] != "user":
        return -1
    item = item_named(spoken[-1], labels)
    if item < 0 or sum(contains(text, labels[item]) for text in spoken) > 1:
        return -1
    found = _cue_finder().find(read_words(lines[-1][1]), ())
    cues = frozenset().union(*(each.cues for each in found))
    return item if Cue.DETAILS in cues and not cues & _REACTIONS else -1


@cache
def _cue_finder() -> CueFinder:
    return CueFinder()


def _mentions(question: str, facet: Facet) -> bool:
    padded = f" {question} "
    return any(f" {fold_key(word)} " in padded for word in (facet.singular, facet.plural))


def _padded(texts: Iterable[str]) -> str:
    # The bar keeps names from beginning in one utterance and ending in the next.
    return f" {' | '.join(texts)} "


def _wishes_met(catalog: Catalog, item: int, wishes: str) -> int:
    """Values of the item that the user named; of a facet where one suffices, at most one counts."""
    total = 0
    for f, facet in enumerate(catalog.domain.facets):
        values = catalog.items[item].values[f]
        named = sum(f" {fold_key(catalog.value(f, value))} " in wishes for value in values)
        total += named if facet.match == "all" else min(named, 1)
    return total
