"""The dialogue record: one JSON-compatible line per dialogue, only what the seed determines."""

from __future__ import annotations

from typing import Any

from catalogs.catalog import Catalog, members
from dialogue.acts import Kind, UserAct, UserActs
from envs.conversation import Conversation
from envs.step import Step

SCHEMA = 1
_ITEM_KINDS = frozenset({Kind.REJECT, Kind.SEEN, Kind.DETAILS, Kind.ACCEPT})
_VALUE_KINDS = frozenset({Kind.VAGUE, Kind.CORRECT})


def dialogue_record(
    talk: Conversation, terms: tuple[str, ...], head: dict[str, Any]
) -> dict[str, Any]:
    """The record of a dialogue so far; ``head`` holds episode, split, seed, goal_index and persona.

    Raises:
        ValueError: The conversation keeps no steps (``keep_steps=False``).
    """
    if not talk.keep_steps:
        raise ValueError(
            "no record: the environment was made with keep_steps=False (channel=acts default)"
        )
    catalog, user = talk.catalog, talk.user
    opening = talk.view.exchanges[0]
    turns = [_turn(catalog, step, terms) for step in talk.steps]
    return {
        "schema": SCHEMA,
        **head,
        "goal": user.goal.named(catalog),
        "targets": sorted(catalog.items[i].id for i in members(user.acceptable)),
        "opening": {
            "user": opening.user_text,
            "said": acts_json(catalog, talk.opening_said),
            "heard": acts_json(catalog, opening.acts),
            **_overruled(talk.opening_overruled),
        },
        "turns": turns,
        "outcome": _outcome(talk),
        "success": talk.accepted,
        "n_turns": len(turns),
        "return": sum(sum(step.rewards) for step in talk.steps),
    }


def _outcome(talk: Conversation) -> str:
    if talk.accepted:
        return "accepted"
    if talk.terminated:
        return "left"
    return "truncated" if talk.truncated else "running"


def _turn(catalog: Catalog, step: Step, terms: tuple[str, ...]) -> dict[str, Any]:
    exchange = step.exchange
    ids = catalog.items
    return {
        **_overruled(step.overruled),
        "turn": exchange.turn,
        "action": catalog.domain.actions[exchange.action],
        "legal": step.legal,
        "item": ids[exchange.item].id if exchange.item >= 0 else None,
        "system": exchange.system_text,
        "user": exchange.user_text,
        "said": acts_json(catalog, step.said),
        "heard": acts_json(catalog, exchange.acts),
        "ranking": [ids[i].id for i in exchange.ranking],
        "retrieved": [ids[i].id for i in step.retrieved],
        "query": exchange.query,
        "rewards": dict(zip(terms, step.rewards, strict=True)),
        "search_changed": step.turn.search_changed,
        "trace": step.turn.trace,
        "state": step.state,
    }


def _overruled(kinds: tuple[str, ...] | None) -> dict[str, Any]:
    """What was overruled, only where a model plays the user."""
    return {} if kinds is None else {"overruled": list(kinds)}


def acts_json(catalog: Catalog, acts: UserActs) -> list[list[Any]]:
    """Acts with names: ``[KIND, facet, value, other]``; for SIGH the second entry is the level."""
    return [_act(catalog, act) for act in acts]


def _act(catalog: Catalog, act: UserAct) -> list[Any]:
    kind = Kind(act.kind)
    if kind == Kind.SIGH:
        return [kind.name, act.facet, None, None]
    facet = catalog.domain.facets[act.facet].name if act.facet >= 0 else None
    value = catalog.value(act.facet, act.value) if act.facet >= 0 and act.value >= 0 else None
    other: str | None = None
    if act.other >= 0 and kind in _ITEM_KINDS:
        other = catalog.items[act.other].id
    elif act.other >= 0 and kind in _VALUE_KINDS:
        other = catalog.value(act.facet, act.other)
    return [kind.name, facet, value, other]
