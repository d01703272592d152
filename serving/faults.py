"""Faults on purpose: which request meets which, decided in order of arrival.

=============  ===================================================================================
rate_limit     429 with Retry-After, at once
auth           401, at once
overflow       400 with code ``context_length_exceeded``, at once
no_model       404 with code ``model_not_found``, at once
hang           no answer until the client goes away; it takes no part of the capacity
server_error   500, after the latency
drop           the connection is closed in the middle of an answer, after the latency
broken_json    content without its first colon: no JSON, and no beginning of any
truncated      first half of the content, ``finish_reason`` "length"
empty          content ""
refusal        no content, ``message.refusal`` set
=============  ===================================================================================

The last four are answers of chat models; an embeddings request that draws one is answered well, and
the fault is not counted.
"""

from __future__ import annotations

import random
from collections.abc import Mapping, Sequence
from typing import NamedTuple

AT_ONCE = ("rate_limit", "auth", "overflow", "no_model")
CONTENT = ("broken_json", "truncated", "empty", "refusal")
FAULTS = (*AT_ONCE, "hang", "server_error", "drop", *CONTENT)
"""Every kind, in the order of reports."""

COUNTED_AS = {
    "rate_limit": "rate_limit",
    "server_error": "server_error",
    "hang": "timeout",
    "drop": "connection",
    "broken_json": "malformed",
    "truncated": "truncated",
    "empty": "empty",
    "refusal": "refusal",
}
"""What a client counts a fault as (``language.llm.usage.FAULTS``); the others end its run or its
dialogue."""


class Draw(NamedTuple):
    """What one request meets.

    Attributes:
        fault: One of :data:`FAULTS`, or an empty text.
        wobble: Uniform in [-1, 1): where in the latency's spread the request lies.
    """

    fault: str
    wobble: float


class FaultPlan:
    """Draws faults from a generator of its own: the k-th request meets the k-th draw.

    Args:
        faults: Probability of each kind.
        script: Kinds of the first requests, empty texts for none.
        seed: Of the generator.
    """

    def __init__(self, faults: Mapping[str, float], script: Sequence[str], seed: int) -> None:
        self._random = random.Random(seed)
        self._script = list(reversed(script))
        self._limits: list[tuple[float, str]] = []
        total = 0.0
        for kind in FAULTS:
            total += faults.get(kind, 0.0)
            if faults.get(kind, 0.0) > 0:
                # Sums such as 0.7 + 0.2 + 0.1 end just below 1, and must leave nothing over.
                self._limits.append((1.0 if total > 1 - 1e-9 else total, kind))

    def draw(self) -> Draw:
        """The next request's lot; two numbers are drawn whatever it is."""
        chance, wobble = self._random.random(), 2.0 * self._random.random() - 1.0
        if self._script:
            return Draw(self._script.pop(), wobble)
        for limit, kind in self._limits:
            if chance < limit:
                return Draw(kind, wobble)
        return Draw("", wobble)


def spoil(fault: str, content: str) -> tuple[str | None, str | None, str]:
    """What a fault of :data:`CONTENT` makes of an answer; other kinds leave it as it is.

    Args:
        fault: The kind.
        content: A JSON object with at least one key, the first of plain letters.

    Returns:
        ``(content, refusal, finish_reason)`` of the answer.
    """
    if fault == "broken_json":
        return content.replace('":', '"', 1), None, "stop"
    if fault == "truncated":
        return content[: len(content) // 2], None, "length"
    if fault == "empty":
        return "", None, "stop"
    if fault == "refusal":
        return None, "I cannot help with that.", "stop"
    return content, None, "stop"
