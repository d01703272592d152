"""Words for an act: what the verbalising step of a planning method says without a model."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal

from baselines.item_words import account_of, offer_words
from baselines.questions import ASK
from baselines.steps import Shape
from catalogs.catalog import Catalog
from language.prompts.facts import encodable
from language.prompts.reply_checks import check_asks, check_no_title, check_titles
from language.prompts.single_call import Situation

Act = Literal["ask", "ask_instead", "clarify", "recommend", "explain"]
"""Ask about a facet, ask what to have instead of the refused offer, ask which of two values is
meant, offer the candidate, tell more about the last offer."""


class Saying(Shape):
    """An act to be worded.

    Attributes:
        act: The act.
        facet: Name of the facet that it asks about, if any.
        either: Two values of which one is meant, for ``clarify``; else empty.
        matches: Values named by the user that the candidate to offer has.
    """

    act: Act
    facet: str | None
    either: list[str]
    matches: list[str]


def saying(catalog: Catalog, act: Act, facet: int = -1, either: Sequence[str] = ()) -> Saying:
    """An act that is no offer; facet -1: it is about none."""
    name = catalog.domain.facets[facet].name if facet >= 0 else None
    return Saying(act=act, facet=name, either=list(either), matches=[])


class Words(Shape):
    """What the system says."""

    reply: str


def embedded_words(situation: Situation, given: Saying) -> Words:
    """A plain wording of the act."""
    return Words(reply=encodable(_text(situation, given)))


def check_words(situation: Situation, given: Saying, words: Words) -> None:
    """Raise ValueError where later turns could not tell from the words what the act was."""
    facets = [facet.name for facet in situation.catalog.domain.facets]
    if given.act == "recommend" and situation.candidates:
        check_titles(situation, situation.candidates[0], words.reply)
    elif given.act == "explain" and situation.last_offer >= 0:
        check_titles(situation, situation.last_offer, words.reply)
    elif given.facet in facets:
        check_asks(situation, facets.index(given.facet), words.reply)
    else:
        check_no_title(situation, words.reply)


def _text(situation: Situation, given: Saying) -> str:
    catalog = situation.catalog
    if given.act == "recommend" and situation.candidates:
        offer = offer_words(catalog, situation.candidates[0], ())
        why = f" It has what you asked for: {', '.join(given.matches)}." if given.matches else ""
        return f"{offer}{why}"
    if given.act == "explain" and situation.last_offer >= 0:
        return account_of(catalog, situation.last_offer)
    if given.act == "clarify" and given.either:
        return _either(situation, given)
    named = [facet for facet in catalog.domain.facets if facet.name == given.facet]
    if not named:
        return "Sorry that it did not fit. What would you rather have?"
    if given.act == "ask_instead":
        return f"Understood. Which {named[0].singular} would you rather have?"
    return ASK.format(plural=named[0].plural)


def _either(situation: Situation, given: Saying) -> str:
    nouns = {facet.name: facet.singular for facet in situation.catalog.domain.facets}
    noun = nouns.get(given.facet or "", "one")
    return f"Just to be sure, which {noun} do you mean: {' or '.join(given.either)}?"
