"""What a model that plays a user is told about it: character, wish, memory, and what is offered.

The words are in ``language.prompts.user``.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict
from typing import Any

from catalogs.catalog import members
from catalogs.goal import facet_matches
from dialogue.view import DialogueView
from language.prompts import user as words
from language.prompts.facts import LINE, item_facts, shortened
from simulators.personas import Persona
from simulators.resume import Moment
from simulators.user import EmbeddedUser

SEEN_TITLES = 40
"""Titles of seen items that are listed: more would bury the rest."""

HISTORY = 40
"""Lines of the dialogue that are shown; with the usual turn limits, all of them."""


class Casting:
    """The data of the user's prompt, in words and names.

    Args:
        user: The embedded user behind the model.
        persona: Who it is.
    """

    def __init__(self, user: EmbeddedUser, persona: Persona) -> None:
        self._user = user
        style = persona.style
        self._character = words.character(
            persona.description, style.age, style.emotion, asdict(persona.behaviour)
        )
        self._wish = words.wish(user.catalog.domain, self._named(user.goal.values))
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
        lines = [[speaker, shortened(text, LINE)] for speaker, text in view.transcript()]
        if action >= 0:
            lines.append(["system", shortened(system_text, LINE)])
        return words.Notes(
            character=self._character,
            wish=self._wish,
            seen=self._remembered(item),
            unsaid=self._named(state["remaining"]),
            patience=max(0.0, state["patience"]),
            lines=lines[-HISTORY:],
            mistake=self._mistake(state["slip"]) if state["slip"] else None,
            offered=self._offered(item, state["asked_details"] == item) if item >= 0 else None,
        ).data()

    def _named(self, values: Sequence[Sequence[int]]) -> dict[str, list[str]]:
        catalog = self._user.catalog
        return {
            facet.name: [catalog.value(f, value) for value in values[f]]
            for f, facet in enumerate(catalog.domain.facets)
            if values[f]
        }

    def _mistake(self, slip: Sequence[int]) -> tuple[str, str]:
        catalog = self._user.catalog
        facet, meant, said = slip
        return catalog.value(facet, said), catalog.value(facet, meant)

    def _offered(self, item: int, asked: bool) -> dict[str, Any]:
        user = self._user
        met = {
            facet.name: bool(_fits(user, f) >> item & 1)
            for f, facet in enumerate(user.catalog.domain.facets)
            if user.goal.values[f]
        }
        seen = bool(user.seen >> item & 1)
        return words.offer(item_facts(user.catalog, item), met, seen, asked)

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
