"""What runs and their directories are called."""

from __future__ import annotations

import re
from collections.abc import Mapping
from datetime import datetime
from pathlib import Path
from typing import Any

from conf.environments import OWN
from conf.run_errors import RunError

RUNS = Path("runs")
_LONGEST = 100


def method_name(config: Mapping[str, Any]) -> str:
    """The method's name in comparisons: ``label``, else the planner's.

    Raises:
        RunError: ``label`` is no text, or empty.
    """
    label = config.get("label")
    if label is None:
        return str(config["planner"]["name"])
    if not isinstance(label, str) or not label.strip():
        raise RunError(f"label must be a text that names the method, not {label!r}")
    return label


def environment_label(config: Mapping[str, Any]) -> str:
    """The group's name; for an environment of others, its id."""
    env = config["env"]
    return str(env["name"] if str(env["id"]).startswith(OWN) else env["id"])


def directory_name(*parts: object) -> str:
    """Parts joined by dashes, as one name that every file system and command line takes."""
    text = "-".join(str(part) for part in parts)
    return re.sub(r"[^\w.]+", "-", text, flags=re.ASCII).strip("-.")[:_LONGEST] or "run"


def new_directory(*parts: object) -> Path:
    """A directory below ``runs/`` that is not there yet: the parts, date and time."""
    stem = directory_name(*parts, f"{datetime.now():%Y%m%d-%H%M%S}")
    path, number = RUNS / stem, 1
    while path.exists():
        number += 1
        path = RUNS / f"{stem}-{number}"
    return path
