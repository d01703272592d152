"""What models support at their addresses, as far as the process knows."""

from __future__ import annotations

import logging
import threading
from dataclasses import dataclass, replace

_LOG = logging.getLogger("crsgym.llm")
_ROW = 2
"""Answers in a row whose shape was wrong until it was asked for in words."""


@dataclass(frozen=True, slots=True)
class Abilities:
    """What to send to an endpoint.

    Attributes:
        format: ``json_schema``, ``json_object`` or ``none``. In the latter two the schema goes into
            the messages.
        told: Whether the schema goes into the messages in any case, as the endpoint takes a
            ``response_format`` and does not keep to it.
        limit: Name of the length limit: ``max_tokens`` or ``max_completion_tokens``.
        temperature: Whether a temperature may be set.
        effort: Whether a reasoning effort may be set.
    """

    format: str = "json_schema"
    told: bool = False
    limit: str = "max_tokens"
    temperature: bool = True
    effort: bool = True

    @property
    def in_words(self) -> bool:
        """Whether the schema goes into the messages."""
        return self.told or self.format != "json_schema"


_KNOWN: dict[tuple[str, str], Abilities] = {}
_ROWS: dict[tuple[str, str, str], int] = {}
_LOCK = threading.Lock()


def abilities_of(address: str, model: str) -> Abilities:
    """What is known of a model at an address; at first, that it supports everything."""
    return _KNOWN.get((address, model), Abilities())


def forget() -> None:
    """Forget everything that was learned, as a new process would."""
    with _LOCK:
        _KNOWN.clear()
        _ROWS.clear()


def replace_abilities(
    address: str, model: str, used: Abilities, better: Abilities, why: str
) -> None:
    """Know better and say so, unless somebody did since `used` was looked up."""
    with _LOCK:
        if _KNOWN.get((address, model), Abilities()) != used:
            return
        _KNOWN[address, model] = better
    _LOG.warning("%s at %s: %s", model, address, why)


def shaped(address: str, model: str, role: str, mended: bool) -> None:
    """Take a lesson from an answer, if the schema is not in the messages yet.

    Args:
        address: Of the endpoint.
        model: Its name there.
        role: Who asked; one that often answers well does not hide another that never does.
        mended: Whether the answer's shape was wrong, and right when the schema was told in words.
    """
    row = (address, model, role)
    if not mended:
        if row in _ROWS:
            with _LOCK:
                _ROWS.pop(row, None)
        return
    with _LOCK:
        known = _KNOWN.get((address, model), Abilities())
        _ROWS[row] = _ROWS.get(row, 0) + 1
        if known.in_words or _ROWS[row] < _ROW:
            return
    why = "does not keep to response_format; the JSON schema goes into the messages too"
    replace_abilities(address, model, known, replace(known, told=True), why)
