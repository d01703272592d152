"""Canonical JSON lines: one value has one spelling, so equal runs give equal bytes."""

from __future__ import annotations

import json
from typing import Any

# Valid inside JSON strings, but str.splitlines takes them for line ends; escaped so that a file
# has the same lines whoever reads it.
_LINE_ENDS = {0x85: "\\u0085", 0x2028: "\\u2028", 0x2029: "\\u2029"}


class NotJSONError(TypeError):
    """A value that JSON does not have; the message names where it sits."""


def canonical_line(value: dict[str, Any]) -> bytes:
    r"""One mapping as a line of UTF-8 JSON: sorted keys, no spaces, no NaN, a newline at the end.

    Text stays readable (no ASCII escapes) with two exceptions: characters that Python takes for
    line ends, and lone surrogates, which UTF-8 cannot hold; both become ``\uXXXX`` escapes and
    read back as they were. (A high surrogate directly before a low one reads back as the
    character that the two encode: JSON has no other meaning for that pair.)

    Raises:
        NotJSONError: A NumPy scalar, a set, NaN or another value that JSON lacks; the message
            holds its path.
    """
    try:
        text = json.dumps(
            value, sort_keys=True, ensure_ascii=False, allow_nan=False, separators=(",", ":")
        )
    except (TypeError, ValueError) as error:
        place = _offender(value, "record") or "record"
        raise NotJSONError(
            f"{place} cannot be written as JSON ({error}); make it a plain number, text, list or "
            f"mapping with text keys"
        ) from error
    return text.translate(_LINE_ENDS).encode("utf-8", "backslashreplace") + b"\n"


def _offender(value: Any, path: str) -> str | None:
    """Path of the first value that JSON cannot hold, with its type."""
    if isinstance(value, dict):
        for key, entry in value.items():
            if not isinstance(key, str):
                return f"{path}: key {key!r}"
            found = _offender(entry, f"{path}[{key!r}]")
            if found:
                return found
        return None
    if isinstance(value, list | tuple):
        places = (_offender(entry, f"{path}[{i}]") for i, entry in enumerate(value))
        return next((place for place in places if place), None)
    try:
        json.dumps(value, allow_nan=False)
    except (TypeError, ValueError):
        return f"{path} = {value!r} ({type(value).__name__})"
    return None
