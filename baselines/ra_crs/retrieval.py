"""RA-CRS's retrieval: a query in words, item texts by late fusion, hard constraints first."""

from __future__ import annotations

from baselines.ra_crs.passages import passages_of
from baselines.ra_crs.settings import RACRSSettings
from baselines.ra_crs.state import State, values_of
from catalogs.catalog import Catalog
from dialogue.view import DialogueView
from retrieval.build import text_ranker
from retrieval.query import Query

COUNT = 10
"""Items of a ranking."""

SOFT = 0.5
"""What a soft constraint counts, beside a hard one."""


def retrieve(
    view: DialogueView, state: State, query: str, settings: RACRSSettings
) -> tuple[int, ...]:
    """The best items not offered yet.

    The shared ranker finds a pool by the query. Within it, items that meet more of the hard
    constraints come first; equal ones by the mean score of their best passages, with what
    familiarity adds.
    """
    catalog = view.catalog
    pool = text_ranker(view.retriever, catalog).rank(
        Query(None, query), settings.pool, view.offered
    )
    passages = passages_of(catalog)
    named = constraints_of(catalog, state)

    def key(item: int) -> tuple[float, float]:
        score = passages.score(item, query, settings.fuse)
        score += settings.familiar * catalog.familiarity[item]
        return -met(catalog, named, item), -round(score, 6)

    return tuple(sorted(pool, key=key)[:COUNT])


def constraints_of(catalog: Catalog, state: State) -> list[tuple[float, int, int, bool]]:
    """Weight, facet, value and wish of the constraints that name values of the catalogue."""
    return [
        (weight, *found)
        for weight, constraints in ((1.0, state.hard), (SOFT, state.soft))
        for found in values_of(catalog, constraints)
    ]


def met(catalog: Catalog, named: list[tuple[float, int, int, bool]], item: int) -> float:
    """How many constraints an item meets, less those that it breaks.

    A hard constraint counts one, a soft one :data:`SOFT`; of a facet where any value will do, the
    best one counts.
    """
    wanted = [[0.0] for _ in catalog.domain.facets]
    broken = 0.0
    for weight, facet, value, wish in named:
        if value not in catalog.items[item].values[facet]:
            continue
        if wish:
            wanted[facet].append(weight)
        else:
            broken += weight
    parts = (
        sum(found) if facet.match == "all" else max(found)
        for facet, found in zip(catalog.domain.facets, wanted, strict=True)
    )
    return sum(parts) - broken
