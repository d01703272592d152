"""The responder: what the system says for an action, from public facts only."""

from __future__ import annotations

from typing import Protocol

from catalogs.catalog import Catalog, Item
from dialogue.view import DialogueView, SystemTurn
from language.phrases import system


class Responder(Protocol):
    """Words the system's turn."""

    def respond(self, turn: SystemTurn, item: int, view: DialogueView) -> str:
        """The system's utterance.

        Args:
            turn: What the policy decided.
            item: Item offered or explained, -1 if none.
            view: The view before the action is applied.
        """
        ...


class EmbeddedResponder:
    """Templates that vary with the turn number: no model, no network, no randomness."""

    def __init__(self, catalog: Catalog) -> None:
        self._catalog = catalog

    def respond(self, turn: SystemTurn, item: int, view: DialogueView) -> str:
        """The system's utterance for an action of the domain."""
        domain = self._catalog.domain
        if turn.action < domain.n_facets:
            return self._inquiry(turn.action, view)
        if turn.action == domain.reflect:
            return self._reflection(view)
        if item < 0:
            return self._fill(system.NOTHING_LEFT, view)
        if turn.action == domain.recommend:
            return self._offer(self._catalog.items[item], view)
        return self._explanation(self._catalog.items[item], view)

    def _inquiry(self, facet: int, view: DialogueView) -> str:
        described = self._catalog.domain.facets[facet]
        ambiguous = view.state.ambiguous[facet]
        if ambiguous:
            first, second = (self._catalog.value(facet, value) for value in ambiguous[0])
            return self._fill(system.CLARIFY, view, first=first, second=second)
        if view.state.likes[facet]:
            names = _listed([self._catalog.value(facet, v) for v in view.state.likes[facet]], "and")
            return self._fill(system.ASK_MORE, view, names=names, plural=described.plural)
        table = system.ASK_PERSON if described.person else system.ASK
        return self._fill(table, view, singular=described.singular, plural=described.plural)

    def _reflection(self, view: DialogueView) -> str:
        facet, value = view.reason
        if facet < 0:
            return self._fill(system.REFLECT, view)
        described = self._catalog.domain.facets[facet]
        if value < 0:
            return self._fill(system.REFLECT_FACET, view, singular=described.singular)
        name = self._catalog.value(facet, value)
        return self._fill(system.REFLECT_VALUE, view, name=name, singular=described.singular)

    def _offer(self, item: Item, view: DialogueView) -> str:
        matching: list[str] = []
        for facet, described in enumerate(self._catalog.domain.facets):
            shared = [v for v in view.state.likes[facet] if v in item.values[facet]]
            if shared:
                names = _listed([self._catalog.value(facet, v) for v in shared], "and")
                noun = described.singular if len(shared) == 1 else described.plural
                matching.append(f"{noun}: {names}")
        if matching:
            return self._fill(system.OFFER, view, label=item.label, match="; ".join(matching))
        return self._fill(system.OFFER_PLAIN, view, label=item.label)

    def _explanation(self, item: Item, view: DialogueView) -> str:
        facts = []
        for facet, described in enumerate(self._catalog.domain.facets):
            values = item.values[facet]
            if values:
                noun = described.singular if len(values) == 1 else described.plural
                facts.append(
                    f"{noun}: {_listed([self._catalog.value(facet, v) for v in values], 'and')}"
                )
        text = self._fill(
            system.EXPLAIN, view, label=item.label, facts="; ".join(facts) or "no details known"
        )
        return f"{text} {item.plot}" if item.plot else text

    def _fill(self, table: tuple[str, ...], view: DialogueView, **slots: str) -> str:
        template = table[view.turn % len(table)]
        return template.format(
            noun=self._catalog.domain.noun, nouns=self._catalog.domain.nouns, **slots
        )


def _listed(names: list[str], joint: str) -> str:
    if len(names) < 2:
        return "".join(names)
    return f"{', '.join(names[:-1])} {joint} {names[-1]}"
