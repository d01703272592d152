"""What a model that plays a user is told about it: character, wish, memory, and what is offered."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from catalogs.catalog import members
from catalogs.goal import facet_matches
from dialogue.view import DialogueView
from language.prompts.facts import LINE, item_facts, shortened
from simulators.behaviour import Behaviour
from simulators.personas import Persona
from simulators.resume import Moment
from simulators.user import EmbeddedUser

SEEN_TITLES = 40
"""Titles of seen items that are listed: more would bury the rest."""

HISTORY = 40
"""Lines of the dialogue that are shown; with the usual turn limits, all of them."""

_OFTEN = ((0.02, "never"), (0.15, "rarely"), (0.35, "sometimes"), (0.65, "often"))
_RULES = {"all": "all of these", "any": "at least one of these"}


class Casting:
    """The data of the user's prompt, in words and names.

    Args:
        user: The embedded user behind the model.
        persona: Who it is.
    """

    def __init__(self, user: EmbeddedUser, persona: Persona) -> None:
        self._user = user
        self._character = {
            "who": persona.description,
            "age": persona.style.age,
            "emotion": persona.style.emotion,
            "habits": habits(persona.behaviour),
        }
        self._wish = self._wished()
        self._seen = self._seen_titles()

    def data(
        self, view: DialogueView, system_text: str, action: int, item: int, moment: Moment
    ) -> dict[str, Any]:
        """Everything about this turn.

        Args:
            view: The view after the system's action and before the reaction.
            system_text: What the system just said.
            action: System action, -1 for the opening.
            item: Item offered or explained, -1 if none.
            moment: The user before it speaks.
        """
        state = moment.state
        data: dict[str, Any] = {
            "character": self._character,
            "wish": self._wish,
            "have_seen": self._remembered(item),
            "not_said_yet": self._named(state["remaining"]),
            "patience_left": max(0.0, state["patience"]),
        }
        if state["slip"]:
            data["said_by_mistake"] = self._mistake(state["slip"])
        lines = [[speaker, shortened(text, LINE)] for speaker, text in view.transcript()]
        if action >= 0:
            lines.append(["system", shortened(system_text, LINE)])
        data["dialogue"] = lines[-HISTORY:] or "it is on you to begin"
        if item >= 0:
            data["offered"] = self._offered(item, state["asked_details"] == item)
        return data

    def _wished(self) -> dict[str, Any]:
        domain = self._user.catalog.domain
        named = self._named(self._user.goal.values)
        return {
            facet.name: {_RULES[facet.match]: named[facet.name]}
            for facet in domain.facets
            if facet.name in named
        }

    def _named(self, values: Sequence[Sequence[int]]) -> dict[str, list[str]]:
        catalog = self._user.catalog
        return {
            facet.name: [catalog.value(f, value) for value in values[f]]
            for f, facet in enumerate(catalog.domain.facets)
            if values[f]
        }

    def _mistake(self, slip: Sequence[int]) -> dict[str, str]:
        catalog = self._user.catalog
        facet, meant, said = slip
        return {"said": catalog.value(facet, said), "meant": catalog.value(facet, meant)}

    def _offered(self, item: int, asked: bool) -> dict[str, Any]:
        user = self._user
        met = {
            facet.name: bool(_fits(user, f) >> item & 1)
            for f, facet in enumerate(user.catalog.domain.facets)
            if user.goal.values[f]
        }
        return {
            **item_facts(user.catalog, item),
            "wishes_met": met,
            "seen": bool(user.seen >> item & 1),
            "you_asked_for_details": asked,
        }

    def _remembered(self, item: int) -> list[str]:
        """Titles seen; the one under discussion is among them if it was."""
        user = self._user
        if item < 0 or not user.seen >> item & 1:
            return self._seen
        label = user.catalog.items[item].label
        return self._seen if label in self._seen else [label, *self._seen[: SEEN_TITLES - 1]]

    def _seen_titles(self) -> list[str]:
        """Those that meet most of the wish first (they may be offered), then the best known."""
        user = self._user
        facets = range(user.n_facets)
        fitting = [_fits(user, f) & user.seen for f in facets if user.goal.values[f]]
        tiers = [0] * (len(fitting) + 1)
        for number in members(user.seen):
            tiers[sum(bits >> number & 1 for bits in fitting)] |= 1 << number
        order = [number for tier in reversed(tiers) for number in members(tier)]
        return [user.catalog.items[number].label for number in order[:SEEN_TITLES]]


def _fits(user: EmbeddedUser, facet: int) -> int:
    need_all = user.catalog.domain.facets[facet].match == "all"
    return facet_matches(user.catalog, facet, user.goal.values[facet], need_all)


def habits(behaviour: Behaviour) -> list[str]:
    """A behaviour in words."""
    return [
        f"bears {behaviour.patience:g} rejected suggestions; a useless question or something "
        f"already seen costs half as much",
        f"bears {behaviour.fatigue} questions in a row; each further one costs as much as a bad "
        f"suggestion",
        f"{_often(behaviour.evade_topic)} dodges a question about genres or subjects, "
        f"{_often(behaviour.evade_person)} one about people",
        f"{_often(behaviour.two_values)} names two things in one answer, "
        f"{_often(behaviour.volunteer)} adds something unasked",
        f"{_often(behaviour.vague)} uses a vague word first, "
        f"{_often(behaviour.slip)} names something wrong and takes it back in the next reply",
        f"{_often(behaviour.details)} asks for details before deciding",
        f"{_often(behaviour.reason)} gives the reason when turning something down",
    ]


def _often(chance: float) -> str:
    return next((word for limit, word in _OFTEN if chance <= limit), "almost always")
