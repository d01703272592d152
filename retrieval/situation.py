"""What a free-form policy knows: what was said, what was offered, and what the texts find."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

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


def words_of_user(lines: Iterable[Sequence[str]]) -> str:
    """What the user said, a line an utterance: the query of whoever leaves the system's words out.

    Args:
        lines: The dialogue as ``(speaker, utterance)``, speakers ``system`` and ``user``.
    """
    return "\n".join(text for speaker, text in lines if speaker == "user")


def spoken_situation(view: DialogueView, candidates: Iterable[int] = ()) -> Situation:
    """The public facts that a free-form method may use; the tracked state is not among them.

    Args:
        view: The dialogue.
        candidates: What was retrieved, best first; nothing yet, where the query is to be made from
            the situation.
    """
    return Situation(
        catalog=view.catalog,
        lines=tuple((speaker, said) for speaker, said in view.transcript()),
        candidates=tuple(candidates),
        offered=view.offered,
        last_offer=view.offers[-1][0] if view.offers else -1,
        legal=tuple(action for action, legal in enumerate(view.mask()) if legal),
    )


def read_situation(
    view: DialogueView, query: str | None = None, count: int = CANDIDATES
) -> Situation:
    """The situation with the best items not offered yet as its candidates.

    A text ranker ranks every item, so there are candidates wherever ItemRec is legal.

    Args:
        view: The dialogue.
        query: What to retrieve with; default: the whole dialogue.
        count: Candidates to retrieve, at least 1.
    """
    ranker = text_ranker(view.retriever, view.catalog)
    text = whole_dialogue(view) if query is None else query
    return spoken_situation(view, ranker.rank(Query(None, text), count, view.offered))
