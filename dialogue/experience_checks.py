"""What a line of an experience base may hold: types, ranges, sizes."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import Any, NamedTuple


class Limits(NamedTuple):
    """Sizes beyond which a file is refused; bases of thousands of dialogues stay far below."""

    file_bytes: int = 256_000_000
    line_bytes: int = 1_000_000
    text: int = 20_000
    name: int = 200
    lines: int = 500
    entries: int = 2_000
    number: float = 1e9


LIMITS = Limits()
SPLITS = ("heldout", "train")
"""Users that a method may learn from; a base that holds a test dialogue is refused."""

SPEAKERS = ("system", "user")
_HEADER = {
    "format": str, "hash": str, "catalog": dict, "personas": str, "config": dict, "dialogues": int,
    "successes": int, "made_by": str, "actions": list,
}  # fmt: skip
_STATE = {
    "status": str, "like": list, "dislike": list, "doubt": list, "ambiguous": list,
    "withdrawn": list, "corrected": bool, "evasions": int, "closed": bool, "best": float,
}  # fmt: skip


def check_header(raw: Mapping[str, Any], form: str) -> None:
    """Check a base's first line.

    Args:
        raw: The line.
        form: The format's name.

    Raises:
        ValueError: Something is missing or wrong.
    """
    if raw.get("format") != form:
        raise ValueError(f"no header of {form!r} (its format is {raw.get('format')!r:.60})")
    _check_keys(raw, _HEADER)
    for name, kind in _HEADER.items():
        _check_kind(name, raw[name], kind)
    for name in ("dialogues", "successes"):
        _check_count(name, raw[name])
    _check_names("actions", raw["actions"])
    if len(set(raw["actions"])) < len(raw["actions"]) or not raw["actions"]:
        raise ValueError("'actions' must be different names")


def check_experience(
    raw: Mapping[str, Any], actions: Collection[str], keys: Collection[str]
) -> None:
    """Check another line of a base.

    Args:
        raw: The line.
        actions: Names that an action may have.
        keys: What the line must hold.

    Raises:
        ValueError: Something is missing or wrong.
    """
    _check_keys(raw, keys)
    if raw["split"] not in SPLITS:
        raise ValueError(
            f"a base holds dialogues of {' and '.join(SPLITS)} users only, not of "
            f"{raw['split']!r:.60}"
        )
    _check_count("episode", raw["episode"])
    _check_count("turn", raw["turn"], least=1)
    _check_lines(raw["lines"])
    _check_state(raw["state"])
    _check_numbers("facts", raw["facts"])
    if raw["action"] not in actions:
        raise ValueError(f"'action' must be one of {', '.join(actions)}, not {raw['action']!r:.60}")
    _check_text("reason", raw["reason"])
    if raw["query"] is not None:
        _check_text("query", raw["query"])
    _check_number("reward", raw["reward"])
    _check_kind("success", raw["success"], bool)
    _check_numbers("search", raw["search"])
    for name, share in raw["search"].items():
        if name not in actions or not 0.0 <= share <= 1.0:
            raise ValueError(f"'search' must hold shares of actions, not {name!r:.60}: {share!r}")


def _check_keys(raw: Mapping[str, Any], keys: Collection[str]) -> None:
    missing = sorted(set(keys) - set(raw))
    unknown = sorted(set(raw) - set(keys))
    if missing or unknown:
        what = f"{missing[0]!r} is missing" if missing else f"{unknown[0]!r:.60} is unknown"
        raise ValueError(what)


def _check_kind(name: str, value: Any, kind: type) -> None:
    fits = isinstance(value, int | float) if kind is float else isinstance(value, kind)
    if not fits or (kind in (int, float) and isinstance(value, bool)):
        raise ValueError(f"{name!r} must be of type {kind.__name__}, not {value!r:.60}")
    if kind is str and len(value) > LIMITS.text:
        raise ValueError(f"{name!r} has more than {LIMITS.text} characters")


def _check_count(name: str, value: Any, least: int = 0) -> None:
    _check_kind(name, value, int)
    if not least <= value <= LIMITS.number:
        raise ValueError(f"{name!r} must be a whole number of at least {least}, not {value!r:.60}")


def _check_number(name: str, value: Any) -> None:
    _check_kind(name, value, float)
    if not -LIMITS.number <= value <= LIMITS.number:
        raise ValueError(f"{name!r} is out of range")


def _check_numbers(name: str, value: Any) -> None:
    _check_kind(name, value, dict)
    _check_names(name, list(value))
    for key, number in value.items():
        _check_number(f"{name}.{key}", number)


def _check_text(name: str, value: Any) -> None:
    _check_kind(name, value, str)


def _check_names(name: str, value: Any) -> None:
    if not isinstance(value, list) or len(value) > LIMITS.entries:
        raise ValueError(f"{name!r} must have at most {LIMITS.entries} entries")
    if not all(isinstance(entry, str) and 0 < len(entry) <= LIMITS.name for entry in value):
        raise ValueError(f"{name!r} must hold names of at most {LIMITS.name} characters")


def _check_lines(value: Any) -> None:
    if not isinstance(value, list) or len(value) > LIMITS.lines:
        raise ValueError(f"'lines' must be at most {LIMITS.lines} pairs")
    for pair in value:
        if not isinstance(pair, list) or len(pair) != 2 or pair[0] not in SPEAKERS:
            raise ValueError("'lines' must hold pairs of system or user, and a text")
        _check_text("lines", pair[1])


def _check_state(value: Any) -> None:
    _check_kind("state", value, dict)
    _check_names("state", list(value))
    for facet, entry in value.items():
        _check_kind(f"state.{facet}", entry, dict)
        _check_keys(entry, _STATE)
        for name, kind in _STATE.items():
            place = f"state.{facet}.{name}"
            _check_kind(place, entry[name], kind)
            if kind is list and name != "ambiguous":
                _check_names(place, entry[name])
        for pair in entry["ambiguous"]:
            _check_names(f"state.{facet}.ambiguous", pair)
            if len(pair) != 2:
                raise ValueError(f"'state.{facet}.ambiguous' must hold pairs")
        _check_count(f"state.{facet}.evasions", entry["evasions"])
        if not 0.0 <= entry["best"] <= 1.0:
            raise ValueError(f"'state.{facet}.best' must be in [0, 1]")
