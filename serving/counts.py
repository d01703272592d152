"""What the endpoint counted: requests, faults, tokens, how busy it was."""

from __future__ import annotations

from collections import Counter
from typing import Any

from serving.faults import FAULTS


class Counts:
    """Counts since the start or the last reset; only the server's event loop touches them."""

    def __init__(self) -> None:
        self.serving = 0
        self.waiting = 0
        self.reset()

    def reset(self) -> None:
        """Start anew; requests in flight stay in flight."""
        self.requests: Counter[str] = Counter()
        self.answered: Counter[str] = Counter()
        self.computing_s: dict[str, float] = {}
        self.faults: Counter[str] = Counter()
        self.full = 0
        self.bad_requests = 0
        self.tokens_in = 0
        self.tokens_out = 0
        self.peak = self.serving
        self.peak_waiting = self.waiting

    def begin(self) -> None:
        """A request's turn has come."""
        self.serving += 1
        self.peak = max(self.peak, self.serving)

    def end(self) -> None:
        """It is over."""
        self.serving -= 1

    def wait(self) -> None:
        """A request waits for its turn."""
        self.waiting += 1
        self.peak_waiting = max(self.peak_waiting, self.waiting)

    def stop_waiting(self) -> None:
        """It waits no longer."""
        self.waiting -= 1

    def computed(self, role: str, seconds: float) -> None:
        """A role took its time."""
        self.computing_s[role] = self.computing_s.get(role, 0.0) + seconds

    def answer(self, role: str, tokens_in: int, tokens_out: int) -> None:
        """An answer with status 200 goes out, spoiled or not."""
        self.answered[role] += 1
        self.tokens_in += tokens_in
        self.tokens_out += tokens_out

    def to_json(self) -> dict[str, Any]:
        """The counts; roles and faults that did not occur are left out.

        ``requests``: well-formed requests by role. ``answered``: those answered with status 200, by
        role. ``faults``: injected faults by kind. ``full``: requests turned away beyond the
        capacity. ``bad_requests``: requests refused for what they hold. ``tokens_in``,
        ``tokens_out``: sums of the ``usage`` of the answers. ``serving``, ``waiting``: now;
        ``peak``, ``peak_waiting``: at most at a time. ``computing_s``: seconds that the roles
        themselves took, by role.
        """
        return {
            "requests": dict(sorted(self.requests.items())),
            "answered": dict(sorted(self.answered.items())),
            "faults": {kind: self.faults[kind] for kind in FAULTS if self.faults[kind]},
            "full": self.full,
            "bad_requests": self.bad_requests,
            "tokens_in": self.tokens_in,
            "tokens_out": self.tokens_out,
            "serving": self.serving,
            "waiting": self.waiting,
            "peak": self.peak,
            "peak_waiting": self.peak_waiting,
            "computing_s": {k: round(s, 6) for k, s in sorted(self.computing_s.items())},
        }
