"""A person in tests: a script that is read aloud, and what was shown."""

from collections.abc import Iterable

from simulators.console import NOTE, SYSTEM


class Script:
    """A console with the lines of a person; EOFError when they are read."""

    def __init__(self, lines: Iterable[str]) -> None:
        self._lines = iter(lines)
        self.shown: list[tuple[str, str]] = []

    def tell(self, speaker: str, text: str) -> None:
        """Keep what is shown."""
        self.shown.append((speaker, text))

    def ask(self) -> str:
        """The next line."""
        try:
            return next(self._lines)
        except StopIteration:
            raise EOFError from None

    def said(self, speaker: str = NOTE) -> str:
        """Everything that a speaker said so far."""
        return "\n".join(text for who, text in self.shown if who == speaker)

    @property
    def system(self) -> list[str]:
        """The system's lines."""
        return [text for who, text in self.shown if who == SYSTEM]
