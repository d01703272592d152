"""The role ``score`` of Dreams(EA): an action and refinements by a successful and a failed case."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Annotated, Any

from pydantic import Field

from catalogs.catalog import Catalog
from envs.world import World
from planners.experience.advice import embedded_advice, write_advice
from planners.experience.choice import ChoiceSettings, Example
from planners.experience.outlook import OutlookSettings
from planners.experience.settings import EASettings
from planners.exploitation import RefinementSettings
from planners.scorer import ScorerSettings
from retrieval.query import Query
from serving.inputs import (
    InputError,
    PreferencesIn,
    Shape,
    Share,
    Text,
    checked,
    restore_preferences,
    restore_view,
    short,
)
from serving.planning import MOST, ScorerIn, scores_of

MOST_CASES = 1_000
"""Cases of a side."""

_Number = Annotated[int, Field(ge=0, le=MOST)]
_Weight = Annotated[float, Field(ge=0, le=1e6)]


class _CaseIn(Shape):
    action: str
    search: Annotated[dict[str, Share], Field(max_length=1_000)]
    distance: _Weight


class _ChoiceIn(Shape):
    neighbours: Annotated[int, Field(ge=1)]
    w_case: _Weight
    w_prior: _Weight
    w_failure: _Weight
    reach: _Weight


class _CasesIn(Shape):
    choice: _ChoiceIn
    successes: Annotated[list[_CaseIn], Field(max_length=MOST_CASES)]
    failures: Annotated[list[_CaseIn], Field(max_length=MOST_CASES)]


class _QueryIn(Shape):
    preferences: PreferencesIn
    text: Text


class _AdviceIn(Shape):
    scorer: ScorerIn
    cases: _CasesIn
    query: _QueryIn | None
    depth: _Number
    count: _Number


def advise(inputs: Mapping[str, Any], world: World) -> dict[str, Any]:
    """What the rules of Dreams(EA) say of a view and the cases that were found for it.

    Raises:
        InputError: The inputs do not fit.
    """
    found = checked(_AdviceIn, inputs, "inputs")
    view, catalog = restore_view(inputs.get("view"), world), world.catalog
    scores_of(view, found.scorer)  # refuses constants that give no numbers
    query = None
    if found.query is not None:
        place = "inputs.query.preferences"
        state = restore_preferences(found.query.preferences, catalog, place)
        query = Query(state, found.query.text)
    successes = _cases(found.cases.successes, catalog, "inputs.cases.successes")
    failures = _cases(found.cases.failures, catalog, "inputs.cases.failures")
    return write_advice(view, embedded_advice(view, successes, failures, query, _settings(found)))


def _settings(found: _AdviceIn) -> EASettings:
    try:
        choice = ChoiceSettings(**found.cases.choice.model_dump())
    except ValueError as error:
        raise InputError(f"inputs.cases.choice: {error}") from None
    refinement = RefinementSettings(iterations=found.count, depth=found.depth)
    return EASettings(
        choice=choice,
        prior=ScorerSettings(**found.scorer),
        outlook=OutlookSettings(refinement),
    )


def _cases(found: Sequence[_CaseIn], catalog: Catalog, place: str) -> list[Example]:
    """Cases as the rules read them: actions that exist, nearest first."""
    actions, last = catalog.domain.actions, -math.inf
    for case in found:
        for name in (case.action, *case.search):
            if name not in actions:
                known = ", ".join(actions)
                raise InputError(f"{place}: no action {short(name)} (there are {known})")
        if case.distance < last:
            raise InputError(
                f"{place}: the nearest comes first, and {case.distance} follows {last}"
            )
        last = case.distance
    return [Example(case.action, case.search, case.distance) for case in found]
