"""Names in a system's words: titles of offered items, and the nouns of facets."""

from __future__ import annotations

import re
from functools import lru_cache

from catalogs.catalog import Catalog, members
from catalogs.per_catalog import PerCatalog
from language.text import fold_key


def offered_labels(catalog: Catalog, offered: int) -> dict[int, str]:
    """Labels of the offered items (and of all rows of the same works) by item."""
    return {item: catalog.items[item].label for item in members(offered)}


def contains(text: str, label: str) -> bool:
    """Whether a text has a label as words of its own."""
    return label in text and re.search(rf"(?<!\w){re.escape(label)}(?!\w)", text) is not None


def facet_asked(catalog: Catalog, text: str) -> int:
    """The first facet whose name or noun a text has, -1 if none."""
    return first_noun(text, facet_nouns(catalog))


def facet_nouns(catalog: Catalog) -> list[tuple[str, ...]]:
    """Per facet its name and nouns, folded, each between spaces."""
    return _NOUNS.of(catalog)


def _nouns_of(catalog: Catalog) -> list[tuple[str, ...]]:
    return [
        tuple(
            f" {fold_key(word)} "
            for word in (facet.singular, facet.plural, facet.name, f"{facet.name}s")
        )
        for facet in catalog.domain.facets
    ]


_NOUNS = PerCatalog(_nouns_of)


@lru_cache(maxsize=10_000)
def _folded(text: str) -> str:
    """A text's words between spaces; each line of a dialogue is looked at in every later turn."""
    return f" {fold_key(text)} "


def first_noun(text: str, nouns: list[tuple[str, ...]]) -> int:
    """The facet of whose nouns (:func:`facet_nouns`) one comes first in a text, -1 if none."""
    padded = _folded(text)
    places = ((padded.find(word), f) for f, words in enumerate(nouns) for word in words)
    return min((found for found in places if found[0] >= 0), default=(-1, -1))[1]
