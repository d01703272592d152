"""The simulated user's turn, computed from what the request tells of it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Any, Literal

from pydantic import Field

from catalogs.catalog import Catalog
from dialogue.acts import ACCEPT, DETAILS, LIKE, QUIT, REJECT, SEEN, SIGH, UserActs
from envs.world import World
from language.prompts.acts import write_acts
from serving.inputs import (
    MOST_TURNS,
    Bits,
    Count,
    Index,
    InputError,
    Shape,
    bits,
    check_action,
    check_goal,
    check_item,
    check_per_facet,
    check_subject,
    check_values,
    checked,
    restore_view,
)
from simulators.behaviour import Behaviour, parse_behaviour
from simulators.resume import style_from_inputs, user_from_inputs

Natural = Annotated[int, Field(ge=0)]


class _StreamIn(Shape):
    seed: Natural
    episode: Natural
    turns: Annotated[int, Field(ge=1, le=MOST_TURNS)]
    at: Annotated[list[Count], Field(min_length=2, max_length=2)]


class _StyleIn(Shape):
    emotion: str
    age: str


class _PersonaIn(Shape):
    style: _StyleIn
    behaviour: dict[str, Any]


class StateIn(Shape):
    """What ``EmbeddedUser.get_state`` gives."""

    remaining: list[list[int]]
    vague_said: list[list[int]]
    evaded: list[Count]
    slip: Annotated[list[int], Field(min_length=3, max_length=3)] | None
    patience: float
    streak: Count
    level: Count
    asked_details: Index
    last_rejected: Index
    reason_facet: Index
    left: bool


class _UserIn(Shape):
    persona: _PersonaIn
    goal: list[list[int]]
    seen: Bits
    acceptable: Bits
    state: StateIn
    stream: _StreamIn
    wording: _StreamIn
    action: Index
    item: Index
    step: Literal["all", "feeling", "insight", "reply"] = "all"


def user(inputs: Mapping[str, Any], world: World) -> dict[str, Any]:
    """Feeling, insight, meaning and reply of the user in one turn, or the parts asked for."""
    found = checked(_UserIn, inputs, "inputs")
    view = restore_view(inputs.get("view"), world)
    _check(found, world)
    try:
        style = style_from_inputs(inputs)
        person, wording = user_from_inputs(world.catalog, inputs, world.vague)
    except (ValueError, OverflowError) as error:
        raise InputError(str(error)[:500]) from error
    said = person.open() if found.action < 0 else person.respond(found.action, found.item)
    if found.step == "feeling":
        return {"feeling": feeling(said)}
    if found.step == "insight":
        return {"insight": insight(said)}
    text = world.text.voice.say(said, style, view, wording)
    answer = {"meaning": write_acts(world.catalog, said), "reply": text}
    if found.step == "reply":
        return answer
    return {"feeling": feeling(said), "insight": insight(said), **answer}


def _check(found: _UserIn, world: World) -> None:
    """InputError where numbers do not fit the catalogue or each other."""
    catalog = world.catalog
    check_action(found.action, catalog)
    check_subject(found.action, found.item, catalog)
    check_goal(found.goal, catalog, "inputs.goal")
    for name in ("seen", "acceptable"):
        bits(getattr(found, name), catalog, f"inputs.{name}")
    for stream in (found.stream, found.wording):
        if stream.at[0] >= stream.turns:
            raise InputError(f"inputs: turn {stream.at[0]} of a stream of {stream.turns} turns")
    behaviour_from(found.persona.behaviour, "inputs.persona.behaviour")
    check_state(found.state, catalog, "inputs.state")


def behaviour_from(raw: Mapping[str, Any], place: str) -> Behaviour:
    """A behaviour from its numbers by name.

    Raises:
        InputError: One is missing, unknown or out of its range.
    """
    try:
        return parse_behaviour(raw, place)
    except OverflowError as error:
        raise InputError(f"{place}: {error}") from error
    except ValueError as error:
        raise InputError(str(error)[:500]) from error


def check_state(state: StateIn, catalog: Catalog, place: str) -> None:
    """InputError where a user's state does not fit the catalogue."""
    for name in ("remaining", "vague_said", "evaded"):
        check_per_facet(getattr(state, name), catalog, f"{place}.{name}")
    for values in (state.remaining, state.vague_said):
        for f, part in enumerate(values):
            check_values(part, f, catalog, place)
    if state.slip is not None:
        facet, *pair = state.slip
        if not 0 <= facet < catalog.domain.n_facets:
            raise InputError(f"{place}.slip: there is no such facet")
        check_values(pair, facet, catalog, f"{place}.slip")
    if state.reason_facet >= catalog.domain.n_facets:
        raise InputError(f"{place}.reason_facet: there is no such facet")
    for item in (state.asked_details, state.last_rejected):
        check_item(item, catalog, place)


def feeling(said: UserActs) -> str:
    """How the user feels about what the system just did, as far as its acts show it."""
    kinds = {act.kind for act in said}
    if QUIT in kinds:
        return "I have had enough of this."
    if ACCEPT in kinds:
        return "I am glad: this is what I was looking for."
    if SIGH in kinds:
        return "I am getting impatient."
    if kinds & {REJECT, SEEN}:
        return "I am a little disappointed."
    if DETAILS in kinds:
        return "I am curious, but not sure yet."
    return "I am at ease, and hopeful."


def insight(said: UserActs) -> str:
    """What the user makes of it."""
    kinds = {act.kind for act in said}
    if QUIT in kinds:
        return "This system will not find it for me."
    if ACCEPT in kinds:
        return "The system understood what I want."
    if SEEN in kinds:
        return "It offers what I know already."
    if REJECT in kinds:
        return "It has not understood yet what I want."
    if DETAILS in kinds:
        return "I need to know more before I decide."
    return "It helps to say what I want." if LIKE in kinds else "I cannot say more about that."
