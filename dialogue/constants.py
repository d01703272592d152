"""Checks of settings: constants of the right kind, and in their ranges."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import fields
from typing import Any

Range = tuple[float, float | None]
"""Lowest and highest value (None: no highest); both whole where only whole numbers will do."""


def check_constants(
    settings: Any,
    ranges: Mapping[str, Range],
    choices: Mapping[str, Sequence[str]] | None = None,
    place: str = "planner",
) -> None:
    """Check the fields of a dataclass; those annotated ``bool`` need not be named.

    Args:
        settings: A dataclass instance.
        ranges: By field, the range of its number.
        choices: By field, the words that it may be.
        place: What the fields belong to, for messages. Settings that users type under other keys
            give their class, which ``conf.typed`` replaces.

    Raises:
        ValueError: A value is of another kind or out of range; the message names ``PLACE.FIELD``.
    """
    words = choices or {}
    for field in fields(settings):
        value = getattr(settings, field.name)
        if field.name in ranges:
            wanted = _mismatch(value, ranges[field.name])
        elif field.name in words:
            known = words[field.name]
            wanted = "" if value in known else f"one of {', '.join(known)}"
        else:
            is_switch = field.type in ("bool", bool)
            wanted = "true or false" if is_switch and not isinstance(value, bool) else ""
        if wanted:
            raise ValueError(f"{place}.{field.name} must be {wanted}, not {value!r}")


def _mismatch(value: Any, allowed: Range) -> str:
    """What a number must be, empty where it is."""
    low, high = allowed
    whole = isinstance(low, int) and (high is None or isinstance(high, int))
    kinds = int if whole else int | float
    is_number = isinstance(value, kinds) and not isinstance(value, bool)
    # A float alone may be infinite, or no number at all.
    is_finite = is_number and (isinstance(value, int) or math.isfinite(value))
    if is_finite and low <= value and (high is None or value <= high):
        return ""
    kind = "a whole number" if whole else "a number"
    return f"{kind} of at least {low}" if high is None else f"{kind} in {low}..{high}"
