"""The error of comparisons that cannot be made."""

from __future__ import annotations

from evaluation.plaintext import one_line


class ComparisonError(ValueError):
    """Runs that cannot be compared; the message, one line, says why and what to do.

    Names in it may come from anybody: nothing of them steers a terminal.
    """

    def __init__(self, message: str) -> None:
        super().__init__(one_line(message))
