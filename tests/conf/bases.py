"""Small experience bases for tests."""

from pathlib import Path
from typing import Any

from tests.command_line import composed

FEW = ("planner=dreams_ea", "env=redial", "logger=none")
SMALL = {"users": 3, "n_el": 3}


def configured(folder: Path, **changes: Any) -> dict[str, Any]:
    config = composed(*FEW)
    config["experience"] |= SMALL | {"dir": str(folder)} | changes
    config["workers"] = 1
    return config
