"""Dialogues that could not go on for want of a language model: recorded, counted, left out.

Such a dialogue is no rejection by the user. Its record has ``"outcome": "failed"`` and
``"failure": {"reason", "message"}``; no rate and no mean counts it, in numerator or denominator.
The record's message is the same wherever the run was made. What the endpoint said, and where it
was, is ``failure_message`` in the line of ``timings.jsonl``.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any

from evaluation.records import SCHEMA, Record, Timing
from language.llm.errors import DialogueFailed

FAILED = "failed"
UNREACHABLE = "unreachable"
IN_A_RUN = {
    UNREACHABLE: "a model could not be reached",
    "rejected": "an endpoint rejects what it is asked",
}
"""Reasons that lie with an endpoint or how it is asked, not with the dialogue, in words."""
IN_A_ROW = 3
"""Dialogues in a row that fail for such reasons, after which a run stops."""

MESSAGES = {
    "context_overflow": "the dialogue became longer than the model's context",
    UNREACHABLE: "the model could not be reached",
    "rejected": "the endpoint rejected a request",
}
"""By reason, what records say."""


def is_failed(record: Mapping[str, Any]) -> bool:
    """Whether a dialogue failed, and so counts nowhere."""
    return record.get("outcome") == FAILED


def is_unreached(record: Mapping[str, Any]) -> bool:
    """Whether a dialogue failed because of the endpoint, and may succeed another time."""
    return is_failed(record) and record["failure"]["reason"] in IN_A_RUN


def settled(records: Sequence[Record]) -> int:
    """Number of records that a resumed run keeps: those up to the last that was not unreached."""
    count = len(records)
    while count and is_unreached(records[count - 1]):
        count -= 1
    return count


def counted(records: Sequence[Record]) -> list[Record]:
    """The records that rates and means are taken over."""
    return [record for record in records if not is_failed(record)]


def failed_dialogue(record: Record, error: DialogueFailed) -> Record:
    """The record of a dialogue so far, marked as failed."""
    return record | _marks(error)


def unopened_dialogue(key: Mapping[str, Any], error: DialogueFailed) -> Record:
    """The record of a dialogue whose opening failed already: who the user is, nothing tells.

    Args:
        key: Episode, seed and split.
        error: Why.
    """
    return {
        "schema": SCHEMA,
        **key,
        "goal_index": None,
        "goal": None,
        "persona": None,
        "targets": [],
        "opening": {"user": "", "said": [], "heard": []},
        "turns": [],
        "n_turns": 0,
        "return": 0.0,
        **_marks(error),
    }


def failed_episode(key: Mapping[str, Any], length: int, error: DialogueFailed) -> Record:
    """The record of an episode that is no dialogue (see ``Session``) but asked a model."""
    return {"schema": SCHEMA, **key, "return": 0.0, "length": length, **_marks(error)}


def failure_counts(records: Sequence[Record]) -> dict[str, int]:
    """``failed_dialogues``, and ``failed/<reason>`` for each reason that was met."""
    reasons = Counter(str(record["failure"]["reason"]) for record in records if is_failed(record))
    found = {"failed_dialogues": reasons.total()}
    return found | {f"failed/{reason}": reasons[reason] for reason in sorted(reasons)}


def failure_line(summary: Mapping[str, Any]) -> str | None:
    """One plain line about the failed dialogues of a summary, None when there are none."""
    failed = summary.get("failed_dialogues", 0)
    if not failed:
        return None
    reasons = ", ".join(
        f"{key.removeprefix('failed/')} {count}"
        for key, count in summary.items()
        if key.startswith("failed/")
    )
    return (
        f"{failed} of {summary['episodes']} dialogues failed ({reasons}); they are left out of "
        f"every rate and mean."
    )


class Outage:
    """Watches finished dialogues, in order, for an endpoint that answers none at all."""

    def __init__(self) -> None:
        self._in_a_row = 0

    def met(self, record: Record, timing: Timing) -> str | None:
        """What to tell the user when this dialogue is one too many, else None."""
        self._in_a_row = self._in_a_row + 1 if is_unreached(record) else 0
        if self._in_a_row < IN_A_ROW:
            return None
        why = IN_A_RUN[record["failure"]["reason"]]
        return (
            f"{IN_A_ROW} dialogues in a row failed because {why}; the last (episode "
            f"{record['episode']}): {timing['failure_message']}. They are recorded as failed; "
            f"check the endpoint, then resume=true holds them again"
        )


def failure_messages(timings: Sequence[Timing]) -> list[str]:
    """What the first failed dialogues were told, each message once, three at most."""
    told = (timing["failure_message"] for timing in timings if timing.get("failure_message"))
    return list(dict.fromkeys(told))[:3]


def _marks(error: DialogueFailed) -> Record:
    message = MESSAGES.get(error.reason, "a model could not do its part")
    failure = {"reason": error.reason, "message": message}
    return {"outcome": FAILED, "success": False, "failure": failure}
