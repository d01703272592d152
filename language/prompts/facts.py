"""Public facts as prompts show them: short JSON that is data to a model, whatever it says.

Nothing here knows a goal, a persona or what a user has seen.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from catalogs.catalog import Catalog
from catalogs.domain import Domain
from dialogue.view import DialogueView
from language.context import context_of
from language.llm.call import Message
from language.prompts.situation import DATA_RULE, as_data

FEW_VALUES = 60
"""Facets with at most this many values are listed in prompts, so that models use their names."""

PLOT = 400
"""Characters of a plot that are shown."""

LINE = 1500
"""Characters of an utterance that are shown."""


def chat(system: str, data: Mapping[str, Any]) -> tuple[Message, ...]:
    """Constant instructions, then the data of this call as JSON."""
    return (
        {"role": "system", "content": f"{system}\n\n{DATA_RULE}"},
        {"role": "user", "content": encodable(as_data(data))},
    )


def encodable(text: str) -> str:
    """The text with escapes for what UTF-8 cannot hold (half of a surrogate pair in a title)."""
    return text.encode("utf-8", "backslashreplace").decode("utf-8")


def vocabulary(catalog: Catalog) -> dict[str, list[str]]:
    """Value names of the facets that have few of them, by facet name: data, never instructions."""
    return {
        facet.name: list(catalog.vocabulary[f])
        for f, facet in enumerate(catalog.domain.facets)
        if not facet.person and len(catalog.vocabulary[f]) <= FEW_VALUES
    }


def facet_lines(domain: Domain) -> str:
    """The facets of a domain, one a line."""
    return "\n".join(f"- {facet.name} ({facet.plural})" for facet in domain.facets)


def item_facts(catalog: Catalog, item: int, plot: bool = True) -> dict[str, Any]:
    """Title, year and values of an item by name; with ``plot`` the beginning of its plot."""
    found = catalog.items[item]
    facts: dict[str, Any] = {"title": found.title}
    if found.year is not None:
        facts["year"] = found.year
    for f, facet in enumerate(catalog.domain.facets):
        facts[facet.name] = [catalog.value(f, value) for value in found.values[f]]
    if plot and found.plot:
        facts["plot"] = shortened(found.plot, PLOT)
    return facts


def last_action(view: DialogueView) -> dict[str, Any]:
    """What the system just did (the view after its action, before the reaction)."""
    if view.last_action < 0:
        return {"action": "none: the user begins"}
    context = context_of(view)
    did: dict[str, Any] = {"action": view.catalog.domain.actions[view.last_action]}
    if context.asked >= 0:
        did["facet"] = view.catalog.domain.facets[context.asked].name
    if context.item >= 0:
        did["item"] = item_facts(view.catalog, context.item, plot=False)
    return did


def shortened(text: str, length: int) -> str:
    """The text, cut with an ellipsis where it is longer than ``length`` characters."""
    return text if len(text) <= length else text[: length - 1] + "…"
