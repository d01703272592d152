"""How free-form methods find candidates: words retrieve, wishes order."""

from __future__ import annotations

from dataclasses import replace

from baselines.asking import AskingSettings
from baselines.heard import hear
from baselines.taste import Taste, taste_of
from dialogue.view import DialogueView
from language.prompts.single_call import Situation
from retrieval.situation import CANDIDATES, read_situation


def find_candidates(
    view: DialogueView, query: str, settings: AskingSettings, taste: Taste | None = None
) -> Situation:
    """The situation with the best ``CANDIDATES`` items not offered yet.

    Args:
        view: The dialogue.
        query: Words to retrieve with.
        settings: How many items they retrieve, and what orders those that fit the wishes equally.
        taste: The wishes; default: the values that the user named.
    """
    found = read_situation(view, query, settings.pool)
    wishes = taste_of(view.catalog, hear(found)) if taste is None else taste
    ordered = wishes.order(view.catalog, found.candidates, settings.familiar)
    return replace(found, candidates=ordered[:CANDIDATES])
