"""The fact check without a model: what a text says of an item, against the catalogue's entry.

Three kinds of claims are found in any wording: values of a facet (by the catalogue's lexicon, with
the attitude towards them, so that "no horror in it" is false of a horror film), years, and being
well known. The item's label and what its plot tells are the entry's own words, and claim nothing.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from baselines.pc_crs.shapes import FalseClaim
from baselines.pc_crs.strategies import Claims, listed
from baselines.utterances import reader_of
from catalogs.catalog import Catalog, Item
from language.attitude import Judged, Stance
from language.prompts.facts import encodable
from language.reading import Reading
from language.text import fold_words

FAMILIAR = 0.75
"""Rank in familiarity, in [0, 1], from which an item may be called well known."""

_YEAR = re.compile(r"(?<!\w)(?:18|19|20)\d\d(?!\w)")
_KNOWN = re.compile(
    r"(?<!\w)(?:(?:well|better|best|widely)[ -]known|famous|popular)(?!\w)", re.IGNORECASE
)


def false_claims(catalog: Catalog, item: Item, text: str) -> list[FalseClaim]:
    """Claims of a text that the item's entry does not bear out, in order of kind and place.

    Args:
        catalog: The items.
        item: The item that the text is about.
        text: Any text.
    """
    # The plot first: it may name the title.
    for own in (item.plot, item.label, item.title):
        text = text.replace(encodable(own), " … ") if own else text
    return [
        *_false_values(catalog, item, text),
        *_false_years(item, text),
        *_false_fame(catalog, item, text),
    ]


def _false_values(catalog: Catalog, item: Item, text: str) -> Iterator[FalseClaim]:
    reading = reader_of(catalog).judged(text)
    for judged in reading.judged:
        if judged.stance == Stance.OPEN or judged.mention.other >= 0:
            continue
        if (judged.stance == Stance.YES) != _has(catalog, item, reading, judged):
            facet = catalog.domain.facets[judged.mention.facet]
            claims: Claims = [(judged.mention.facet, item.values[judged.mention.facet])]
            yield FalseClaim(
                claim=reading.words.passage(judged.mention.start, judged.mention.end),
                field=facet.name,
                fact=listed(catalog, claims) or f"no {facet.plural} known",
            )


def _has(catalog: Catalog, item: Item, reading: Reading, judged: Judged) -> bool:
    """Whether the item has the value, in the facet that the sentence says, if it says one."""
    _, _, facet, value, _ = judged.mention
    if value in item.values[facet]:
        return True
    described = catalog.domain.facets[facet]
    start, _ = reading.sentence(judged.mention.start)
    before = reading.words.folded[start : judged.mention.start]
    said = fold_words(f"{described.name} {described.singular} {described.plural}")
    if not described.person or any(word in before for word in said):
        return False
    name = catalog.value(facet, value)
    return any(
        catalog.value_ids[f].get(name, -1) in item.values[f]
        for f, other in enumerate(catalog.domain.facets)
        if other.person
    )


def _false_years(item: Item, text: str) -> Iterator[FalseClaim]:
    for year in dict.fromkeys(_YEAR.findall(text)):
        if item.year is None or int(year) != item.year:
            fact = "no year known" if item.year is None else str(item.year)
            yield FalseClaim(claim=year, field="year", fact=fact)


def _false_fame(catalog: Catalog, item: Item, text: str) -> Iterator[FalseClaim]:
    found = _KNOWN.search(text)
    if found and catalog.familiarity[item.index] < FAMILIAR:
        yield FalseClaim(claim=found.group(), field="popularity", fact="not widely known")
