"""Checks of models' words, so that later turns can tell from them what was done.

A free-form method has its past words only. An offer and an account of it are known by the item's
title, a question by the word of its facet.
"""

from __future__ import annotations

from typing import Protocol

from catalogs.catalog import Catalog
from language.prompts.facts import encodable
from language.prompts.naming import contains, facet_asked, offered_labels

SHOWN = 80
"""Characters of a title that an error repeats."""

LETTERS = 3
"""Shortest label that is looked for where no title should be: "It" begins many a sentence."""


class Known(Protocol):
    """What is known where something is said (``language.prompts.single_call.Situation``)."""

    @property
    def catalog(self) -> Catalog:
        """The items."""
        ...

    @property
    def offered(self) -> int:
        """Bit set of the items offered."""
        ...


def check_said(text: str) -> None:
    """Check that something is said.

    Raises:
        ValueError: The text is blank.
    """
    if not text.strip():
        raise ValueError("the text is empty; say it to the user")


def check_titles(situation: Known, item: int, text: str) -> None:
    """Check what is said about an item.

    Raises:
        ValueError: The title is missing, or another offered item's label is in the text.
    """
    about = situation.catalog.items[item]
    title = encodable(about.title)
    if not contains(text, title):
        raise ValueError(f"the text must name the title as written: {title[:SHOWN]!r}")
    check_no_title(situation, text.replace(encodable(about.label), " ").replace(title, " "))


def check_no_title(situation: Known, text: str) -> None:
    """Check what is said about no item. Labels that are values' names as well are passed over.

    Raises:
        ValueError: The text is blank, or an offered item's label is in it.
    """
    check_said(text)
    catalog = situation.catalog
    for label in offered_labels(catalog, situation.offered).values():
        is_value = any(label in values for values in catalog.value_ids)
        if len(label) >= LETTERS and not is_value and contains(text, encodable(label)):
            raise ValueError(f"the text must not name the title {label[:SHOWN]!r}")


def check_asks(situation: Known, facet: int, text: str) -> None:
    """Check a question about a facet.

    Raises:
        ValueError: It does not name the facet, or another one first, or it names a title.
    """
    if facet_asked(situation.catalog, text) != facet:
        nouns = situation.catalog.domain.facets[facet]
        raise ValueError(
            f"the text must ask about {nouns.plural}: put the word {nouns.singular!r} or "
            f"{nouns.plural!r} before any other facet's"
        )
    check_no_title(situation, text)
