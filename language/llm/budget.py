"""What a run may spend, counted so that calls in flight cannot exceed it."""

from __future__ import annotations

import threading

from language.llm.errors import RunStopped


class Budget:
    """Calls and USD of a process, against their limits.

    A request reserves the most that it can cost before it is sent, and settles what it did cost.
    Where only what others have reserved stands in the way, it waits until they have settled.

    Args:
        max_calls: Limit of calls, None for none.
        max_cost_usd: Limit in USD, None for none.
    """

    def __init__(self, max_calls: int | None, max_cost_usd: float | None) -> None:
        self._max_calls = max_calls
        self._max_cost = max_cost_usd
        self._calls = 0
        self._cost = 0.0
        self._flying = 0
        self._reserved = 0.0
        self._changed = threading.Condition()

    @property
    def spent(self) -> tuple[int, float]:
        """Calls and USD so far."""
        with self._changed:
            return self._calls, self._cost

    def add(self, calls: int, cost: float) -> None:
        """Count what was spent elsewhere, by an earlier start of the run."""
        with self._changed:
            self._calls += calls
            self._cost += cost

    def reserve(self, role: str, most_usd: float) -> None:
        """Reserve a call that costs `most_usd` at most; :meth:`settle` must follow.

        Raises:
            RunStopped: The call would exceed a limit.
        """
        if self._max_calls is None and self._max_cost is None:
            return
        with self._changed:
            while not self._fits(most_usd, self._flying, self._reserved):
                if not self._fits(most_usd, 0, 0.0):
                    raise RunStopped(self._message(role))
                self._changed.wait()
            self._flying += 1
            self._reserved += most_usd

    @property
    def is_limited(self) -> bool:
        """Whether there is a limit in USD, so that what is reserved matters."""
        return self._max_cost is not None

    def settle(self, most_usd: float, calls: int, cost: float) -> None:
        """Replace what was reserved by what was spent."""
        with self._changed:
            self._calls += calls
            self._cost += cost
            if self._max_calls is None and self._max_cost is None:
                return
            self._flying -= 1
            # Without this, sums of floats leave a rest that belongs to nobody.
            self._reserved = self._reserved - most_usd if self._flying else 0.0
            self._changed.notify_all()

    def _fits(self, most_usd: float, flying: int, reserved: float) -> bool:
        if self._max_calls is not None and self._calls + flying + 1 > self._max_calls:
            return False
        return self._max_cost is None or self._cost + reserved + most_usd <= self._max_cost

    def _message(self, role: str) -> str:
        limits = []
        if self._max_calls is not None:
            limits.append(f"llm.max_calls={self._max_calls}")
        if self._max_cost is not None:
            limits.append(f"llm.max_cost_usd={self._max_cost:g}")
        return (
            f"the budget is spent: {self._calls} calls and {self._cost:.4f} USD so far, and the "
            f"next call for the role {role} could exceed {' or '.join(limits)}; raise the limit "
            "and run again with resume=true"
        )
