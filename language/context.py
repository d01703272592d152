"""Context: what an utterance answers, as far as the public view tells."""

from __future__ import annotations

from typing import NamedTuple

from dialogue.view import DialogueView


class Context(NamedTuple):
    """What the system just did.

    Attributes:
        asked: Facet asked about, or -1.
        item: Item offered or explained in the last turn, or -1.
        opening: Whether the user speaks first.
    """

    asked: int
    item: int
    opening: bool


def context_of(view: DialogueView) -> Context:
    """Read the view as it is between the system's action and the user's reaction."""
    action = view.last_action
    n_facets = len(view.asked)
    if action < 0:
        return Context(-1, -1, True)
    if action < n_facets:
        return Context(action, -1, False)
    if action == n_facets:
        return Context(view.reason[0], -1, False)
    return Context(-1, view.offers[-1][0] if view.offers else -1, False)
