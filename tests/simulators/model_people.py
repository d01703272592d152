"""Conversations with model users, made as the environment makes them."""

from typing import Any

from catalogs.goal import Goal
from dialogue.streams import Role, Stream
from dialogue.view import DialogueView
from envs.conversation import Conversation, TextLayer
from envs.model_text import ModelText
from envs.text import EmbeddedText
from envs.world import World
from language.llm.asking import Asker
from language.model_responder import ModelResponder
from language.model_tracker import ModelTracker
from rewards.total import make_reward
from simulators.model_user import ModelUser
from simulators.personas import Persona
from simulators.resume import StreamKey
from simulators.user import EmbeddedUser

SEED, MAX_TURNS = 3, 10


def converse(
    world: World,
    goal: Goal,
    persona: Persona,
    episode: int = 0,
    roles: Asker | None = None,
    calls: int = 1,
    scorer: dict[str, Any] | None = None,
    speaks: bool = True,
) -> Conversation:
    """A conversation not yet opened; ``speaks``: tracker and responder are models too."""
    stream = Stream(SEED, episode, Role.USER, MAX_TURNS + 1)
    wording = Stream(SEED, episode, Role.TEXT, MAX_TURNS + 1)
    targets = world.targets(goal)
    seen = world.seen.draw(SEED, episode, persona.behaviour.seen, targets)
    user = EmbeddedUser(
        world.catalog, goal, persona.behaviour, seen, stream, world.vague, targets & ~seen
    )
    user.shuffle()
    view = DialogueView(world.catalog, world.retriever, "text", MAX_TURNS)
    tools = world.text
    layer: TextLayer
    if roles is None:
        layer = EmbeddedText(
            world.catalog, tools.voice, persona.style, wording, tools.responder, tools.tracker
        )
        return Conversation(view, user, make_reward(None), layer, True, (stream, wording))
    key = StreamKey(SEED, episode, MAX_TURNS + 1)
    model = ModelUser(user, persona, view, tools.voice, wording, key, roles, calls)
    if speaks:
        layer = ModelText(
            model,
            ModelResponder(world.catalog, tools.responder, roles),
            ModelTracker(world.catalog, tools.tracker, roles, scorer),
        )
    else:
        layer = ModelText(model, tools.responder, tools.tracker)
    return Conversation(view, model, make_reward(None), layer, True, (stream, wording))
