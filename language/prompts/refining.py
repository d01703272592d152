"""The EXNode's summary of the preferences, and refinements of its query (dreams §4.3, A.4.1)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Protocol

from pydantic import BaseModel, ConfigDict

from catalogs.catalog import Catalog
from catalogs.domain import Domain
from dialogue.state import PreferenceState
from dialogue.view import DialogueView
from language.llm.call import Message
from language.prompts.acts import value_of
from language.prompts.facts import chat
from language.prompts.situation import preferences, situation

VERSION = 1
PROMPT = f"refine/{VERSION}"
LONGEST_QUERY = 2000
"""Characters of a query that are believed."""

PURPOSES = {
    "formalise": "turn complaints and loose words into constraints",
    "resolve_first": "read every unclear word as the first of its meanings",
    "resolve_second": "read it as the second of its meanings",
    "drop_noise": "leave out small talk; keep the attributes",
    "latest_first": "of several people keep the one named last",
    "without_people": "leave out the people",
    "without_first": "leave out the attribute named first",
}
"""What each strategy does, in the order in which they are told."""

_SYSTEM = """\
You prepare the search for a {noun} that a person will like. "query" is the search as it stands: its
text, and the preferences that it stands for. Do two things.
1. "summary": all that the person wants and does not want over the whole dialogue; a complaint
about an offer counts as unwanted.
2. "refinements": at most "count" better searches. Each applies one of the "strategies" to the
query (parent -1) or to an earlier refinement (parent: its number, counted from 0), at most "depth"
deep, and gives a short search text and the full preferences that it stands for: "want", "avoid",
"doubt" (complained about, not confirmed) and "unsure" (a word with two meanings). Leave a strategy
out where it changes nothing.
Answer with JSON only. Facets: {facets}."""


class FacetValue(BaseModel):
    """A value of a facet."""

    model_config = ConfigDict(extra="forbid")

    facet: str
    value: str


class FacetPair(BaseModel):
    """Two values of a facet that a word may mean."""

    model_config = ConfigDict(extra="forbid")

    facet: str
    first: str
    second: str


class SummaryOut(BaseModel):
    """The cumulative preferences s^R."""

    model_config = ConfigDict(extra="forbid")

    want: list[FacetValue]
    avoid: list[FacetValue]


class RefinementOut(BaseModel):
    """One refined query."""

    model_config = ConfigDict(extra="forbid")

    parent: int
    strategy: str
    query: str
    want: list[FacetValue]
    avoid: list[FacetValue]
    doubt: list[FacetValue]
    unsure: list[FacetPair]


class RefineResult(BaseModel):
    """Summary and refinements."""

    model_config = ConfigDict(extra="forbid")

    summary: SummaryOut
    refinements: list[RefinementOut]


def messages(
    view: DialogueView,
    text: str,
    state: PreferenceState,
    strategies: Sequence[str],
    depth: int,
    count: int,
) -> tuple[Message, ...]:
    """The chat that asks for refinements.

    Args:
        view: The dialogue's public side.
        text: The query's text.
        state: The preferences that the query stands for.
        strategies: Names of those that may be applied, of :data:`PURPOSES`.
        depth: Strategies that may be composed, at least 1.
        count: Refinements asked for, at least 1.
    """
    domain = view.catalog.domain
    facets = ", ".join(facet.name for facet in domain.facets)
    data = {
        "query": {"text": text, "preferences": preferences(state, view.catalog)},
        "strategies": {name: what for name, what in PURPOSES.items() if name in strategies},
        "depth": depth,
        "count": count,
        **situation(view),
    }
    return chat(_SYSTEM.format(noun=domain.noun, facets=facets), data)


def write_values(catalog: Catalog, values: Sequence[tuple[int, ...]]) -> list[dict[str, str]]:
    """Values by facet as :class:`FacetValue`."""
    return [
        {"facet": facet.name, "value": catalog.value(f, value)}
        for f, facet in enumerate(catalog.domain.facets)
        for value in values[f]
    ]


def write_summary(catalog: Catalog, state: PreferenceState) -> dict[str, Any]:
    """A cumulative state as :class:`SummaryOut`."""
    return {
        "want": write_values(catalog, state.likes),
        "avoid": write_values(catalog, state.dislikes),
    }


def write_refinement(
    catalog: Catalog, parent: int, strategy: str, text: str, state: PreferenceState
) -> dict[str, Any]:
    """A refined query as :class:`RefinementOut`."""
    unsure = [
        {"facet": facet.name, "first": catalog.value(f, a), "second": catalog.value(f, b)}
        for f, facet in enumerate(catalog.domain.facets)
        for a, b in state.ambiguous[f]
    ]
    return {
        "parent": parent,
        "strategy": strategy,
        "query": text,
        **write_summary(catalog, state),
        "doubt": write_values(catalog, state.doubts),
        "unsure": unsure,
    }


class Placed(Protocol):
    """A refinement as it stands among others."""

    parent: int
    strategy: str


def check_tree(
    refinements: Sequence[Placed], strategies: Sequence[str], depth: int, count: int
) -> None:
    """Check that refinements form a tree of known strategies.

    Raises:
        ValueError: There are too many, they are too deep, a parent is none, or a strategy unknown.
    """
    if len(refinements) > count:
        raise ValueError(f"give at most {count} refinements")
    levels: list[int] = []
    for number, found in enumerate(refinements):
        if not -1 <= found.parent < number:
            raise ValueError("a refinement's parent is -1 or the number of an earlier one")
        levels.append(1 if found.parent < 0 else 1 + levels[found.parent])
        if levels[-1] > depth:
            raise ValueError(f"refinements may be composed at most {depth} deep")
        if found.strategy not in strategies:
            raise ValueError(f"a strategy is one of {', '.join(strategies)}")


def read_summary(catalog: Catalog, state: PreferenceState, found: SummaryOut) -> PreferenceState:
    """The cumulative state: ``state`` with the wanted and unwanted values that the model names."""
    summary = state.copy()
    summary.likes = _values(catalog, found.want)
    summary.dislikes = _values(catalog, found.avoid)
    summary.doubts = [()] * len(summary.doubts)
    return summary


def read_refinement(
    catalog: Catalog, state: PreferenceState, found: RefinementOut
) -> PreferenceState:
    """The preferences of a refined query; values that the catalogue lacks are left out.

    Raises:
        ValueError: A facet does not exist, or the query is far too long. (A blank one is legal: it
            is that of a dialogue in which nothing was said yet.)
    """
    if len(found.query) > LONGEST_QUERY:
        raise ValueError(f"a query has at most {LONGEST_QUERY} characters")
    refined = state.copy()
    refined.likes = _values(catalog, found.want)
    refined.dislikes = _values(catalog, found.avoid)
    refined.doubts = _values(catalog, found.doubt)
    pairs: list[list[tuple[int, int]]] = [[] for _ in catalog.domain.facets]
    for pair in found.unsure:
        f = _facet(catalog.domain, pair.facet)
        first, second = value_of(catalog, f, pair.first), value_of(catalog, f, pair.second)
        if first >= 0 and second >= 0:
            pairs[f].append((first, second))
    refined.ambiguous = [tuple(entries) for entries in pairs]
    return refined


def _values(catalog: Catalog, found: Sequence[FacetValue]) -> list[tuple[int, ...]]:
    values: list[list[int]] = [[] for _ in catalog.domain.facets]
    for entry in found:
        f = _facet(catalog.domain, entry.facet)
        value = value_of(catalog, f, entry.value)
        if value >= 0 and value not in values[f]:
            values[f].append(value)
    return [tuple(entries) for entries in values]


def _facet(domain: Domain, name: str) -> int:
    for index, facet in enumerate(domain.facets):
        if facet.name == name:
            return index
    names = ", ".join(facet.name for facet in domain.facets)
    raise ValueError(f"there is no facet {name[:40]!r}; the facets are {names}")
