"""What a free-form comparator knows: what was said, what was offered, and what the texts find."""

from __future__ import annotations

from dialogue.view import DialogueView
from language.prompts.single_call import Situation
from retrieval.build import text_ranker
from retrieval.query import Query

CANDIDATES = 10
"""Items that a turn chooses among: as many as a ranking may hold."""


def check_channel(view: DialogueView, name: str) -> None:
    """Check that there are texts to read.

    Raises:
        ValueError: The environment has ``channel=acts``, whose dialogues have no texts.
    """
    if view.channel != "text":
        raise ValueError(
            f"{name} reads what was said, and channel={view.channel!r} has no texts; make "
            f"the environment with channel='text'"
        )


def whole_dialogue(view: DialogueView) -> str:
    """Everything that was said, a line an utterance: the query of a free-form method."""
    return "\n".join(text for _, text in view.transcript())


def read_situation(
    view: DialogueView, query: str | None = None, count: int = CANDIDATES
) -> Situation:
    """The public facts that a free-form method may use; the tracked state is not among them.

    Args:
        view: The dialogue.
        query: What to retrieve with; default: the whole dialogue.
        count: Candidates to retrieve, at least 1.

    Returns:
        The situation, with the best items not offered yet as its candidates; ItemRec is legal only
        where there are any.
    """
    ranker = text_ranker(view.retriever, view.catalog)
    text = whole_dialogue(view) if query is None else query
    found = ranker.rank(Query(None, text), count, view.offered)
    mask = view.mask()
    mask[view.catalog.domain.recommend] &= bool(found)
    return Situation(
        catalog=view.catalog,
        lines=tuple((speaker, said) for speaker, said in view.transcript()),
        candidates=tuple(found),
        offered=view.offered,
        last_offer=view.offers[-1][0] if view.offers else -1,
        legal=tuple(action for action, legal in enumerate(mask) if legal),
    )
