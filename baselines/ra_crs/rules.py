"""RA-CRS without a model: each part of the state read off the words, and templates to say it."""

from __future__ import annotations

from baselines.heard import Heard, hear
from baselines.item_words import account_of, label_of, offer_words
from baselines.questions import ASK
from baselines.ra_crs.shapes import (
    Asking,
    Constraints,
    Intents,
    Known,
    Offered,
    Retrieved,
    Search,
    Stance,
    Stances,
    Utterance,
    Words,
)
from baselines.ra_crs.state import Constraint, Intent
from baselines.steps import Nothing
from catalogs.catalog import Catalog
from language.prompts.facts import encodable
from language.prompts.single_call import Situation

ASK_MORE = "You have {known} so far. Are there other {plural} that you want?"
CLARIFY = "Do you mean the {singular} {known}?"
REFLECT = "I see. Which {singular} would you rather have?"


def intents(situation: Situation, given: Utterance) -> Intents:
    """What the last words do, and which facets are done with."""
    heard = hear(situation)
    last = len(situation.lines) - 1
    found: list[Intent] = []
    if heard.just is not None:
        found.append("knows_item" if heard.just.seen else "rejects_item")
    if heard.details >= 0:
        found.append("asks_about_item")
    if any(wish.line == last and wish.wanted for wish in heard.wishes):
        found.append("states_preference")
    if heard.impatience >= given.rules.hurry:
        found.append("loses_patience")
    facets = situation.catalog.domain.facets
    settled = [facet.name for facet, closed in zip(facets, heard.closed, strict=True) if closed]
    return Intents(intents=found or ["small_talk"], settled=settled)


def hard(situation: Situation, _: Nothing) -> Constraints:
    """Values that were named plainly, wanted or not."""
    catalog, heard = situation.catalog, hear(situation)
    return Constraints(constraints=[c for f in _facets(catalog) for c in _plain(catalog, heard, f)])


def soft(situation: Situation, _: Nothing) -> Constraints:
    """Values that a vague word may mean."""
    catalog, heard = situation.catalog, hear(situation)
    return Constraints(
        constraints=[
            _constraint(catalog, f, value, True)
            for f in _facets(catalog)
            for pair in heard.unclear(f)
            for value in pair
        ]
    )


def _plain(catalog: Catalog, heard: Heard, facet: int) -> list[Constraint]:
    wanted = [_constraint(catalog, facet, value, True) for value in heard.wanted(facet)]
    return wanted + [_constraint(catalog, facet, value, False) for value in heard.unwanted(facet)]


def _constraint(catalog: Catalog, facet: int, value: int, wanted: bool) -> Constraint:
    name = catalog.domain.facets[facet].name
    named = encodable(catalog.value(facet, value))
    return Constraint(facet=name, value=named, wanted=wanted)


def _facets(catalog: Catalog) -> range:
    return range(catalog.domain.n_facets)


def items(situation: Situation, given: Offered) -> Stances:
    """Reactions to the offers; acceptance ends a dialogue, so none is read."""
    catalog = situation.catalog
    reactions = []
    for rejection in hear(situation).rejections:
        if rejection.item not in given.offers:
            continue
        facet, value = rejection.facet, rejection.value
        reactions.append(
            Stance(
                offer=given.offers.index(rejection.item) + 1,
                reaction="known" if rejection.seen else "rejected",
                facet=catalog.domain.facets[facet].name if facet >= 0 else None,
                value=encodable(catalog.value(facet, value)) if value >= 0 else None,
            )
        )
    return Stances(reactions=reactions)


def ask(situation: Situation, given: Asking) -> Words:
    """A question that names the facet, and what is known of it."""
    table = {"instead": REFLECT, "which": CLARIFY, "missing": ASK, "more": ASK_MORE}
    facet = situation.catalog.domain.facets[given.facet]
    template = ASK if given.purpose == "more" and not given.known else table[given.purpose]
    known = (" or " if given.purpose == "which" else ", ").join(given.known)
    return Words(text=template.format(singular=facet.singular, plural=facet.plural, known=known))


def query(situation: Situation, given: Known) -> Search:
    """The wanted values, hard ones first, each once; with none, the domain's noun."""
    both = (*given.state.hard, *given.state.soft)
    names = dict.fromkeys(c.value for c in both if c.wanted)
    return Search(query=", ".join(names) or situation.catalog.domain.nouns)


def explain(situation: Situation, given: Retrieved) -> Words:
    """An offer with the passages of the item's texts that match."""
    label = label_of(situation.catalog, given.item)
    told = [passage for passage in given.passages if passage != label]
    offer = offer_words(situation.catalog, given.item, ())
    return Words(text=" ".join([offer, *map(_sentence, told)]))


def answer(situation: Situation, given: Retrieved) -> Words:
    """What the item's texts say."""
    plot = encodable(situation.catalog.items[given.item].plot)
    return Words(text=f"{account_of(situation.catalog, given.item)} {plot}".strip())


def _sentence(passage: str) -> str:
    text = passage[:1].upper() + passage[1:]
    return text if text.endswith((".", "!", "?")) else f"{text}."
