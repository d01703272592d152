"""Whether what a step is given fits the situation: for requests, which may bring anything."""

from __future__ import annotations

from collections.abc import Iterable

from language.prompts.single_call import Situation


def fit_items(situation: Situation, items: Iterable[int], field: str) -> None:
    """ValueError unless all are indices of items."""
    for item in items:
        _fit_index(item, len(situation.catalog), field)


def fit_facet(situation: Situation, facet: int, field: str) -> None:
    """ValueError unless this is the index of a facet."""
    _fit_index(facet, situation.catalog.domain.n_facets, field)


def fit_action(situation: Situation, name: str, field: str) -> None:
    """ValueError unless this is the name of an action, for which there is an item if it needs one.

    An offer needs a candidate, an explanation something that was offered.
    """
    domain = situation.catalog.domain
    if name not in domain.actions:
        raise ValueError(f"{field}: {name[:40]!r} is none of {', '.join(domain.actions)}")
    action = domain.actions.index(name)
    if action == domain.recommend:
        fit_candidates(situation)
    elif action == domain.explain:
        fit_offer(situation)


def fit_candidates(situation: Situation) -> None:
    """ValueError unless there is a candidate."""
    if not situation.candidates:
        raise ValueError("candidates: there is none, and the step offers one")


def fit_offer(situation: Situation) -> None:
    """ValueError unless something was offered."""
    if situation.last_offer < 0:
        raise ValueError("last_offer: nothing was offered, and the step is about an offer")


def _fit_index(index: int, size: int, field: str) -> None:
    if not 0 <= index < size:
        # The digits of a number may be too many for a message.
        said = index if abs(index) < 10**18 else "a number of many digits"
        raise ValueError(f"{field}: {said} is not in 0..{size - 1}")
