"""The responder as a language model: words for an action that is already decided."""

from __future__ import annotations

from typing import Any

from catalogs.catalog import Catalog
from dialogue.snapshot import view_state
from dialogue.view import DialogueView, SystemTurn
from language.llm.asking import Asker
from language.llm.call import Call
from language.prompts import facts, replying
from language.prompts.situation import LINES, preferences
from language.responder import Responder


class ModelResponder:
    """Words the system's turns with a language model; where that fails, with templates.

    Args:
        catalog: The items.
        embedded: Stands in where the model's answer cannot be used.
        roles: Where the role ``reply`` is asked.
    """

    def __init__(self, catalog: Catalog, embedded: Responder, roles: Asker) -> None:
        self._catalog = catalog
        self._embedded = embedded
        self._roles = roles

    def respond(self, turn: SystemTurn, item: int, view: DialogueView) -> str:
        """The system's utterance; it names the title of the item offered or explained."""
        catalog = self._catalog
        title = catalog.items[item].title if item >= 0 else None
        call = Call(
            role="reply",
            prompt=replying.PROMPT,
            messages=replying.messages(catalog.domain, self._data(turn.action, item, view)),
            result=replying.Reply,
            read=lambda answer: replying.read_reply(answer, title),
            inputs=lambda: {
                "catalog": dict(catalog.origin),
                "view": view_state(view, texts=False),
                "action": turn.action,
                "item": item,
            },
            # The view is as it was before the action that the reply is for.
            turn=view.turn + 1,
        )
        return self._roles.ask(call, lambda: self._embedded.respond(turn, item, view))

    def _data(self, action: int, item: int, view: DialogueView) -> dict[str, Any]:
        domain = self._catalog.domain
        data: dict[str, Any] = {"action": domain.actions[action]}
        if action < domain.n_facets:
            data["facet"] = domain.facets[action].plural
        elif action == domain.reflect:
            data["turned_down"] = self._complaint(view)
        else:
            data["item"] = facts.item_facts(self._catalog, item) if item >= 0 else None
        data["known"] = preferences(view.state, self._catalog)
        data["dialogue"] = [list(line) for line in view.transcript()[-LINES:]]
        return data

    def _complaint(self, view: DialogueView) -> dict[str, str]:
        """What the user just turned down and why, as far as it was said."""
        found: dict[str, str] = {}
        if view.offers:
            found["item"] = self._catalog.items[view.offers[-1][0]].title
        facet, value = view.reason
        if facet >= 0:
            found["facet"] = self._catalog.domain.facets[facet].singular
            if value >= 0:
                found["value"] = self._catalog.value(facet, value)
        return found
