"""Dreams knows the public side only."""

import ast
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from envs.crs import CRSEnv
from planners.dreams import Dreams
from planners.dreams_settings import DreamsSettings
from planners.prior_only import PriorOnly
from tests.replay import record_dialogue, replayed_decisions

ROOT = Path(__file__).resolve().parents[2]
FAST = DreamsSettings(n_el=12, goals=20, trace=True)
POLICIES: dict[str, Callable[[], Any]] = {
    "learned": lambda: Dreams(FAST),
    "generic": lambda: Dreams(replace(FAST, user_model="generic")),
    "prior_only": PriorOnly,
}
SECRET = {"simulators.personas", "catalogs.goals"}
LEARNS = {"planners/learn_profiles.py"}
"""May open an environment, as it learns from dialogues with one; it reads their views."""


@pytest.mark.parametrize("channel", ["acts", "text"])
@pytest.mark.parametrize("name", POLICIES)
def test_another_goal_with_the_same_replies_changes_nothing(
    name: str, channel: str, no_data: str
) -> None:
    """Both runs decide in ``conversation.sealed()``, where reading the hidden side raises."""
    env = CRSEnv("redial", channel=channel, split="test", data_dir=no_data)  # type: ignore[arg-type]
    for episode in range(5):
        recorded = record_dialogue(POLICIES[name], env, seed=2, episode=episode)
        assert replayed_decisions(POLICIES[name], env, recorded) == recorded.decisions


def modules(path: Path) -> set[str]:
    """Modules that a file imports, names taken out of packages included."""
    found: set[str] = set()
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            found |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom) and node.module:
            found |= {node.module, *(f"{node.module}.{alias.name}" for alias in node.names)}
    return found


FILES = [*sorted((ROOT / "planners").rglob("*.py")), ROOT / "simulators" / "imagined.py"]


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.name)
def test_planners_do_not_import_what_is_secret(path: Path) -> None:
    """Preference groups, the split goals, the persona table; nor environments, which hold them."""
    found = modules(path)
    assert not found & SECRET
    holders = {"envs.crs", "envs.world", "envs.worlds"}
    if str(path.relative_to(ROOT)) not in LEARNS:
        assert not found & holders


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.name)
def test_planners_do_not_name_the_files_of_secrets(path: Path) -> None:
    text = path.read_text(encoding="utf-8")
    assert "personas.yaml" not in text
    assert "groups/" not in text
