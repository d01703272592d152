"""A planner's constants of a wrong kind: one line that names the key that was typed."""

from typing import Any

import pytest

from conf.policies import check_policy, dreams_settings
from planners.dreams_settings import DreamsSettings
from tests.command_line import composed

NUMBERS = (
    "n_ex", "w_match", "w_accept", "diversity", "top", "ex_exploration", "ex_depth", "ex_wave",
    "exploration", "discount", "k_el", "w_tree", "w_llm", "prior_visits", "virtual_loss",
    "scorer.tired",
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


OUT_OF_RANGE: dict[str, tuple[Any, ...]] = {
    "n_ex": (-1,),
    "top": (0, -5),
    "ex_depth": (-1,),
    "ex_wave": (0,),
    "w_match": (-0.1,),
    "w_accept": (-0.1,),
    "diversity": (-0.1, 1.1),
    "ex_exploration": (-1,),
    "exploration": (-1,),
    "discount": (-0.1, 1.1),
    "k_el": (0, -1),
    "w_tree": (-0.1,),
    "w_llm": (-0.1,),
    "prior_visits": (-1,),
    "virtual_loss": (-1,),
    "selection": ("ucb", None),
    "imagination.violation": (-0.1, 1.1),
    "imagination.mismatch": (-0.1, 1.1),
    "imagination.familiar": (0, 1000),
    "imagination.tier_items": (0,),
    "imagination.tiers": (0,),
    "imagination.attempts": (-1,),
    "n_el": (0, "all", None),
    "wave": (0, "all", None),
    "goals": (0,),
    "m": (0,),
    "look": (-1,),
    "first_inquiries": (-1,),
    "trace_depth": (-1,),
    "trace_visits": (-1,),
}
SWITCHES = (
    "normalize", "rerank", "exact_outcomes", "foresight", "force_reflection", "search_dislikes",
    "trace",
)  # fmt: skip
INFINITE = float("inf")


def out_of_range() -> list[tuple[str, Any]]:
    scores = [f"scorer.{name}" for name in composed("planner=dreams")["planner"]["scorer"]]
    return [
        *((key, value) for key, values in OUT_OF_RANGE.items() for value in values),
        *((key, -0.1) for key in scores),
        *((key, INFINITE) for key in ("w_match", "imagination.familiar", *scores)),
        *((key, value) for key in SWITCHES for value in ("abc", 1, None)),
    ]


@pytest.mark.parametrize(("key", "value"), out_of_range())
def test_what_is_out_of_range_is_named(key: str, value: Any) -> None:
    with pytest.raises(ValueError, match=rf"^planner\.{key} (must be|is) ") as raised:
        settings(key, value)
    assert "\n" not in str(raised.value)
    assert repr(value) in str(raised.value)


def test_every_constant_has_a_case() -> None:
    """What else there is: names of things, which have checks of their own."""
    planner = composed("planner=dreams")["planner"]
    keys = {
        f"{key}.{name}" if isinstance(value, dict) else key
        for key, value in planner.items()
        for name in (value if isinstance(value, dict) else [""])
    }
    tried = {key for key, _ in out_of_range()}
    assert keys - tried == {"name", "parallel", "user_model", "act", "context", "retrieve"}


@pytest.mark.parametrize("key", ["n_el", "wave"])
def test_what_may_be_left_to_the_planner_may(key: str) -> None:
    assert getattr(settings(key, "auto"), key) == "auto"


def test_both_weights_of_the_choice_may_not_be_zero() -> None:
    planner = composed("planner=dreams", "planner.w_tree=0", "planner.w_llm=0")["planner"]
    with pytest.raises(ValueError, match=r"^planner\.w_tree and planner\.w_llm are both 0"):
        dreams_settings(planner)


@pytest.mark.parametrize(
    ("name", "key", "value"),
    [
        ("prior_only", "scorer.tired", -1),
        ("dreams_ea", "prior.ask", -1),
        ("dreams_ea", "top", 0),
        ("dreams_ea", "w_accept", -1),
        ("dreams_ea", "imagination.tiers", 0),
    ],
)
def test_planners_that_share_constants_name_their_own_keys(name: str, key: str, value: Any) -> None:
    config = composed(f"planner={name}", f"planner.{key}={value}")
    with pytest.raises(ValueError, match=rf"^planner\.{key} must be .*, not {value}$"):
        check_policy(config)


def test_switches_and_ranges_are_named_too() -> None:
    with pytest.raises(ValueError, match=r"^planner\.rerank must be true or false, not 'abc'$"):
        settings("rerank", "abc")
    with pytest.raises(ValueError, match=r"^planner\.k_el is 0: it must be at least 1"):
        settings("k_el", 0)
    with pytest.raises(ValueError, match=r"^planner\.exploration is -1"):
        settings("exploration", -1)


def test_whole_numbers_do_for_others() -> None:
    assert settings("w_match", 1).refinement.w_match == 1
