"""What follows an offer that was turned down: a rule for methods that keep no state."""

from __future__ import annotations

from typing import Literal

from baselines.heard import Rejection
from baselines.steps import Shape

Next = Literal["ask", "recommend"]


class FailureRules(Shape):
    """What to do next.

    Attributes:
        after_reason: After a complaint about a facet.
        after_blind: After a rejection without a reason.
        after_seen: After an item that the user has seen.
    """

    after_reason: Next
    after_blind: Next
    after_seen: Next

    def next(self, failed: Rejection) -> Next:
        """What follows a rejection."""
        if failed.seen:
            return self.after_seen
        return self.after_blind if failed.facet < 0 else self.after_reason
