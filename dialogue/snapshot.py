"""Exact snapshots of a public view as plain JSON values."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from dialogue.acts import UserAct
from dialogue.state import PreferenceState
from dialogue.view import DialogueView, Exchange

_SCALARS = (
    "turn", "last_action", "streak", "rejections", "seen", "explained", "just_rejected", "details",
    "impatience", "ended", "invalid",
)  # fmt: skip
_EXCHANGE = Exchange._fields


def view_state(view: DialogueView, texts: bool = True) -> dict[str, Any]:
    """All changing public facts.

    Without ``texts``, what came of texts is left out: the finished exchanges and the scores that a
    model suggested with the last one. Embedded roles need neither.
    """
    suggested = view.suggested if texts else None
    return {
        **{name: getattr(view, name) for name in _SCALARS},
        # Not as a number: those of more than 4,300 digits cannot be written as JSON.
        "offered": hex(view.offered),
        "asked": view.asked[:],
        "offers": [list(offer) for offer in view.offers],
        "reason": list(view.reason),
        "preferences": preferences_state(view.state),
        "suggested": None if suggested is None else list(suggested),
        "exchanges": [
            [_plain(getattr(exchange, name)) for name in _EXCHANGE]
            for exchange in (view.exchanges if texts else ())
        ],
    }


def public_facts(view: DialogueView) -> dict[str, Any]:
    """What :func:`view_state` holds and what never changes; equal unless something was written."""
    return {
        **view_state(view),
        "channel": view.channel,
        "max_turns": view.max_turns,
        "catalog": id(view.catalog),
        "retriever": id(view.retriever),
    }


def set_view_state(view: DialogueView, saved: dict[str, Any]) -> None:
    """Restore what :func:`view_state` returned, bit for bit."""
    for name in _SCALARS:
        setattr(view, name, saved[name])
    view.offered = int(saved["offered"], 16)
    view.asked = list(saved["asked"])
    view.offers = [(item, kind) for item, kind in saved["offers"]]
    view.reason = (saved["reason"][0], saved["reason"][1])
    view.state = preferences_from(saved["preferences"])
    suggested = saved["suggested"]
    view.suggested = None if suggested is None else tuple(suggested)
    view.forget_assessment()
    view.exchanges = [_exchange(entry) for entry in saved["exchanges"]]


def preferences_state(state: PreferenceState) -> dict[str, Any]:
    """Tracked preferences by the names of the state's slots."""
    return {name: _plain(getattr(state, name)) for name in PreferenceState.__slots__}


def preferences_from(saved: Mapping[str, Any]) -> PreferenceState:
    """The preferences that :func:`preferences_state` returned.

    Raises:
        KeyError: A slot is missing.
    """
    state = PreferenceState(len(saved["likes"]))
    for name in PreferenceState.__slots__:
        setattr(state, name, [_frozen(entry) for entry in saved[name]])
    return state


def _exchange(saved: list[Any]) -> Exchange:
    turn, action, item, ranking, system_text, user_text, acts, query = saved
    heard = tuple(UserAct(*act) for act in acts)
    return Exchange(turn, action, item, tuple(ranking), system_text, user_text, heard, query)


def _plain(entry: Any) -> Any:
    return [_plain(part) for part in entry] if isinstance(entry, list | tuple) else entry


def _frozen(entry: Any) -> Any:
    return tuple(_frozen(part) for part in entry) if isinstance(entry, list) else entry
