"""What a planner needs of a catalogue, built from the public catalogue alone."""

from __future__ import annotations

from catalogs.catalog import Catalog
from dialogue.view import DialogueView
from retrieval.query import Ranker
from retrieval.structured import StructuredRetriever
from simulators.seen import SeenItems
from simulators.user import vague_partners


class PlannerTools:
    """Retriever, seen chances and confusable values of one catalogue.

    Attributes:
        catalog: The items.
        retriever: Structured retriever for rollouts.
        seen: Chances that an item has been seen.
        vague: Confusable values.
    """

    def __init__(self, catalog: Catalog) -> None:
        self.catalog = catalog
        self.retriever = StructuredRetriever(catalog)
        self.seen = SeenItems(catalog)
        self.vague = vague_partners(catalog)

    def ranker(self, view: DialogueView) -> Ranker:
        """The shared retriever as a ranker of queries (EXNode brings queries, no other index)."""
        shared = view.retriever
        return shared if isinstance(shared, Ranker) else self.retriever
