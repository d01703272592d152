"""The environment of a run: opened, asked how much there is to do, and told of."""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from rich.console import Console

from catalogs.domain import DomainError
from catalogs.rows import CatalogError
from conf.environments import make_env
from conf.kinds import count_prefixes, is_prefixes
from conf.run_errors import RunError

MOST = 1_000_000
"""Episodes of a run at most: their numbers are listed, and more are a slip of the keyboard."""


def open_env(config: dict[str, Any]) -> Any:
    """The environment of a run.

    Raises:
        RunError: A setting of it is wrong.
        Exception: Its items, or their domain, cannot be used.
    """
    data_dir = config["data"]["dir"]
    if data_dir is not None and not Path(str(data_dir)).expanduser().is_dir():
        raise RunError(
            f"data.dir={data_dir} does not exist; leave it out to use CRS_DATA or the bundled items"
        )
    try:
        return make_env(config)
    except (ValueError, TypeError) as error:
        if isinstance(error, CatalogError | DomainError):
            raise
        raise RunError(str(error)) from error


def episode_count(config: Mapping[str, Any], env: Any) -> int:
    """Number of episodes that a run holds.

    Raises:
        RunError: ``episodes`` is no count, or there are no goals.
    """
    if config["episodes"] is not None:
        count = config["episodes"]
        if not isinstance(count, int) or isinstance(count, bool) or count < 1:
            raise RunError(f"episodes must be a whole number of at least 1, not {count!r}")
        if count > MOST:
            raise RunError(f"episodes must be at most {MOST}, not {count}")
        return count_prefixes(config, env) if is_prefixes(config) else count
    if is_prefixes(config):
        return count_prefixes(config, env)
    world = getattr(env.unwrapped, "world", None)
    if world is None:
        return 100
    goals = len(world.splits.of(config["split"]))
    if not goals:
        raise RunError(
            f"{world.catalog.source} has no {config['split']} goals; choose another split"
        )
    return goals * len(world.personas)


def announce(console: Console, env: Any, what: str) -> None:
    """Tell what a run is about to hold, and over which items."""
    world = getattr(env.unwrapped, "world", None)
    if world is None:
        console.print(what.replace("dialogues", "episodes"), markup=False)
        return
    from catalogs.location import data_root
    from catalogs.sources import describe

    console.print(f"{describe(world.catalog)}; {world.splits.note}; {what}", markup=False)
    asked_for = os.environ.get("CRS_DATA", "").strip()
    if asked_for and not data_root().is_dir():
        console.print(f"Note: CRS_DATA={asked_for} does not exist.", markup=False)
