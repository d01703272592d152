"""What model calls cost, counted per role and dialogue."""

from __future__ import annotations

import threading
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, field
from typing import Any

FAULTS = (
    "rate_limit", "server_error", "timeout", "connection", "malformed", "truncated", "empty",
    "schema", "refusal",
)  # fmt: skip
"""Kinds of faults, in the order of reports: the first four are retried, the rest are answers."""


@dataclass(slots=True)
class RoleUsage:
    """Counts of one role.

    Attributes:
        calls: Requests that reached the endpoint and were answered well enough to be read;
            those repeated after a fault are in ``retries``, a repair is a call of its own.
        cached: Answers that came from the cache or a replay instead of the endpoint.
        retries: Requests sent again after a fault of transport.
        repairs: Answers that were sent back to be mended.
        fallbacks: Times that the embedded role stood in.
        tokens_in: Tokens read, as the endpoint counts them.
        tokens_out: Tokens written.
        cost_usd: By the configured prices and the tokens that were counted; 0 without prices.
        cost_reserved_usd: What may have been billed beside that, at most: requests that timed out,
            answers whose tokens the endpoint did not count.
        faults: Times that each kind of :data:`FAULTS` was met.
    """

    calls: int = 0
    cached: int = 0
    retries: int = 0
    repairs: int = 0
    fallbacks: int = 0
    tokens_in: int = 0
    tokens_out: int = 0
    cost_usd: float = 0.0
    cost_reserved_usd: float = 0.0
    faults: Counter[str] = field(default_factory=Counter)

    def to_json(self) -> dict[str, Any]:
        """Plain values; ``faults`` has kinds that were met, ``cost_reserved_usd`` is if not 0."""
        reserved = {"cost_reserved_usd": self.cost_reserved_usd} if self.cost_reserved_usd else {}
        return {
            "calls": self.calls,
            "cached": self.cached,
            "retries": self.retries,
            "repairs": self.repairs,
            "fallbacks": self.fallbacks,
            "tokens_in": self.tokens_in,
            "tokens_out": self.tokens_out,
            "cost_usd": self.cost_usd,
            **reserved,
            "faults": {kind: self.faults[kind] for kind in FAULTS if self.faults[kind]},
        }


class Usage:
    """Counts of one dialogue, or of whatever runs inside :func:`collect`; safe between threads."""

    def __init__(self) -> None:
        self._roles: dict[str, RoleUsage] = {}
        self._fallbacks: list[dict[str, Any]] = []
        self._lock = threading.Lock()

    def add(self, role: str, **counts: float) -> None:
        """Add to the counts of a role, by the names of :class:`RoleUsage`."""
        with self._lock:
            found = self._roles.setdefault(role, RoleUsage())
            for name, count in counts.items():
                setattr(found, name, getattr(found, name) + count)

    def fault(self, role: str, kind: str) -> None:
        """Count a fault of one of :data:`FAULTS`."""
        with self._lock:
            self._roles.setdefault(role, RoleUsage()).faults[kind] += 1

    def fallback(self, role: str, kind: str, turn: int) -> None:
        """Count that the embedded role stood in, and remember for which turn and why."""
        self.add(role, fallbacks=1)
        with self._lock:
            self._fallbacks.append({"turn": turn, "role": role, "fault": kind})

    def by_role(self) -> dict[str, dict[str, Any]]:
        """Counts of the roles that were used, sorted by name."""
        with self._lock:
            return {role: self._roles[role].to_json() for role in sorted(self._roles)}

    def fallbacks(self) -> list[dict[str, Any]]:
        """``{"turn", "role", "fault"}`` of each fallback, by turn and role."""
        with self._lock:
            return sorted(self._fallbacks, key=lambda f: (f["turn"], f["role"], f["fault"]))


class Books:
    """Counts the same in two accounts: a dialogue's, and that of everything a process asks."""

    def __init__(self, dialogue: Usage, totals: Usage) -> None:
        self._dialogue = dialogue
        self._totals = totals

    def add(self, role: str, **counts: float) -> None:
        """As :meth:`Usage.add`."""
        self._dialogue.add(role, **counts)
        self._totals.add(role, **counts)

    def fault(self, role: str, kind: str) -> None:
        """As :meth:`Usage.fault`."""
        self._dialogue.fault(role, kind)
        self._totals.fault(role, kind)

    def fallback(self, role: str, kind: str, turn: int) -> None:
        """As :meth:`Usage.fallback`; the turn is the dialogue's alone."""
        self._dialogue.fallback(role, kind, turn)
        self._totals.add(role, fallbacks=1)


_CURRENT: ContextVar[Usage | None] = ContextVar("usage", default=None)


@contextmanager
def collect() -> Iterator[Usage]:
    """Count the calls made in this block, in this thread and in those that share its context."""
    usage = Usage()
    token = _CURRENT.set(usage)
    try:
        yield usage
    finally:
        _CURRENT.reset(token)


def current() -> Usage:
    """Where calls are counted now; outside :func:`collect` they are counted nowhere."""
    return _CURRENT.get() or Usage()
