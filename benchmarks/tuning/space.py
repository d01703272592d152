"""What may be tuned, and the settings that are tried."""

from __future__ import annotations

import math
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
import yaml

from benchmarks.tuning.errors import TuningError
from catalogs.nearest import nearest_hint

SPACES = Path(__file__).parent / "spaces"
MOVED = 3
"""Constants that a draw changes at most."""

_LARGEST = 2**62
"""Combinations of a space that can be numbered."""

Space = dict[str, list[Any]]
"""By dotted key of the configuration, the values to try."""

Settings = dict[str, Any]
"""By dotted key of the configuration, a value."""


def read_space(planner: str, folder: Path = SPACES) -> Space:
    """The space of a planner.

    Raises:
        TuningError: There is none, or the file is malformed; the message names the entry.
    """
    path = folder / f"{planner}.yaml"
    if not path.exists():
        known = sorted(found.stem for found in folder.glob("*.yaml"))
        raise TuningError(
            f"planner={planner} has nothing to tune: no {path}{nearest_hint(planner, known)} "
            f"(there are {', '.join(known) or 'none'})"
        )
    raw = yaml.safe_load(path.read_text(encoding="utf-8"))
    if not isinstance(raw, dict) or not raw:
        raise TuningError(f"{path} must map keys (planner.KEY) to lists of values")
    for key, values in raw.items():
        if not str(key).startswith("planner."):
            raise TuningError(f"{path}: {key!r} must be a planner's constant, planner.KEY")
        if not isinstance(values, list) or not values:
            raise TuningError(f"{path}: {key} must list the values to try, not {values!r}")
    if math.prod(map(len, raw.values())) > _LARGEST:
        raise TuningError(f"{path}: too many combinations to number; list fewer values")
    return raw


def value_at(config: Mapping[str, Any], key: str) -> Any:
    """The value of a dotted key.

    Raises:
        TuningError: The configuration has no such key.
    """
    found: Any = config
    for part in key.split("."):
        if not isinstance(found, Mapping) or part not in found:
            raise TuningError(f"{SPACES} names {key}, which the configuration lacks")
        found = found[part]
    return found


def changed(config: dict[str, Any], settings: Mapping[str, Any]) -> dict[str, Any]:
    """The configuration with other values at dotted keys; the given one stays as it is."""
    result = dict(config)
    for key, value in settings.items():
        value_at(config, key)
        *groups, last = key.split(".")
        place = result
        for group in groups:
            place[group] = dict(place[group])
            place = place[group]
        place[last] = value
    return result


def candidates(
    config: Mapping[str, Any], space: Mapping[str, list[Any]], trials: int, seed: int
) -> list[Settings]:
    """The settings to try, by number: trial 0 has the present values, the rest is drawn.

    A draw changes at most :data:`MOVED` of the constants. Defaults are no accident, and a draw that
    changes a dozen of them at once is nearly always worse.

    Args:
        config: The composed configuration.
        space: What may vary.
        trials: Settings to draw, at least 1; fewer come out where draws are equal.
        seed: Of the draw; the same seed and number of trials draw the same settings.

    Raises:
        TuningError: The configuration lacks a key of the space.
    """
    from sklearn.model_selection import ParameterSampler

    defaults = {key: value_at(config, key) for key in space}
    count = min(trials, math.prod(map(len, space.values())))
    places = {key: list(range(len(values))) for key, values in space.items()}
    rng = np.random.default_rng(seed)
    found = [defaults]
    for drawn in ParameterSampler(places, count, random_state=seed):
        moved = {list(space)[i] for i in rng.permutation(len(space))[:MOVED]}
        settings = {
            key: values[drawn[key]] if key in moved else defaults[key]
            for key, values in space.items()
        }
        if settings not in found:
            found.append(settings)
    return found
