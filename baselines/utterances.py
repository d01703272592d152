"""Reading single utterances and single names: by the lexicon and the phrases of ``language``."""

from __future__ import annotations

from catalogs.catalog import Catalog
from catalogs.per_catalog import PerCatalog
from dialogue.acts import UserActs
from dialogue.view import NO_REASON, DialogueView
from language.reading import Reading
from language.text import fold_key
from language.tracker import EmbeddedTracker
from retrieval.structured import StructuredRetriever

_REMEMBERED = 20_000
"""Utterances that a reader remembers."""


class Reader:
    """Reads single utterances; what it read once, it remembers."""

    def __init__(self, catalog: Catalog) -> None:
        self.catalog = catalog
        self.tracker = EmbeddedTracker(catalog)
        self._retriever = StructuredRetriever(catalog)
        self._known: dict[tuple[str, bool, int, int], UserActs] = {}

    def acts(self, text: str, opening: bool, asked: int, item: int) -> UserActs:
        """What an utterance means as the answer to a question, or to an offer, or as the first."""
        key = (text, opening, asked, item)
        found = self._known.get(key)
        if found is None:
            found = self.tracker.track(text, self._blank(opening, asked, item))
            if len(self._known) >= _REMEMBERED:
                self._known.clear()
            self._known[key] = found
        return found

    def judged(self, text: str) -> Reading:
        """The values that a text names, and what it says of each, whoever says it."""
        return self.tracker.read(text, self._blank(True, -1, -1))

    def _blank(self, opening: bool, asked: int, item: int) -> DialogueView:
        view = DialogueView(self.catalog, self._retriever, "text", 1)
        domain = self.catalog.domain
        if opening:
            return view
        if item >= 0:
            view.last_action, view.offers = domain.recommend, [(item, -1)]
        else:
            view.last_action, view.reason = domain.reflect, NO_REASON
            if asked >= 0:
                view.last_action = asked
        return view


_READERS = PerCatalog(Reader)


def reader_of(catalog: Catalog) -> Reader:
    """The reader of a catalogue, shared by a process's threads."""
    return _READERS.of(catalog)


def facet_of(catalog: Catalog, name: str | None) -> int:
    """Index of the facet that has this name or noun (in any case), -1 without one."""
    plain = "" if name is None else name.strip().casefold()
    for f, facet in enumerate(catalog.domain.facets):
        if plain in {word.casefold() for word in (facet.name, facet.singular, facet.plural)}:
            return f
    return -1


def find_value(catalog: Catalog, facet: int, name: str) -> int:
    """The value of a facet that a name means, in any case and with or without accents; else -1."""
    exact = catalog.value_ids[facet].get(name)
    if exact is not None:
        return exact
    senses = reader_of(catalog).tracker.lexicon.senses.get(fold_key(name), ())
    return next((s.value for s in senses if s.facet == facet and s.other < 0), -1)
