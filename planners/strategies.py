"""Query refinements of the EXNode: each turns a query into another (dreams §4.3, A.4.1).

The paper's language model proposes strategies such as removing redundant context, reordering
attributes, and turning informal expressions into constraints. The embedded role has these rules;
they compose.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from catalogs.catalog import Catalog
from dialogue.state import PreferenceState
from retrieval.query import Query, state_text

Refinement = Callable[[Query, Catalog], Query | None]


@dataclass(frozen=True, slots=True)
class Strategy:
    """A named refinement; ``language.prompts.refining.PURPOSES`` tells a language model of it.

    Attributes:
        name: Its name.
        apply: The embedded rule; it gives None where it would change nothing.
    """

    name: str
    apply: Refinement


def formalise(query: Query, catalog: Catalog) -> Query | None:
    """Turn complaints into constraints.

    Doubted values become unwanted ones, the text becomes attributes.
    """
    state = _state(query)
    if not any(state.doubts):
        return None
    for f in range(len(state.doubts)):
        state.confirm_doubts(f)
    return _query(state, catalog)


def drop_noise(query: Query, catalog: Catalog) -> Query | None:
    """Leave out the dialogue's free text; keep the tracked attributes alone."""
    text = state_text(_state(query), catalog)
    return None if query.text == text else Query(query.state, text)


def latest_first(query: Query, catalog: Catalog) -> Query | None:
    """Reorder attributes.

    Of several people of a facet keep the one named last, whom the user has in mind now.
    """
    state, changed = _state(query), False
    for f, facet in enumerate(catalog.domain.facets):
        if facet.match == "any" and len(state.likes[f]) > 1:
            state.likes[f] = state.likes[f][-1:]
            changed = True
    return _query(state, catalog) if changed else None


def without_people(query: Query, catalog: Catalog) -> Query | None:
    """Drop the people: those named may be ones that no fitting item has."""
    state, changed = _state(query), False
    for f, facet in enumerate(catalog.domain.facets):
        if facet.match == "any" and state.likes[f]:
            state.likes[f] = ()
            changed = True
    return _query(state, catalog) if changed else None


def without_first(query: Query, catalog: Catalog) -> Query | None:
    """Drop the value stated first of a facet that needs all values: it may have been a slip."""
    state, changed = _state(query), False
    for f, facet in enumerate(catalog.domain.facets):
        if facet.match == "all" and len(state.likes[f]) > 1:
            state.likes[f] = state.likes[f][1:]
            changed = True
    return _query(state, catalog) if changed else None


def resolve_first(query: Query, catalog: Catalog) -> Query | None:
    """Read every ambiguous word as the first of its meanings."""
    return _resolve(query, catalog, 0)


def resolve_second(query: Query, catalog: Catalog) -> Query | None:
    """Read every ambiguous word as the second of its meanings."""
    return _resolve(query, catalog, 1)


STRATEGIES = (
    Strategy("formalise", formalise),
    Strategy("resolve_first", resolve_first),
    Strategy("resolve_second", resolve_second),
    Strategy("drop_noise", drop_noise),
    Strategy("latest_first", latest_first),
    Strategy("without_people", without_people),
    Strategy("without_first", without_first),
)


def _resolve(query: Query, catalog: Catalog, which: int) -> Query | None:
    state = _state(query)
    if not any(state.ambiguous):
        return None
    for f, pairs in enumerate(state.ambiguous):
        extra = tuple(dict.fromkeys(pair[which] for pair in pairs))
        state.likes[f] += tuple(value for value in extra if value not in state.likes[f])
        state.ambiguous[f] = ()
    return _query(state, catalog)


def _state(query: Query) -> PreferenceState:
    if query.state is None:
        raise ValueError("a refinement needs a query with a state")
    return query.state.copy()


def _query(state: PreferenceState, catalog: Catalog) -> Query:
    return Query(state, state_text(state, catalog))
