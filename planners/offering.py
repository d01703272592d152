"""What ItemRec would offer: the EXNode's choice, or a ranking that nothing has refined."""

from __future__ import annotations

from typing import NamedTuple

from dialogue.view import DialogueView
from planners.exploitation import RANKING, QueryNode
from retrieval.build import text_ranker
from retrieval.query import Query, state_text
from retrieval.situation import whole_dialogue


class Offer(NamedTuple):
    """A ranking whose first item would be offered.

    Attributes:
        query: The query's text.
        ranking: At most 10 items, best first, at least one.
        nodes: The refinement tree's best query and its root, where there is a tree.
    """

    query: str
    ranking: tuple[int, ...]
    nodes: tuple[QueryNode, QueryNode] | None = None


def from_state(view: DialogueView) -> Offer:
    """The shared retriever's ranking for the tracked state (dreams Table 4, JSON only)."""
    ranking = view.retriever.top(view, RANKING)
    return Offer(state_text(view.state, view.catalog), ranking)


def from_history(view: DialogueView) -> Offer:
    """The ranking for the whole free-form dialogue as it stands (dreams Table 4, no EXNode)."""
    text = whole_dialogue(view)
    ranker = text_ranker(view.retriever, view.catalog)
    return Offer(text, tuple(ranker.rank(Query(None, text), RANKING, view.offered)))
