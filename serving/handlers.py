"""What each role computes: from the inputs of a request to the JSON of the role's result."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Annotated, Any

from pydantic import Field

from baselines.inter_crs_rules import embedded_decision
from baselines.methods import STEPS
from catalogs.catalog import Catalog
from dialogue.view import SystemTurn
from envs.world import World
from evaluation.judge import write_judgement
from language.prompts.acts import write_acts
from language.prompts.single_call import Situation
from serving.advising import advise
from serving.catalogues import Place
from serving.inputs import (
    Bits,
    Index,
    InputError,
    Lines,
    Shape,
    Text,
    bits,
    check_item,
    check_system_action,
    checked,
    restore_view,
    short,
)
from serving.planning import ScorerIn, imagine, refine, score, scores_of
from serving.users import user

Inputs = Mapping[str, Any]
Result = dict[str, Any]


@dataclass(frozen=True, slots=True)
class Handler:
    """How a role is computed.

    Attributes:
        compute: From inputs and the catalogue's place to the result.
        slow: Whether it may take more than some 5 ms, and belongs in a thread.
    """

    compute: Callable[[Inputs, Place], Result]
    slow: bool = False


class _TrackIn(Shape):
    text: Text
    scorer: ScorerIn | None = None


class _ReplyIn(Shape):
    action: Index
    item: Index


class _JudgeIn(Shape):
    lines: Lines


class _PolicyIn(Shape):
    lines: Lines
    candidates: list[Index]
    offered: Bits
    step: str | None = None


class _StepIn(_PolicyIn):
    legal: Annotated[list[Annotated[int, Field(ge=0)]], Field(min_length=1)]
    last_offer: Index
    given: dict[str, Any]


def track(inputs: Inputs, world: World) -> Result:
    """Acts of an utterance, and with ``scorer`` the scores of what could come next."""
    found = checked(_TrackIn, inputs, "inputs")
    view = restore_view(inputs.get("view"), world)
    acts = world.text.tracker.track(found.text, view)
    result: Result = {"acts": write_acts(world.catalog, acts)}
    if found.scorer is not None:
        view.apply_user(acts)
        result["scores"] = scores_of(view, found.scorer)
    return result


def reply(inputs: Inputs, world: World) -> Result:
    """The system's utterance for an action."""
    found = checked(_ReplyIn, inputs, "inputs")
    view = restore_view(inputs.get("view"), world)
    check_system_action(found.action, world.catalog)
    check_item(found.item, world.catalog)
    text = world.text.responder.respond(SystemTurn(found.action), found.item, view)
    return {"reply": text}


def policy(inputs: Inputs, world: World) -> Result:
    """The single-call policy's decision, or a step of another comparator."""
    found = checked(_PolicyIn, inputs, "inputs")
    catalog = world.catalog
    for item in found.candidates:
        if item < 0:
            raise InputError(f"inputs.candidates: {item} is no item")
        check_item(item, catalog, "inputs.candidates")
    offered = bits(found.offered, catalog, "inputs.offered")
    if found.step is None:
        return embedded_decision(catalog, found.lines, found.candidates, offered)
    return _step(found.step, inputs, offered, catalog)


def _step(name: str, inputs: Inputs, offered: int, catalog: Catalog) -> Result:
    if name not in STEPS:
        raise InputError(f"inputs.step: no step {short(name)} (there are {', '.join(STEPS)})")
    found, step = checked(_StepIn, inputs, "inputs"), STEPS[name]
    check_item(found.last_offer, catalog, "inputs.last_offer")
    for action in found.legal:
        if action >= len(catalog.domain.actions):
            raise InputError(f"inputs.legal: {short(action)} is no action")
    situation = Situation(
        catalog,
        tuple((line[0], line[1]) for line in found.lines),
        tuple(found.candidates),
        offered,
        found.last_offer,
        tuple(found.legal),
    )
    given = checked(step.given, found.given, "inputs.given")
    result: Result = step.rules(situation, given).model_dump(mode="json")
    return result


def judge(inputs: Inputs, place: Place) -> Result:
    """Labels of a transcript."""
    found = checked(_JudgeIn, inputs, "inputs")
    return write_judgement(place.judge().judge([(line[0], line[1]) for line in found.lines]))


def _score(inputs: Inputs, world: World) -> Result:
    """Scores of actions; with cases, the decision of Dreams(EA)."""
    return advise(inputs, world) if "cases" in inputs else score(inputs, world)


def _of_world(compute: Callable[[Inputs, World], Result]) -> Callable[[Inputs, Place], Result]:
    return lambda inputs, place: compute(inputs, place.world)


HANDLERS: Mapping[str, Handler] = {
    "track": Handler(_of_world(track)),
    "score": Handler(_of_world(_score)),
    "user": Handler(_of_world(user)),
    "imagine": Handler(_of_world(imagine)),
    "refine": Handler(_of_world(refine), slow=True),
    "reply": Handler(_of_world(reply)),
    "policy": Handler(_of_world(policy)),
    "judge": Handler(judge, slow=True),
}
"""The chat roles; ``embed`` has an address of its own."""
