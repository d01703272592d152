"""Success by persona and by goal: means hide whom a policy fails (dreams §A.9)."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TypeVar

from evaluation.recommendation import succeeded
from evaluation.records import Record

Key = TypeVar("Key", str, int)


@dataclass(frozen=True, slots=True)
class GroupSuccess:
    """Successes of one group of dialogues.

    Attributes:
        successes: Dialogues in which a target was offered.
        episodes: All dialogues of the group, at least 1.
    """

    successes: int
    episodes: int

    @property
    def rate(self) -> float:
        """Success rate in [0, 1]."""
        return self.successes / self.episodes


def by_persona(records: Sequence[Record]) -> dict[str, GroupSuccess]:
    """Success of each persona, by name in alphabetical order."""
    return _grouped(records, lambda record: str(record["persona"]))


def by_goal(records: Sequence[Record]) -> dict[int, GroupSuccess]:
    """Success of each goal, by its number in the split (goals given by hand have none)."""
    numbered = [record for record in records if record["goal_index"] is not None]
    return _grouped(numbered, lambda record: int(record["goal_index"]))


def _grouped(records: Sequence[Record], key: Callable[[Record], Key]) -> dict[Key, GroupSuccess]:
    groups: dict[Key, list[bool]] = {}
    for record in records:
        groups.setdefault(key(record), []).append(succeeded(record))
    return {name: GroupSuccess(sum(groups[name]), len(groups[name])) for name in sorted(groups)}
