"""The dialogue as text for people."""

from __future__ import annotations

import unicodedata

from dialogue.acts import Kind
from dialogue.view import DialogueView, Exchange

WIDTH = 400
"""Longest utterance shown; the record keeps all of it."""


def render_dialogue(view: DialogueView, start: int = 0) -> str:
    """The exchanges from number ``start`` on, one line per utterance, each ending in a newline."""
    return "".join(_lines(view, exchange) for exchange in view.exchanges[start:])


def _lines(view: DialogueView, exchange: Exchange) -> str:
    lines = []
    if exchange.action >= 0:
        name = view.catalog.domain.actions[exchange.action]
        said = exchange.system_text or (
            view.catalog.items[exchange.item].label if exchange.item >= 0 else ""
        )
        lines.append(f"{exchange.turn:>2} system [{name}] {printable(said)}")
    spoken = exchange.user_text or " ".join(
        _act_text(view, act.kind, act.facet, act.value) for act in exchange.acts
    )
    lines.append(f"{exchange.turn:>2} user   {printable(spoken)}")
    return "".join(line.rstrip() + "\n" for line in lines)


def _act_text(view: DialogueView, kind: int, facet: int, value: int) -> str:
    name = Kind(kind).name
    if kind == Kind.SIGH or facet < 0:
        return name
    facet_name = view.catalog.domain.facets[facet].name
    return f"{name}({facet_name}" + (f"={view.catalog.value(facet, value)})" if value >= 0 else ")")


def printable(text: str) -> str:
    """One line without control or direction-override characters, cut at :data:`WIDTH`."""
    clean = "".join(c if unicodedata.category(c)[0] != "C" else " " for c in text[: 4 * WIDTH])
    clean = " ".join(clean.split())
    return clean if len(clean) <= WIDTH else clean[: WIDTH - 1] + "…"
