"""What can end a dialogue, or a whole run, that depends on a language model.

Everything else (a bad answer, a refusal) is repaired or falls back to the embedded role, counted.
"""

from __future__ import annotations


class ModelError(RuntimeError):
    """A language model could not do its part; the message names the role, the place, the remedy."""


class RunStopped(ModelError):  # noqa: N818 - named for what happens, not for what is wrong
    """Nothing that follows can work either, or may be paid for: the run stops, finished parts kept.

    Raised for refused keys, budgets that are spent, replays that lack an answer, endpoints that do
    not have the model.
    """


class DialogueFailed(ModelError):  # noqa: N818
    """This dialogue cannot go on; others may.

    Attributes:
        reason: What happened in one word, as records name it: ``context_overflow``,
            ``unreachable`` (retries are used up), ``rejected`` (the endpoint refuses the request).
    """

    def __init__(self, message: str, reason: str) -> None:
        super().__init__(message)
        self.reason = reason
