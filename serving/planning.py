"""The planner's roles: scores, plies of rollouts, refinements, each computed from its inputs."""

from __future__ import annotations

import random
from collections.abc import Mapping
from typing import Any

from catalogs.goal import Goal
from dialogue.acts import UserActs
from dialogue.snapshot import set_view_state
from dialogue.state import PreferenceState
from dialogue.view import DialogueView
from envs.world import World
from language.prompts.acts import write_acts
from language.prompts.scoring import write_scores
from language.style import Style
from planners.model_rollouts import read_generator
from planners.refiner import EmbeddedRefiner, write_refined
from planners.scorer import EmbeddedScorer, ScorerSettings
from retrieval.query import Query
from simulators.behaviour import parse_behaviour
from simulators.imagined import ImaginedUser

TURNS = 200
"""Turn limit of views that are rebuilt; nothing here depends on it."""

STYLE = Style("trust", "adults")
"""How imagined users sound: their words only show what they mean."""


def view_from(inputs: Mapping[str, Any], world: World) -> DialogueView:
    """The view that the inputs hold, over the structured retriever, as in rollouts.

    Raises:
        KeyError: A part is missing.
    """
    view = DialogueView(world.catalog, world.structured, "acts", TURNS)
    set_view_state(view, inputs["view"])
    return view


def scores_of(view: DialogueView, scorer: Mapping[str, Any]) -> list[dict[str, object]]:
    """The embedded scorer's scores for a view, by action name."""
    scores = EmbeddedScorer(ScorerSettings(**scorer)).scores(view)
    return write_scores(view.catalog.domain, scores)


def score(inputs: Mapping[str, Any], world: World) -> dict[str, Any]:
    """The role ``score``."""
    return {"scores": scores_of(view_from(inputs, world), inputs["scorer"])}


def imagine(inputs: Mapping[str, Any], world: World) -> dict[str, Any]:
    """The role ``imagine``: the imagined user's reply, and scores of the view after it."""
    view = view_from(inputs, world)
    saved = inputs["user"]
    user = ImaginedUser.restored(
        world.catalog,
        Goal(tuple(tuple(values) for values in saved["goal"])),
        int(saved["acceptable"], 16),
        parse_behaviour(saved["behaviour"], "inputs: user"),
        read_generator(inputs["rng"]),
        world.vague,
        world.seen,
        saved["state"],
    )
    acts = user.respond(inputs["action"], inputs["item"])
    reply = _words(acts, view, world)
    view.apply_user(acts)
    return {
        "reply": reply,
        "meaning": write_acts(world.catalog, acts),
        "scores": scores_of(view, inputs["scorer"]),
    }


def _words(acts: UserActs, view: DialogueView, world: World) -> str:
    return world.text.voice.say(acts, STYLE, view, random.Random(0))


def refine(inputs: Mapping[str, Any], world: World) -> dict[str, Any]:
    """The role ``refine``."""
    catalog, query = world.catalog, inputs["query"]
    state = PreferenceState(catalog.domain.n_facets)
    for name in PreferenceState.__slots__:
        setattr(state, name, [_frozen(entry) for entry in query["preferences"][name]])
    refined = EmbeddedRefiner(catalog).refine(
        Query(state, query["text"]), inputs["strategies"], inputs["depth"], inputs["count"]
    )
    return write_refined(catalog, refined)


def _frozen(entry: Any) -> Any:
    return tuple(_frozen(part) for part in entry) if isinstance(entry, list) else entry
