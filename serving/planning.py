"""The planner's roles: scores, plies of rollouts, refinements, each computed from its inputs."""

from __future__ import annotations

import math
import random
from collections.abc import Mapping, Sequence
from dataclasses import fields
from typing import Annotated, Any

from pydantic import Field, StrictBool, StrictInt

from catalogs.catalog import Catalog
from catalogs.goal import Goal
from dialogue.acts import UserActs
from dialogue.view import DialogueView
from envs.world import World
from language.prompts.acts import write_acts
from language.prompts.scoring import write_scores
from language.style import Style
from planners.model_rollouts import read_generator
from planners.refiner import EmbeddedRefiner, write_refined
from planners.scorer import EmbeddedScorer, ScorerSettings
from planners.strategies import STRATEGIES
from planners.text_refiner import EmbeddedTextRefiner, write_text_refined
from retrieval.query import Query
from serving.inputs import (
    Bits,
    Index,
    InputError,
    Lines,
    PreferencesIn,
    Shape,
    bits,
    check_goal,
    check_item,
    check_subject,
    check_system_action,
    checked,
    restore_preferences,
    restore_view,
    short,
)
from serving.users import StateIn, behaviour_from, check_state
from simulators.imagined import ImaginedUser

STYLE = Style("trust", "adults")
"""How imagined users sound: their words only show what they mean."""

STRATEGY_NAMES = tuple(strategy.name for strategy in STRATEGIES)
MOST = 10_000
"""Refinements of a request, and how many of them may be composed."""

ScorerIn = dict[str, Annotated[float, Field(ge=0, le=1e6)]]
"""Constants of the embedded scorer by name; those that are left out have their defaults."""

_Number = Annotated[int, Field(ge=1, le=MOST)]


class _ScoreIn(Shape):
    scorer: ScorerIn


class _ImaginedStateIn(StateIn):
    known: list[Annotated[list[StrictInt | StrictBool], Field(min_length=2, max_length=2)]]


class _ImaginedIn(Shape):
    goal: list[list[int]]
    acceptable: Bits
    behaviour: dict[str, Any]
    state: _ImaginedStateIn


class _ImagineIn(Shape):
    user: _ImaginedIn
    rng: Annotated[str, Field(max_length=10_000)]
    action: Index
    item: Index
    scorer: ScorerIn


class _TextIn(Shape):
    text: str


class _QueryIn(_TextIn):
    preferences: PreferencesIn


class _StrategiesIn(Shape):
    strategies: list[str]
    depth: _Number
    count: _Number


class _RefineIn(_StrategiesIn):
    query: _QueryIn


class _RefineTextIn(_StrategiesIn):
    lines: Lines
    query: _TextIn


def scores_of(view: DialogueView, constants: Mapping[str, float]) -> list[dict[str, object]]:
    """The embedded scorer's scores for a view, by action name.

    Raises:
        InputError: A constant does not exist, or gives scores that are no numbers.
    """
    known = [field.name for field in fields(ScorerSettings)]
    for name in constants:
        if name not in known:
            raise InputError(f"inputs.scorer: no {short(name)} (there are {', '.join(known)})")
    try:
        scores = EmbeddedScorer(ScorerSettings(**constants)).scores(view)
    except OverflowError:
        scores = [math.inf]
    if not all(map(math.isfinite, scores)):
        raise InputError("inputs.scorer: these constants give scores beyond any number")
    return write_scores(view.catalog.domain, scores)


def score(inputs: Mapping[str, Any], world: World) -> dict[str, Any]:
    """The role ``score``."""
    found = checked(_ScoreIn, inputs, "inputs")
    return {"scores": scores_of(restore_view(inputs.get("view"), world), found.scorer)}


def imagine(inputs: Mapping[str, Any], world: World) -> dict[str, Any]:
    """The role ``imagine``: the imagined user's reply, and scores of the view after it."""
    found = checked(_ImagineIn, inputs, "inputs")
    view = restore_view(inputs.get("view"), world)
    check_system_action(found.action, world.catalog)
    check_subject(found.action, found.item, world.catalog)
    acts = _imagined(found, world).respond(found.action, found.item)
    reply = _words(acts, view, world)
    view.apply_user(acts)
    return {
        "reply": reply,
        "meaning": write_acts(world.catalog, acts),
        "scores": scores_of(view, found.scorer),
    }


def _imagined(found: _ImagineIn, world: World) -> ImaginedUser:
    """The imagined user of the inputs, where it was."""
    catalog, place, saved = world.catalog, "inputs.user", found.user
    check_goal(saved.goal, catalog, f"{place}.goal")
    check_state(saved.state, catalog, f"{place}.state")
    _check_known(saved.state.known, catalog, f"{place}.state.known")
    return ImaginedUser.restored(
        catalog,
        Goal(tuple(tuple(values) for values in saved.goal)),
        bits(saved.acceptable, catalog, f"{place}.acceptable"),
        behaviour_from(saved.behaviour, f"{place}.behaviour"),
        _generator(found.rng),
        world.vague,
        world.seen,
        saved.state.model_dump(),
    )


def _check_known(known: list[list[int | bool]], catalog: Catalog, place: str) -> None:
    """InputError unless each entry is an item's index and whether it was seen."""
    for item, seen in known:
        if isinstance(item, bool) or not isinstance(seen, bool) or item < 0:
            raise InputError(f"{place}: {short([item, seen])} is no item with true or false")
        check_item(item, catalog, place)


def _generator(text: str) -> random.Random:
    try:
        return read_generator(text)
    except ValueError as error:
        raise InputError(f"inputs.rng: {error}") from error


def _words(acts: UserActs, view: DialogueView, world: World) -> str:
    return world.text.voice.say(acts, STYLE, view, random.Random(0))


def refine(inputs: Mapping[str, Any], world: World) -> dict[str, Any]:
    """The role ``refine``: of a query with preferences, or with ``lines`` of one that is a text."""
    catalog = world.catalog
    if "lines" in inputs:
        text = checked(_RefineTextIn, inputs, "inputs")
        _check_strategies(text.strategies, EmbeddedTextRefiner.names)
        rules = EmbeddedTextRefiner(catalog, text.lines)
        query = Query(None, text.query.text)
        return write_text_refined(rules.refine(query, text.strategies, text.depth, text.count))
    found = checked(_RefineIn, inputs, "inputs")
    _check_strategies(found.strategies, STRATEGY_NAMES)
    state = restore_preferences(found.query.preferences, catalog, "inputs.query.preferences")
    refined = EmbeddedRefiner(catalog).refine(
        Query(state, found.query.text), found.strategies, found.depth, found.count
    )
    return write_refined(catalog, refined)


def _check_strategies(names: Sequence[str], known: Sequence[str]) -> None:
    for name in names:
        if name not in known:
            raise InputError(
                f"inputs.strategies: no strategy {short(name)} (there are {', '.join(known)})"
            )
