"""Points in dialogues to plan from: made by hand, or reached in an environment."""

import random
from collections.abc import Iterable
from dataclasses import replace
from typing import Any

from catalogs.catalog import Catalog
from dialogue.acts import Kind, UserAct, UserActs
from dialogue.view import DialogueView, Exchange, SystemTurn
from envs.crs import CRSEnv
from planners.acceptance import AcceptanceEstimate
from planners.belief import Profile, ProfileBelief
from planners.dreams_model import ConversationModel, Offers
from planners.tools import PlannerTools
from retrieval.structured import StructuredRetriever
from rewards.total import make_reward
from simulators.behaviour import Behaviour
from simulators.imagined import GoalPool, GoalSampler, ImaginationSettings
from tests.small_world import PLAIN

GENRE, STAR, DIRECTOR, REFLECT, RECOMMEND, EXPLAIN = range(6)
AVERAGE = replace(
    PLAIN,
    opens_topic=0.5,
    opens_person=0.3,
    evade_topic=0.1,
    evade_person=0.3,
    two_values=0.1,
    vague=0.2,
    slip=0.05,
    volunteer=0.2,
    details=0.3,
    reason=0.5,
    seen=0.2,
    patience=3.0,
    fatigue=3,
)
"""Nothing impossible: a behaviour that any evidence is weighed against."""


def act(kind: Kind, facet: int = -1, value: int = -1, other: int = -1) -> UserAct:
    return UserAct(int(kind), facet, value, other)


def view_of(catalog: Catalog, max_turns: int = 10) -> DialogueView:
    return DialogueView(catalog, StructuredRetriever(catalog), "acts", max_turns)


def hear(view: DialogueView, *acts: UserAct) -> None:
    """The opening of a hand-made dialogue."""
    view.apply_user(acts)
    view.exchanges.append(Exchange(0, -1, -1, (), "", "", acts))


def go_on(view: DialogueView, action: int, *acts: UserAct, item: int = -1) -> None:
    """One more turn of a hand-made dialogue."""
    view.apply_system(action, item)
    view.apply_user(acts)
    view.exchanges.append(Exchange(view.turn, action, item, (), "", "", acts))


def reach(env: CRSEnv, turns: Iterable[int | SystemTurn], episode: int, seed: int = 1) -> None:
    """Play turns until they are used up or the next one would follow the end."""
    env.reset(seed=seed, options={"episode": episode})
    for turn in turns:
        if any(env.play(turn)[2:4]):
            env.reset(seed=seed, options={"episode": episode})
            return


def pool(view: DialogueView, size: int = 50, seed: int = 0, **settings: Any) -> GoalPool:
    """Goals imagined for a view."""
    retriever = StructuredRetriever(view.catalog)
    sampler = GoalSampler(view, retriever, ImaginationSettings(**settings))
    return GoalPool(sampler, size, random.Random(seed))


def estimate(view: DialogueView, rate: float = 0.0, **more: Any) -> AcceptanceEstimate:
    """Estimated acceptance at a view, by a user who has seen this share of the items."""
    return AcceptanceEstimate(pool(view, **more), PlannerTools(view.catalog).seen, rate)


def model(
    view: DialogueView,
    behaviour: Behaviour = AVERAGE,
    offer: int = -1,
    offers: Offers | None = None,
) -> ConversationModel:
    """Imagined conversations from a view with users of one behaviour."""
    tools = PlannerTools(view.catalog)
    return ConversationModel(
        view,
        pool(view),
        ProfileBelief([Profile(1.0, behaviour)], view),
        make_reward(),
        tools.seen,
        tools.vague,
        tools.retriever,
        offer,
        offers=offers,
    )


def meanings(acts: UserActs) -> list[Kind]:
    return [Kind(one.kind) for one in acts]
