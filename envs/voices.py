"""Who speaks and who listens in a dialogue: embedded, or language models, role by role."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from catalogs.goal import Goal
from dialogue.streams import Stream
from dialogue.view import DialogueView
from envs.conversation import TextLayer, User
from envs.model_text import ModelText
from envs.person_text import PersonText
from envs.text import EmbeddedText
from envs.world import World
from language.llm.roles import open_roles
from language.llm.settings import read_settings
from language.model_responder import ModelResponder
from language.model_tracker import ModelTracker
from language.prompts.versions import PROMPTS
from language.responder import Responder
from language.tracker import Tracker
from simulators.console import Console
from simulators.human import HumanUser
from simulators.model_user import ModelUser
from simulators.personas import Persona
from simulators.resume import StreamKey
from simulators.user import EmbeddedUser

SPEAKERS = ("reply", "track", "user")
"""Roles that an environment asks."""

BESIDE_A_PERSON = ("reply", "track")
"""Roles that it asks where a person is the user."""


class Voices:
    """The text roles of one environment.

    Args:
        world: Catalogue and embedded tools.
        llm: Settings of the language models (``language.llm.settings``), None for none.
    """

    def __init__(self, world: World, llm: Mapping[str, Any] | None) -> None:
        self._world = world
        self._roles = open_roles(llm)
        catalog, tools, roles = world.catalog, world.text, self._roles
        self._tracker: Tracker = tools.tracker
        self._responder: Responder = tools.responder
        if roles.is_model("track"):
            scorer = (llm or {}).get("scorer")
            self._tracker = ModelTracker(catalog, tools.tracker, roles, scorer)
        if roles.is_model("reply"):
            self._responder = ModelResponder(catalog, tools.responder, roles)

    def cast(
        self,
        user: EmbeddedUser,
        persona: Persona,
        view: DialogueView,
        wording: Stream,
        key: StreamKey,
    ) -> tuple[User, TextLayer]:
        """The user of a dialogue, and the text layer that joins it to the system.

        Args:
            user: The embedded user; where a model plays the user, its shadow.
            persona: Who it is.
            view: The dialogue's public side.
            wording: Where embedded wording is drawn from.
            key: What the dialogue's streams were made from.
        """
        voice = self._world.text.voice
        if self._roles.is_model("user"):
            calls = self._roles.settings.user_calls
            player = ModelUser(user, persona, view, voice, wording, key, self._roles, calls)
            return player, ModelText(player, self._responder, self._tracker)
        text = EmbeddedText(
            self._world.catalog, voice, persona.style, wording, self._responder, self._tracker
        )
        return user, text

    def person(self, goal: Goal, view: DialogueView, console: Console) -> tuple[User, TextLayer]:
        """A person as the user of a dialogue, whoever else is a model, and its text layer.

        Args:
            goal: What the person is asked to look for.
            view: The dialogue's public side.
            console: Where the person reads and writes.
        """
        voice = self._world.text.voice
        player = HumanUser(self._world.catalog, goal, view, self._tracker, voice, console)
        return player, PersonText(player, self._responder)


def models_in_record(
    llm: Mapping[str, Any] | None, roles: Sequence[str] = SPEAKERS
) -> dict[str, Any]:
    """What a record says about models: by role, the model and the prompt with its version.

    Nothing where every one of the roles is embedded.

    Args:
        llm: Settings of the language models, None for none.
        roles: Roles that are asked; those of an environment if nothing else is said.
    """
    settings = read_settings(llm).roles
    found = {
        role: {"model": settings[role].model, "prompt": PROMPTS.get(role)}
        for role in sorted(roles)
        if settings[role].is_model
    }
    return {"llm": found} if found else {}
