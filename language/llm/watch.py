"""A look at how a role begins: one that mostly falls back is worth a word while it is cheap."""

from __future__ import annotations

import logging
import threading
from collections import Counter

from language.llm.settings import RoleSettings

FIRST = 20
"""Calls of a role that are looked at."""

_LOG = logging.getLogger("crsgym.llm")
_CUT = ("truncated", "empty")


class FallbackWatch:
    """Warns once of a role whose embedded stand-in answers more than half of its first calls."""

    def __init__(self) -> None:
        self._seen: Counter[str] = Counter()
        self._kinds: dict[str, Counter[str]] = {}
        self._lock = threading.Lock()

    def saw(self, role: RoleSettings, kind: str | None) -> None:
        """Count a call.

        Args:
            role: Who asked.
            kind: The fault for which the embedded role stood in, None where it did not.
        """
        if self._seen[role.role] >= FIRST:
            return
        with self._lock:
            self._seen[role.role] += 1
            kinds = self._kinds.setdefault(role.role, Counter())
            if kind is not None:
                kinds[kind] += 1
            seen = self._seen[role.role]
            if 2 * kinds.total() <= FIRST or seen > FIRST:
                return
            self._seen[role.role] = FIRST
        _LOG.warning("%s", _words(role, seen, kinds))


def _words(role: RoleSettings, seen: int, kinds: Counter[str]) -> str:
    found = ", ".join(f"{count} {kind}" for kind, count in sorted(kinds.items()))
    if sum(kinds[kind] for kind in _CUT) * 2 > kinds.total():
        remedy = (
            "if the model thinks before it answers, give it room (llm.thinking_tokens=4000) or "
            "less to think (llm.reasoning_effort=low)"
        )
    else:
        remedy = "the model may be too small for the role, or refuse what it is about: use another"
    return (
        f"{role.model} at {role.place}: the embedded role stands in for {kinds.total()} of the "
        f"first {seen} calls of the role {role.role} ({found}); {remedy} (llm.roles.{role.role})"
    )
