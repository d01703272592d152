"""Settings objects from a planner's values, whose kinds are checked by the keys that users type."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import fields
from typing import Any, TypeVar

T = TypeVar("T")

_OF_THE_RUN = ("name", "parallel")
"""Keys of a planner that are about the run."""


def _is_number(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool) and math.isfinite(value)


def _is_whole(value: Any) -> bool:
    return isinstance(value, int) and not isinstance(value, bool)


_KINDS: Mapping[str, tuple[str, Callable[[Any], bool]]] = {
    "int": ("a whole number", _is_whole),
    "float": ("a finite number", _is_number),
    "bool": ("true or false", lambda value: isinstance(value, bool)),
}
"""What a field must be, by its annotation; other kinds are checked by the settings themselves."""


def _annotation(kind: Any) -> str:
    """A class, or an annotation that was never evaluated, by its name."""
    return kind if isinstance(kind, str) else str(getattr(kind, "__name__", kind))


def typed(kind: type[T], keys: Mapping[str, str], planner: Mapping[str, Any]) -> T:
    """Make settings.

    Args:
        kind: A dataclass that checks its ranges, if it has any, by raising ValueError with
            messages that begin with its name.
        keys: By field, where its value is in the planner: ``w_match``, ``scorer.tired``.
        planner: The planner's part of the configuration.

    Raises:
        ValueError: A value is of another kind or out of range; the message names its key.
    """
    values: dict[str, Any] = {}
    for field in fields(kind):  # type: ignore[arg-type]
        if field.name not in keys:
            continue
        group, _, name = keys[field.name].rpartition(".")
        value = values[field.name] = planner[group][name] if group else planner[name]
        wanted, is_right = _KINDS.get(_annotation(field.type), ("", lambda _: True))
        if not is_right(value):
            raise ValueError(f"planner.{keys[field.name]} must be {wanted}, not {value!r}")
    try:
        return kind(**values)
    except ValueError as error:
        message = str(error)
        for field_name, key in keys.items():
            message = message.replace(f"{kind.__name__}.{field_name} ", f"planner.{key} ")
        raise ValueError(message) from error


def keys_of(planner: Mapping[str, Any], group: str) -> dict[str, str]:
    """The keys of a group whose fields are called as its keys are.

    Raises:
        ValueError: It is no group; the message names it.
    """
    if not isinstance(planner[group], Mapping):
        raise ValueError(
            f"planner.{group} must be a group of constants, not {planner[group]!r}; "
            f"planner.{group}.KEY=VALUE changes one"
        )
    return {name: f"{group}.{name}" for name in planner[group]}


def constants_of(planner: Mapping[str, Any]) -> dict[str, Any]:
    """A planner's own settings: all its keys but those that are about the run."""
    return {key: value for key, value in planner.items() if key not in _OF_THE_RUN}
