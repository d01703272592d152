"""Where a person reads and writes: the protocol of front ends, and the terminal."""

from __future__ import annotations

import sys
import unicodedata
from contextlib import suppress
from io import UnsupportedOperation
from typing import Protocol, runtime_checkable

LIMIT = 2000
"""Characters of one line that are shown or heard."""

SYSTEM = "system"
NOTE = "note"


@runtime_checkable
class Console(Protocol):
    """A front end for a person who plays the user; the terminal is one.

    Texts given to it hold no control characters and no line ends.
    """

    def tell(self, speaker: str, text: str) -> None:
        """Show one line: of the ``system`` that is talked to, or a ``note`` about the rules."""
        ...

    def ask(self) -> str:
        """The person's next line.

        Raises:
            EOFError: There will be no more.
        """
        ...


class Terminal:
    """Standard input and output, a terminal or not."""

    def tell(self, speaker: str, text: str) -> None:
        """Print a line; what the output's encoding lacks becomes a question mark."""
        lead = "system: " if speaker == SYSTEM else "  "
        known = sys.stdout.encoding or "utf-8"
        sys.stdout.write((lead + text + "\n").encode(known, "replace").decode(known))
        sys.stdout.flush()

    def ask(self) -> str:
        """A line of standard input; EOFError at its end."""
        if hasattr(sys.stdin, "reconfigure"):
            with suppress(UnsupportedOperation):  # from the second line on: it is done
                sys.stdin.reconfigure(errors="replace")  # a line that is no text ends nothing
        if not sys.stdin.isatty():
            return self._read()
        with suppress(ImportError):  # Windows has none
            import readline  # noqa: F401 - input() then edits lines and remembers them
        return input("you> ")

    def _read(self) -> str:
        line = sys.stdin.readline()
        if not line:
            raise EOFError
        return line


def one_line(text: str) -> str:
    """A text as one line in which nothing steers a terminal, cut at :data:`LIMIT`.

    Control and format characters, direction overrides among them, become spaces.
    """
    text = text[: 2 * LIMIT]
    spaced = "".join(" " if unicodedata.category(c)[0] == "C" else c for c in text)
    clean = " ".join(spaced.split())
    return clean if len(clean) <= LIMIT else clean[: LIMIT - 1] + "…"
