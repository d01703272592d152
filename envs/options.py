"""Options of ``reset``."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from catalogs.goals import SPLITS
from catalogs.nearest import nearest_hint

NAMES = ("episode", "split", "goal", "persona")


@dataclass(frozen=True, slots=True)
class ResetOptions:
    """Checked options; None where the environment decides."""

    episode: int | None = None
    split: str | None = None
    goal: Mapping[str, Any] | None = None
    persona: str | None = None


_DEFAULTS = ResetOptions()


def parse_options(options: Mapping[str, Any] | None) -> ResetOptions:
    """Check the options of ``reset``.

    Raises:
        ValueError: An unknown option (the nearest right one is named) or a value of the wrong type.
    """
    if not options:
        return _DEFAULTS
    if not isinstance(options, Mapping):
        raise ValueError(f"reset options must be a mapping, not {options!r}")
    for name in options:
        if name not in NAMES:
            hint = nearest_hint(name, NAMES)
            raise ValueError(f"reset has no option {name!r}{hint} (options: {', '.join(NAMES)})")
    chosen = ResetOptions(**options)
    episode = options.get("episode")
    if episode is not None and (not isinstance(episode, int) or not 0 <= episode < 1 << 32):
        raise ValueError(
            f"reset option 'episode' must be a whole number from 0 to 2**32 - 1, not {episode!r}"
        )
    if chosen.split is not None and chosen.split not in SPLITS:
        raise ValueError(
            f"reset option 'split' must be one of {', '.join(SPLITS)}, not {chosen.split!r}"
        )
    if chosen.goal is not None and not isinstance(chosen.goal, Mapping):
        raise ValueError(
            f"reset option 'goal' must map facet names to lists of values, not {chosen.goal!r}"
        )
    for facet, values in (chosen.goal or {}).items():
        listed = isinstance(values, Sequence) and not isinstance(values, str)
        if not listed or not all(isinstance(value, str) for value in values):
            raise ValueError(
                f"reset option 'goal': {facet!r} must be a list of values, not {values!r}"
            )
    return chosen
