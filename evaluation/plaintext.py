"""Text from a catalogue or a dialogue, made safe for one line of a terminal or a curve's panel."""

from __future__ import annotations

import unicodedata

# Controls, invisible formatting (bidirectional overrides among it), halves of characters,
# unassigned ones, and the separators that some programs take for line ends.
_UNSAFE = frozenset({"Cc", "Cf", "Cs", "Cn", "Co", "Zl", "Zp"})


def one_line(text: str, limit: int = 0) -> str:
    r"""A text on one line in which nothing steers a terminal.

    Control characters, line ends, bidirectional overrides and lone surrogates become visible
    escapes (``\n``, ``\u202e``); letters of every script and emoji stay.

    Args:
        text: Any text.
        limit: Longest result in characters, cut with an ellipsis; 0 for no limit.
    """
    if limit:
        text = text[: limit + 1]  # what follows cannot be shown, however long it is
    safe = "".join(_escaped(c) if unicodedata.category(c) in _UNSAFE else c for c in text)
    if limit and len(safe) > limit:
        return safe[: limit - 1] + "…"
    return safe


def _escaped(character: str) -> str:
    if character == "\u200d":
        return character  # joins emoji
    return character.encode("unicode_escape").decode("ascii")
