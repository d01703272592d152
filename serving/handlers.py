"""What each role computes: from the inputs of a request to the JSON of the role's result."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Annotated, Any

from pydantic import Field

from baselines.inter_crs.rules import DecisionRules, embedded_decision
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
    Count,
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
    last_offer: Index
    legal: Annotated[list[Annotated[int, Field(ge=0)]], Field(min_length=1)]
    step: str | None = None


class _DecisionIn(Shape):
    turns_left: Count
    rules: dict[str, Any]


class _StepIn(Shape):
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
    situation = _situation(found, world.catalog)
    if found.step is not None:
        return _step(found.step, situation, checked(_StepIn, inputs, "inputs").given)
    decision = checked(_DecisionIn, inputs, "inputs")
    rules = checked(DecisionRules, decision.rules, "inputs.rules")
    result: Result = embedded_decision(situation, decision.turns_left, rules).model_dump()
    return result


def _situation(found: _PolicyIn, catalog: Catalog) -> Situation:
    """What a free-form method knows; InputError where it does not fit the catalogue."""
    domain = catalog.domain
    for item in found.candidates:
        if item < 0:
            raise InputError(f"inputs.candidates: {item} is no item")
        check_item(item, catalog, "inputs.candidates")
    check_item(found.last_offer, catalog, "inputs.last_offer")
    for action in found.legal:
        if action >= len(domain.actions):
            raise InputError(f"inputs.legal: {short(action)} is no action")
    if domain.explain in found.legal and found.last_offer < 0:
        raise InputError("inputs.legal: nothing was offered that could be explained")
    return Situation(
        catalog,
        tuple((line[0], line[1]) for line in found.lines),
        tuple(found.candidates),
        bits(found.offered, catalog, "inputs.offered"),
        found.last_offer,
        tuple(found.legal),
    )


def _step(name: str, situation: Situation, raw: Inputs) -> Result:
    if name not in STEPS:
        raise InputError(f"inputs.step: no step {short(name)} (there are {', '.join(STEPS)})")
    step = STEPS[name]
    given = checked(step.given, raw, "inputs.given")
    try:
        step.fits(situation, given)
    except ValueError as error:
        raise InputError(f"inputs.{error}") from None
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
