"""Who refines a query: the embedded rules, or a language model (dreams §4.3, A.4.1)."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, Generic, NamedTuple, Protocol, TypeVar

from catalogs.catalog import Catalog
from dialogue.state import PreferenceState
from dialogue.view import DialogueView
from language.llm.call import Call
from language.llm.roles import Roles
from language.prompts import refining
from planners.strategies import STRATEGIES, Strategy
from retrieval.query import Query

S = TypeVar("S")
"""What is known of the user's wishes: a tracked state, or a text."""


class Proposal(NamedTuple):
    """A refined query.

    Attributes:
        parent: Number of the earlier proposal that it refines, -1 for the query asked about.
        strategy: Name of the refinement.
        query: The query.
    """

    parent: int
    strategy: str
    query: Query


class Refined(NamedTuple, Generic[S]):
    """Refinements of a query, with the summary s^R of the user's wishes that they are scored by.

    Fewer proposals than were asked for mean that nothing else is worth trying below the query.
    """

    summary: S
    proposals: tuple[Proposal, ...]


class Refiner(Protocol[S]):
    """Proposes refinements of a query.

    Attributes:
        names: The strategies that it knows.
    """

    names: tuple[str, ...]

    def refine(self, query: Query, strategies: Sequence[str], depth: int, count: int) -> Refined[S]:
        """At most ``count`` refinements.

        Args:
            query: What to refine.
            strategies: Names of those that may be applied to it; to its refinements all may be.
            depth: How many may be composed, at least 1.
            count: At least 1.
        """
        ...


class EmbeddedRefiner:
    """Applies the strategies in order: to the query first, then to its refinements in turn."""

    def __init__(self, catalog: Catalog, strategies: Sequence[Strategy] = STRATEGIES) -> None:
        self._catalog = catalog
        self._strategies = {strategy.name: strategy for strategy in strategies}
        self.names = tuple(self._strategies)

    def refine(
        self, query: Query, strategies: Sequence[str], depth: int, count: int
    ) -> Refined[PreferenceState]:
        """See :class:`Refiner`; strategies that would change nothing are passed over."""

        def apply(name: str, raw: Query) -> Query | None:
            return self._strategies[name].apply(raw, self._catalog)

        found = composed(query, strategies, self.names, depth, count, apply)
        return Refined(summarise(_state(query)), found)


class ModelRefiner:
    """One call gives the summary and the refinements; the embedded rules stand in for a bad answer.

    Args:
        view: The dialogue's public side.
        embedded: The embedded rules.
        roles: Where ``refine`` is asked.
    """

    def __init__(self, view: DialogueView, embedded: EmbeddedRefiner, roles: Roles) -> None:
        self.names = embedded.names
        self._view = view
        self._embedded = embedded
        self._roles = roles

    def refine(
        self, query: Query, strategies: Sequence[str], depth: int, count: int
    ) -> Refined[PreferenceState]:
        """See :class:`Refiner`."""
        state, catalog = _state(query), self._view.catalog
        preferences = {name: getattr(state, name) for name in PreferenceState.__slots__}
        call = Call(
            role="refine",
            prompt=refining.PROMPT,
            messages=refining.messages(self._view, query.text, state, strategies, depth, count),
            result=refining.RefineResult,
            read=lambda answer: self._read(answer, state, depth, count),
            inputs=lambda: {
                "catalog": dict(catalog.origin),
                "query": {"preferences": preferences, "text": query.text},
                "strategies": list(strategies),
                "depth": depth,
                "count": count,
            },
            turn=self._view.turn + 1,
            max_tokens=200 + 250 * count,
        )
        return self._roles.ask(call, lambda: self._embedded.refine(query, strategies, depth, count))

    def _read(
        self, answer: refining.RefineResult, state: PreferenceState, depth: int, count: int
    ) -> Refined[PreferenceState]:
        catalog = self._view.catalog
        refining.check_tree(answer.refinements, self.names, depth, count)
        proposals: list[Proposal] = []
        for found in answer.refinements:
            refined = refining.read_refinement(catalog, state, found)
            proposals.append(Proposal(found.parent, found.strategy, Query(refined, found.query)))
        return Refined(refining.read_summary(catalog, state, answer.summary), tuple(proposals))


def composed(
    query: Query,
    strategies: Sequence[str],
    every: Sequence[str],
    depth: int,
    count: int,
    apply: Callable[[str, Query], Query | None],
) -> tuple[Proposal, ...]:
    """Refinements in order: of the query first, then of its refinements in turn.

    Args:
        query: What to refine.
        strategies: Names of those that may be applied to it.
        every: Names of those that may be applied to its refinements.
        depth: How many may be composed, at least 1.
        count: Most refinements.
        apply: Applies a strategy by its name; None where it would change nothing.
    """
    found: list[Proposal] = []
    open_queries = [(-1, query, tuple(strategies), depth)]
    for parent, raw, names, levels in open_queries:
        for name in names:
            if len(found) == count:
                return tuple(found)
            refined = apply(name, raw)
            if refined is None:
                continue
            found.append(Proposal(parent, name, refined))
            if levels > 1:
                open_queries.append((len(found) - 1, refined, tuple(every), levels - 1))
    return tuple(found)


def write_refined(catalog: Catalog, refined: Refined[PreferenceState]) -> dict[str, Any]:
    """Refinements as a model would answer, in the shape of ``refining.RefineResult``."""
    return {
        "summary": refining.write_summary(catalog, refined.summary),
        "refinements": [
            refining.write_refinement(catalog, p.parent, p.strategy, p.query.text, _state(p.query))
            for p in refined.proposals
        ],
    }


def summarise(state: PreferenceState) -> PreferenceState:
    """The cumulative state s^R.

    Complaints count as dislikes, whatever the turn they were made in.
    """
    summary = state.copy()
    for f in range(len(summary.doubts)):
        summary.confirm_doubts(f)
    return summary


def _state(query: Query) -> PreferenceState:
    if query.state is None:
        raise ValueError("a refinement needs a query with a state")
    return query.state
