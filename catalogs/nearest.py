"""Answering a wrong name with the right ones that look most like it."""

from __future__ import annotations

import difflib
from collections.abc import Iterable


def nearest_names(
    word: object, known: Iterable[str], count: int = 1, cutoff: float = 0.6
) -> list[str]:
    """The known names most like a word, nearest first.

    Args:
        word: What was given.
        known: What there is.
        count: Number of names at most.
        cutoff: Likeness in [0, 1] below which a name is left out (1: only the word itself).
    """
    return difflib.get_close_matches(str(word), list(known), count, cutoff)


def nearest_hint(word: object, known: Iterable[str], count: int = 1, cutoff: float = 0.6) -> str:
    """The end of an error message: ``; did you mean 'a' or 'b'?``, or nothing if none is near.

    Arguments are those of :func:`nearest_names`.
    """
    near = nearest_names(word, known, count, cutoff)
    return f"; did you mean {' or '.join(map(repr, near))}?" if near else ""
