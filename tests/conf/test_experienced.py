"""Settings of the planners that learn from experience."""

from typing import Any

import pytest
import yaml

from conf.experienced import ea_settings
from conf.overrides import CONF_DIR
from planners.experience import EASettings

CONSTANTS = yaml.safe_load((CONF_DIR / "planner" / "dreams_ea.yaml").read_text(encoding="utf-8"))
OTHER: dict[str, Any] = {
    "user_model": "generic", "trace": True, "rerank": False, "diversity": 0.5,
}  # fmt: skip


@pytest.mark.parametrize("key", [key for key in CONSTANTS if key not in ("name", "parallel")])
def test_every_constant_reaches_the_planner(key: str) -> None:
    before = ea_settings(CONSTANTS)
    assert before == EASettings()
    value = CONSTANTS[key]
    changes = [OTHER[key] if key in OTHER else value + 1] if not isinstance(value, dict) else [
        value | {one: number + (1 if isinstance(number, int) else 0.5)}
        for one, number in value.items()
    ]  # fmt: skip
    for change in changes:
        assert ea_settings(CONSTANTS | {key: change}) != before


@pytest.mark.parametrize(("key", "value"), [("n_ex", -1), ("goals", 0), ("goals", "many")])
def test_a_constant_out_of_range_is_named(key: str, value: Any) -> None:
    with pytest.raises(ValueError, match=f"planner.{key} must be a whole number"):
        ea_settings(CONSTANTS | {key: value})
