"""What a ranking is made from, and what makes one."""

from __future__ import annotations

import unicodedata
from dataclasses import dataclass
from typing import Protocol, runtime_checkable

from catalogs.catalog import Catalog, Item
from dialogue.state import PreferenceState


@dataclass(frozen=True, slots=True)
class Query:
    """A request for items.

    Attributes:
        state: Tracked preferences, or None when only a text is known.
        text: Free text; when it is blank, rankers that need one derive it from the state.
    """

    state: PreferenceState | None
    text: str = ""


@runtime_checkable
class Ranker(Protocol):
    """Orders a catalogue's items for a query."""

    def rank(self, query: Query, count: int, exclude: int = 0) -> list[int]:
        """The best ``count`` item indices, best first.

        The same query gives the same ranking. Items in the bit set ``exclude`` never appear, ties
        go to the more familiar item, and fewer than ``count`` come back only when fewer remain.
        """
        ...


def query_text(query: Query, catalog: Catalog) -> str:
    """The query's own text, or else the state's."""
    if query.text.strip() or query.state is None:
        return query.text
    return state_text(query.state, catalog)


def state_text(state: PreferenceState, catalog: Catalog) -> str:
    """A tracked state as words to search with: wanted values by facet, then what is ambiguous.

    Unwanted values are left out: a text that names them would retrieve them.
    """
    wanted: list[str] = []
    unsure: list[str] = []
    for f in range(catalog.domain.n_facets):
        wanted.extend(catalog.value(f, value) for value in state.likes[f])
        unsure.extend(catalog.value(f, value) for pair in state.ambiguous[f] for value in pair)
    return ", ".join(dict.fromkeys(wanted + unsure))


def item_text(item: Item, catalog: Catalog) -> str:
    """An item as a document: its title and values twice, its year and plot once.

    A plot is many times longer than the rest; the repetition keeps facts ahead of retelling.
    """
    names = [catalog.value(f, value) for f, values in enumerate(item.values) for value in values]
    facts = f"{item.title} {' '.join(names)}"
    year = "" if item.year is None else str(item.year)
    return " ".join(part for part in (facts, facts, year, item.plot) if part)


def tokens(text: str) -> list[str]:
    """Words of a text without case, accents and punctuation, in order, repeats kept."""
    plain = unicodedata.normalize("NFKD", text).casefold()
    kept = (c if c.isalnum() else " " for c in plain if not unicodedata.combining(c))
    return "".join(kept).split()
