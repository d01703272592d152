"""Six honest ways of convincing: what a model is told about each, and the embedded wording.

The six families are those of PC-CRS (Qin et al. 2024), described in this project's words.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

from catalogs.catalog import Catalog, Item
from language.prompts.facts import encodable

Name = Literal["logic", "emotion", "framing", "evidence", "social_proof", "anchoring"]


@dataclass(frozen=True, slots=True)
class Strategy:
    """A way of convincing.

    Attributes:
        how: What it does, for a model.
        opening: The embedded first sentence; slots ``{label}``, ``{noun}`` and ``{nouns}``.
        claim: The embedded sentence that ties the item to the wishes; slot ``{claims}``.
    """

    how: str
    opening: str
    claim: str


STRATEGIES: Mapping[Name, Strategy] = {
    "logic": Strategy(
        "go through the person's wishes and show, one by one, that the item meets them",
        "Going by what you told me, {label} is the one to try.",
        "It matches on {claims}.",
    ),
    "emotion": Strategy(
        "speak to the mood that the person is in or looks for, and to how the item may feel",
        "{label} could give your evening just the right mood.",
        "Let yourself in for {claims}.",
    ),
    "framing": Strategy(
        "put the item's strong side first: what the person gains by choosing it",
        "With {label} you get a good deal of what you are after.",
        "What you gain is {claims}.",
    ),
    "evidence": Strategy(
        "let concrete, verifiable facts of the item's entry speak, such as people, year and plot",
        "Here is what is on record about {label}.",
        "The entry says {claims}.",
    ),
    "social_proof": Strategy(
        "point to how well known the item or the people in it are, where the entry bears it out",
        "{label} is among the better known {nouns} here.",
        "It comes with {claims}.",
    ),
    "anchoring": Strategy(
        "set the item beside the one offered before (call that one the last one, without its title)"
        " and say what it does better",
        "Measured against the last one, {label} should be closer to your taste.",
        "This time it is {claims}.",
    ),
}
"""By name, in the order in which a model reads them."""

Claims = Sequence[tuple[int, Sequence[int]]]
"""Values that are claimed of an item, by facet."""


def listed(catalog: Catalog, claims: Claims) -> str:
    """Claimed values in words: ``genres: drama and crime; actor: Ada Lind``."""
    parts = []
    for f, values in claims:
        facet, names = catalog.domain.facets[f], [catalog.value(f, value) for value in values]
        if names:
            noun = facet.singular if len(names) == 1 else facet.plural
            joined = names[-1] if len(names) == 1 else f"{', '.join(names[:-1])} and {names[-1]}"
            parts.append(f"{noun}: {joined}")
    return "; ".join(parts)


def worded(
    catalog: Catalog,
    item: Item,
    name: Name,
    claims: Claims,
    *,
    familiar: bool = True,
    plot: bool = False,
) -> str:
    """The embedded text about an item under a strategy.

    No other title is in it: who reads the dialogue later tells offers by the titles in them.

    Args:
        catalog: The items.
        item: What it is about; its label is in the text.
        name: The strategy.
        claims: What is said to be true of the item; empty: its entry.
        familiar: Whether ``social_proof`` may say that the item is well known.
        plot: Whether the plot is told, if there is one.
    """
    chosen = STRATEGIES["framing" if name == "social_proof" and not familiar else name]
    domain = catalog.domain
    slots = {"label": item.label, "noun": domain.noun, "nouns": domain.nouns}
    sentences = [chosen.opening.format(**slots)]
    facts = listed(catalog, claims) or listed(catalog, list(enumerate(item.values)))
    if facts:
        sentences.append(chosen.claim.format(claims=facts))
    if plot and item.plot:
        sentences.append(item.plot)
    return encodable(" ".join(sentences)).strip()
