"""What a role needs of the facade: an answer to a typed call, or the embedded one."""

from __future__ import annotations

from collections.abc import Callable
from typing import Protocol

from language.llm.call import Call, T


class Asker(Protocol):
    """Answers typed calls (``language.llm.roles.Roles``, or a script in tests)."""

    def ask(self, call: Call[T], fallback: Callable[[], T]) -> T:
        """What ``call.read`` made of the model's answer, or ``fallback()`` where there is none."""
        ...
