"""A planner's constants of a wrong kind: one line that names the key that was typed."""

from typing import Any

import pytest

from conf.policies import dreams_settings
from planners.dreams_settings import DreamsSettings
from tests.command_line import composed

NUMBERS = (
    "n_ex", "w_match", "w_accept", "diversity", "top", "ex_exploration", "ex_depth", "ex_wave",
    "exploration", "discount", "k_el", "w_tree", "w_llm", "virtual_loss", "scorer.tired",
    "imagination.violation", "imagination.tiers", "goals", "m", "look",
)  # fmt: skip


def settings(key: str, value: Any) -> DreamsSettings:
    planner = composed("planner=dreams")["planner"]
    group, _, name = key.rpartition(".")
    (planner[group] if group else planner)[name] = value
    return dreams_settings(planner)


@pytest.mark.parametrize("value", ["abc", None, True])
@pytest.mark.parametrize("key", NUMBERS)
def test_what_is_no_number_is_named(key: str, value: Any) -> None:
    with pytest.raises(ValueError, match=rf"^planner\.{key} must be .*, not {value!r}$"):
        settings(key, value)


def test_switches_and_ranges_are_named_too() -> None:
    with pytest.raises(ValueError, match=r"^planner\.rerank must be true or false, not 'abc'$"):
        settings("rerank", "abc")
    with pytest.raises(ValueError, match=r"^planner\.k_el is 0: it must be at least 1"):
        settings("k_el", 0)
    with pytest.raises(ValueError, match=r"^planner\.exploration is -1"):
        settings("exploration", -1)


def test_whole_numbers_do_for_others() -> None:
    assert settings("w_match", 1).refinement.w_match == 1
