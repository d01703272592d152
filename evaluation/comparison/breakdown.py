"""Success of each method by persona and by goal: means hide whom a method fails."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

from evaluation.comparison.comparing import Comparison
from evaluation.comparison.run import Dialogue

Rate = tuple[float, int]
"""Success rate and number of dialogues."""


class Breakdown(NamedTuple):
    """Success rates of methods in groups of dialogues.

    Attributes:
        kind: ``persona`` or ``goal``.
        methods: Names, in the order of the comparison.
        groups: Names of the groups, in order.
        rates: By method and group; None where the method has no dialogue of the group.
    """

    kind: str
    methods: tuple[str, ...]
    groups: tuple[str, ...]
    rates: tuple[tuple[Rate | None, ...], ...]


def by_persona(comparison: Comparison) -> Breakdown:
    """Success by persona, in alphabetical order."""
    return _broken_down(comparison, "persona", lambda d: d.persona, str)


def by_goal(comparison: Comparison) -> Breakdown:
    """Success by goal (a preference group), by its number in the split."""
    return _broken_down(comparison, "goal", lambda d: d.goal, lambda goal: f"{int(goal):06d}")


def _broken_down(
    comparison: Comparison,
    kind: str,
    group: Callable[[Dialogue], str | int | None],
    order: Callable[[str | int], str],
) -> Breakdown:
    methods = [m for m in comparison.methods if any(group(d) is not None for d in m.dialogues)]
    found = {group(d) for m in methods for d in m.dialogues} - {None}
    groups = sorted((g for g in found if g is not None), key=order)
    rates = tuple(
        tuple(_rate([d for d in m.dialogues if group(d) == g]) for g in groups) for m in methods
    )
    return Breakdown(kind, tuple(m.name for m in methods), tuple(map(str, groups)), rates)


def _rate(dialogues: list[Dialogue]) -> Rate | None:
    if not dialogues:
        return None
    return sum(bool(d.success) for d in dialogues) / len(dialogues), len(dialogues)
