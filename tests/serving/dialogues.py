"""Dialogues in which every embedded role is also asked of an endpoint."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from dialogue.acts import UserActs
from dialogue.snapshot import view_state
from dialogue.streams import Role, Stream
from dialogue.view import DialogueView, SystemTurn
from envs.conversation import Conversation
from envs.world import World
from planners.scorer import EmbeddedScorer
from rewards.total import make_reward
from simulators.personas import Persona
from simulators.resume import StreamKey, moment_of, user_to_inputs
from simulators.user import EmbeddedUser

TURNS = 10

Heard = Callable[[str, dict[str, Any], Mapping[str, Any]], None]
"""Called with a role, its inputs, and what the embedded role found."""


class ObservedUser(EmbeddedUser):
    """Tells what it would be asked with, just before it answers."""

    __slots__ = ("before", "observe")
    before: dict[str, Any]
    observe: Callable[[int, int], dict[str, Any]]

    def open(self) -> UserActs:
        self.before = self.observe(-1, -1)
        return super().open()

    def respond(self, action: int, item: int) -> UserActs:
        self.before = self.observe(action, item)
        return super().respond(action, item)


class ObservedText:
    """The embedded text layer; reports what goes into it and what comes out."""

    def __init__(
        self, place: World, persona: Persona, user: ObservedUser, wording: Stream, heard: Heard
    ) -> None:
        self.place, self.persona, self.user = place, persona, user
        self.wording, self.heard = wording, heard
        self.origin = dict(place.catalog.origin)

    def facts(self, view: DialogueView) -> dict[str, Any]:
        return {"catalog": self.origin, "view": view_state(view, texts=False)}

    def system_text(self, turn: SystemTurn, item: int, view: DialogueView) -> str:
        text = self.place.text.responder.respond(turn, item, view)
        self.heard(
            "reply", {**self.facts(view), "action": turn.action, "item": item}, {"reply": text}
        )
        return text

    def user_text(self, acts: UserActs, view: DialogueView) -> str:
        text = self.place.text.voice.say(acts, self.persona.style, view, self.wording)
        inputs = {**self.facts(view), **self.user.before}
        self.heard("user", inputs, {"acts": acts, "reply": text})
        return text

    def track(self, text: str, view: DialogueView) -> UserActs:
        acts = self.place.text.tracker.track(text, view)
        after = view.fork()
        after.apply_user(acts)
        expected = {"acts": acts, "scores": EmbeddedScorer().scores(after)}
        self.heard("track", {**self.facts(view), "text": text, "scorer": {}}, expected)
        return acts


def play(
    place: World, episode: int, seed: int, turns: Sequence[int | SystemTurn], heard: Heard
) -> None:
    """Play a dialogue of a world's test split, reporting every use of an embedded role."""
    _, goal, persona = place.episode("test", episode)
    key = StreamKey(seed, episode, TURNS + 1)
    stream, wording = (Stream(*key[:2], role, key.turns) for role in (Role.USER, Role.TEXT))
    seen = place.seen.draw(seed, episode, persona.behaviour.seen, place.targets(goal))
    user = ObservedUser(place.catalog, goal, persona.behaviour, seen, stream, place.vague)
    user.observe = lambda action, item: {
        **user_to_inputs(user, persona.style, key, moment_of(user, stream, wording)),
        "action": action,
        "item": item,
        "step": "all",
    }
    user.shuffle()
    view = DialogueView(place.catalog, place.retriever, "text", TURNS)
    text = ObservedText(place, persona, user, wording, heard)
    talk = Conversation(view, user, make_reward(None), text, True, (stream, wording))
    talk.open()
    for turn in turns:
        if talk.terminated or talk.truncated:
            return
        talk.advance(turn)
