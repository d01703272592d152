"""What a planner needs of a catalogue, built from the public catalogue alone."""

from __future__ import annotations

from catalogs.catalog import Catalog
from dialogue.view import DialogueView, SharedRetriever
from planners.text_rollouts import NameScores, TextRolloutRetriever
from retrieval.build import text_ranker
from retrieval.query import Ranker
from retrieval.spoken import SpokenRanker
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
        self._name_scores: NameScores = {}

    def ranker(self, view: DialogueView) -> Ranker:
        """The shared retriever as a ranker of queries (EXNode brings queries, no other index)."""
        shared = view.retriever
        return shared if isinstance(shared, Ranker) else self.retriever

    def from_texts(self, start: DialogueView, heard: DialogueView) -> SharedRetriever:
        """Ranks in rollouts as free-form retrieval would, had their values been said in words.

        Where the shared retriever's scores of texts do not add up (dense vectors), rollouts keep
        the structured one.

        Args:
            start: The view that rollouts start from.
            heard: The view with the dialogue's texts.
        """
        ranker = text_ranker(heard.retriever, self.catalog)
        if not isinstance(ranker, SpokenRanker):
            return self.retriever
        return TextRolloutRetriever(start, heard, ranker, self.retriever, self._name_scores)
