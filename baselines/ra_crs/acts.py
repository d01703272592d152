"""RA-CRS's choice of an act: of those that apply, the one of the highest fixed priority."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal, NamedTuple

from baselines.ra_crs.settings import RACRSSettings
from baselines.ra_crs.state import State
from baselines.utterances import facet_of
from catalogs.catalog import Catalog

Name = Literal["answer", "reflect", "clarify", "request", "recommend", "elaborate"]


class Act(NamedTuple):
    """What to do, and about which facet (-1: none)."""

    name: Name
    facet: int


@dataclass(frozen=True, slots=True)
class Course:
    """What the system did so far, by its own lines, and what it may do.

    Attributes:
        asked: Per facet, questions about it.
        streak: Questions since the last offer or explanation.
        offers: Number of offers.
        explained: Whether the last offer was explained already.
        left: Turns that are left, the next one included.
        legal: Legal action indices.
    """

    asked: tuple[int, ...]
    streak: int
    offers: int
    explained: bool
    left: int
    legal: frozenset[int]


def choose_act(catalog: Catalog, state: State, course: Course, settings: RACRSSettings) -> Act:
    """The act of the highest priority; with nothing to offer, a question is left."""
    applying = list(applicable(catalog, state, course, settings))
    if not applying:
        order = facets_in_order(catalog, settings)
        return Act("elaborate", min(order, key=lambda f: course.asked[f]))
    return max(applying, key=lambda act: getattr(settings, act.name))


def applicable(
    catalog: Catalog, state: State, course: Course, settings: RACRSSettings
) -> Iterator[Act]:
    """The acts that apply, in the order in which equal priorities are resolved."""
    domain = catalog.domain
    asks = "asks_about_item" in state.intents
    if asks and domain.explain in course.legal and not course.explained:
        yield Act("answer", -1)
    limit = settings.between if course.offers else settings.opening
    patient = course.left > settings.late and "loses_patience" not in state.intents
    may_ask = patient and course.streak < limit
    if may_ask:
        yield from _questions(catalog, state, course, settings)
    if domain.recommend in course.legal:
        yield Act("recommend", -1)
    more = [f for f in _open(catalog, state, course, settings) if _worth_more(catalog, state, f)]
    if may_ask and more:
        yield Act("elaborate", min(more, key=lambda f: course.asked[f]))


def _questions(
    catalog: Catalog, state: State, course: Course, settings: RACRSSettings
) -> Iterator[Act]:
    if "rejects_item" in state.intents and catalog.domain.reflect in course.legal:
        facet = facet_of(catalog, state.rejected[-1].facet) if state.rejected else -1
        if facet >= 0:
            yield Act("reflect", facet)
    open_facets = _open(catalog, state, course, settings)
    unclear = [f for f in open_facets if alternatives(catalog, state, f)]
    if unclear:
        yield Act("clarify", unclear[0])
    missing = [
        f
        for f in facets_in_order(catalog, settings)[: settings.mandatory]
        if f in open_facets and not state.wanted(catalog.domain.facets[f].name)
    ]
    if missing:
        yield Act("request", min(missing, key=lambda f: course.asked[f]))


def facets_in_order(catalog: Catalog, settings: RACRSSettings) -> list[int]:
    """Facets in the order in which constraints on them are asked for."""
    facets = catalog.domain.facets
    return sorted(range(len(facets)), key=lambda f: facets[f].person != settings.people_first)


def _open(catalog: Catalog, state: State, course: Course, settings: RACRSSettings) -> list[int]:
    settled = {facet_of(catalog, name) for name in state.settled}
    return [
        f
        for f in facets_in_order(catalog, settings)
        if f not in settled and course.asked[f] < settings.per_facet
    ]


def _worth_more(catalog: Catalog, state: State, facet: int) -> bool:
    """Whether more may be wanted of a facet: of one where any value will do, nothing more is."""
    described = catalog.domain.facets[facet]
    return described.match == "all" or not state.wanted(described.name)


def alternatives(catalog: Catalog, state: State, facet: int) -> list[str]:
    """Values of a facet between which the user's words leave it open, at least two or none."""
    name = catalog.domain.facets[facet].name
    found = [c.value for c in state.soft if c.facet == name and c.wanted]
    return found[:2] if len(found) > 1 else []
