"""Random streams: everything random is drawn from ``SeedSequence([seed, episode, role, ...])``.

A stream is a table of uniform numbers computed once per dialogue and role. Turn t reads its own
row, so the state of a stream is two counters, copies cost nothing, and a replay of turn t draws the
same numbers whatever was drawn in the turns before.
"""

from __future__ import annotations

from collections.abc import Sequence
from enum import IntEnum
from typing import Protocol, TypeVar

import numpy as np

T = TypeVar("T")
ROW = 16
"""Uniform numbers prepared per turn; a turn that needs more draws from an extension of its row."""


class Role(IntEnum):
    """Who draws; part of a stream's key, so roles never share numbers."""

    USER = 0
    SEEN = 1
    POLICY = 2
    TEXT = 3
    SPACE = 4


class Uniform(Protocol):
    """What users and searches draw from; ``random.Random`` satisfies it."""

    def random(self) -> float:
        """A number in [0, 1)."""
        ...


def bit_generator(*key: int) -> np.random.PCG64:
    """A bit generator seeded by ``SeedSequence(key)``; the key's numbers are non-negative.

    Keys of 32-bit numbers are handed over as an array, which NumPy hashes to the same state in half
    the time: every reset pays it.
    """
    if max(key) < 1 << 32 and min(key) >= 0:
        return np.random.PCG64(np.random.SeedSequence(np.array(key, dtype=np.uint32)))
    return np.random.PCG64(np.random.SeedSequence(key))


class Stream:
    """Uniform numbers of one role in one dialogue.

    Args:
        seed: Run seed, non-negative.
        episode: Episode number, non-negative.
        role: Who draws.
        turns: Number of rows to prepare (turn 0 is the opening).
    """

    __slots__ = ("_key", "_row", "_table", "_turn", "_turns", "position")

    def __init__(self, seed: int, episode: int, role: Role, turns: int) -> None:
        self._key = (seed, episode, int(role))
        self._turns = turns
        generator = np.random.Generator(bit_generator(*self._key))
        self._table = generator.random((turns, ROW))
        self.start(0)

    def start(self, turn: int) -> None:
        """Move to the first number of a turn's row."""
        if turn >= self._turns:
            raise ValueError(
                f"turn {turn} of a stream prepared for {self._turns} turns; raise max_turns"
            )
        self._turn = turn
        self._row: list[float] = self._table[turn].tolist()
        self.position = 0

    def random(self) -> float:
        """The next number in [0, 1) of the current turn."""
        position = self.position
        self.position = position + 1
        if position < ROW:
            return self._row[position]
        return self._extension(position - ROW)

    def _extension(self, offset: int) -> float:
        key = (*self._key, self._turn, offset // ROW)
        generator = np.random.Generator(bit_generator(*key))
        return float(generator.random(ROW)[offset % ROW])

    def tell(self) -> tuple[int, int]:
        """The counters (turn, numbers drawn in it); give them to :meth:`seek`."""
        return self._turn, self.position

    def seek(self, counters: tuple[int, int]) -> None:
        """Return to counters from :meth:`tell`."""
        turn, drawn = counters
        self.start(turn)
        self.position = drawn


def generator(seed: int, episode: int, role: Role, turn: int) -> np.random.Generator:
    """A NumPy generator for one decision: policies get one per turn, whatever they drew before."""
    key = (seed, episode, int(role), turn)
    return np.random.Generator(bit_generator(*key))


def pick(stream: Uniform, options: Sequence[T]) -> T:
    """One of the options, uniformly; IndexError when there is none."""
    return options[int(stream.random() * len(options))]
