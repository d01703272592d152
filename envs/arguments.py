"""Checking what an environment is made with."""

from __future__ import annotations

from catalogs.goals import SPLITS
from simulators.console import Console, Terminal


def check_arguments(
    channel: object, split: object, order: object, max_turns: object, render_mode: object
) -> None:
    """Raise a ValueError that says which argument of ``CRSEnv`` is wrong."""
    if channel not in ("text", "acts"):
        raise ValueError(f"channel must be 'text' or 'acts', not {channel!r}")
    if split not in SPLITS:
        raise ValueError(f"split must be one of {', '.join(SPLITS)}, not {split!r}")
    if order not in ("random", "sequential"):
        raise ValueError(f"order must be 'random' or 'sequential', not {order!r}")
    if not isinstance(max_turns, int) or not 1 <= max_turns <= 200:
        raise ValueError(f"max_turns must be a whole number from 1 to 200, not {max_turns!r}")
    if render_mode not in (None, "ansi", "human"):
        raise ValueError(f"render_mode must be None, 'ansi' or 'human', not {render_mode!r}")


def console_of(simulator: object, channel: str) -> Console | None:
    """Where a person plays the user; None for simulated users.

    Raises:
        ValueError: ``simulator`` is nothing that plays a user, or ``channel`` has no text.
    """
    if simulator == "embedded":
        return None
    if simulator != "human" and not isinstance(simulator, Console):
        raise ValueError(
            f"simulator must be 'embedded', 'human' or a console with tell and ask "
            f"(simulators.console.Console), not {simulator!r}"
        )
    if channel != "text":
        raise ValueError(
            f"a person (simulator) speaks in text: channel must be 'text', not {channel!r}"
        )
    return simulator if isinstance(simulator, Console) else Terminal()
