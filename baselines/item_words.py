"""Plain words about an item: what embedded rules say in offering and in explaining one."""

from __future__ import annotations

from collections.abc import Sequence

from baselines.taste import Taste
from catalogs.catalog import Catalog
from language.prompts.facts import encodable

OFFER = "How about {label}?"
OFFER_FIT = "How about {label}? It has {names}."
EXPLAIN = "About {label}: {facts}."


def label_of(catalog: Catalog, item: int) -> str:
    """Title and year, fit to be said."""
    return encodable(catalog.items[item].label)


def offer_words(catalog: Catalog, item: int, names: Sequence[str]) -> str:
    """An offer, with the names of what speaks for it, if there are any."""
    template = OFFER_FIT if names else OFFER
    return template.format(label=label_of(catalog, item), names=", ".join(names))


def account_of(catalog: Catalog, item: int, facts: str = "") -> str:
    """An account of an item: the facts given, or all that its entry holds."""
    told = facts or facts_of(catalog, item)
    return EXPLAIN.format(label=label_of(catalog, item), facts=told)


def facts_of(catalog: Catalog, item: int) -> str:
    """The values of an item by facet, in words."""
    return "; ".join(facet_facts(catalog, item)) or "no details known"


def facet_facts(catalog: Catalog, item: int) -> list[str]:
    """A phrase per facet of which the item has values: ``genres: drama, crime``."""
    phrases = []
    for f, facet in enumerate(catalog.domain.facets):
        names = [catalog.value(f, value) for value in catalog.items[item].values[f]]
        if names:
            noun = facet.singular if len(names) == 1 else facet.plural
            phrases.append(encodable(f"{noun}: {', '.join(names)}"))
    return phrases


def names_met(catalog: Catalog, item: int, taste: Taste) -> list[str]:
    """Names of the wanted values that an item has."""
    return [
        encodable(catalog.value(f, value))
        for f, values in enumerate(taste.wanted)
        for value in values
        if value in catalog.items[item].values[f]
    ]
