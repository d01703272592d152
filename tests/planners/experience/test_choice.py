"""The embedded decision by example."""

from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from planners.experience.choice import ChoiceSettings, Example, best, weigh
from tests.planners.experience.cases import ACTIONS

RULES = ChoiceSettings(w_case=1.0, w_prior=0.5, w_failure=0.2, reach=1.0)
EVEN = [1.0, 1.0, 1.0, 0.0, 1.0, 0.0]
GENRE, STAR, _, REFLECT, RECOMMEND, _ = range(6)


def chosen(successes: list[Example], failures: list[Example], rules: ChoiceSettings = RULES) -> int:
    return best(weigh(ACTIONS, EVEN, successes, failures, rules), EVEN)


def test_the_successful_case_is_followed() -> None:
    assert chosen([Example("StarInquiry", {"StarInquiry": 0.7, "ItemRec": 0.3}, 1.0)], []) == STAR


def test_a_case_without_a_search_speaks_for_its_action_alone() -> None:
    assert Example("ItemRec", {}, 0.0).shares(ACTIONS) == [0.0] * 4 + [1.0, 0.0]
    assert chosen([Example("ItemRec", {}, 0.0)], []) == RECOMMEND


def test_shares_of_several_numbers_sum_to_one() -> None:
    assert sum(Example("ItemRec", {"ItemRec": 0.2, "StarInquiry": 0.2}, 0.0).shares(ACTIONS)) == 1.0


def test_what_the_failed_case_did_differently_is_avoided() -> None:
    close = Example("StarInquiry", {"StarInquiry": 0.5, "ItemRec": 0.45}, 1.0)
    told = replace(RULES, w_failure=0.2)
    assert chosen([close], [], told) == STAR
    failed = Example("ItemRec", {}, 1.0)
    assert weigh(ACTIONS, EVEN, [close], [failed], told)[RECOMMEND] == pytest.approx(
        weigh(ACTIONS, EVEN, [close], [], told)[RECOMMEND] - 0.2
    )


def test_what_both_did_makes_no_difference() -> None:
    success = Example("StarInquiry", {"StarInquiry": 0.6, "ItemRec": 0.4}, 1.0)
    failed = Example("StarInquiry", {}, 0.5)
    assert weigh(ACTIONS, EVEN, [success], [failed], RULES) == weigh(
        ACTIONS, EVEN, [success], [], RULES
    )


def test_a_failure_far_away_warns_less() -> None:
    success = Example("StarInquiry", {}, 0.0)
    near, far = (
        weigh(ACTIONS, EVEN, [success], [Example("ItemRec", {}, distance)], RULES)[RECOMMEND]
        for distance in (0.5, 5.0)
    )
    assert near < far


def test_an_action_without_a_prior_is_never_chosen() -> None:
    assert chosen([Example("FailureReflection", {}, 0.0)], []) != REFLECT


def test_without_any_case_the_prior_decides() -> None:
    priors = [0.0, 2.0, 1.0, 0.0, 1.0, 0.0]
    assert best(weigh(ACTIONS, priors, [], [], RULES), priors) == STAR


def test_equal_scores_go_to_the_lower_index() -> None:
    assert best([0.5] * 6, EVEN) == GENRE


@given(
    st.lists(st.floats(0.0, 9.0), min_size=1, max_size=4),
    st.lists(st.floats(0.0, 9.0), max_size=4),
)
def test_scores_stay_within_the_weights(successes: list[float], failures: list[float]) -> None:
    found = weigh(
        ACTIONS,
        EVEN,
        [Example("ItemRec", {}, distance) for distance in sorted(successes)],
        [Example("StarInquiry", {}, distance) for distance in sorted(failures)],
        RULES,
    )
    assert all(-0.2 - 1e-9 <= score <= 1.5 + 1e-9 for score in found)
    assert found[RECOMMEND] == pytest.approx(1.0 + 0.5 / 4)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"neighbours": 0}, "planner.neighbours must be a whole number of at least 1, not 0"),
        ({"neighbours": True}, "planner.neighbours must be a whole number"),
        ({"neighbours": 1.5}, "planner.neighbours must be a whole number"),
        ({"w_case": -1.0}, "planner.w_case must be a number of at least 0"),
        ({"w_failure": float("nan")}, "planner.w_failure must be a number"),
        ({"reach": 0.0}, "planner.reach"),
        ({"w_case": 0.0, "w_prior": 0.0}, "must be above 0"),
    ],
    ids=str,
)
def test_constants_out_of_range_are_named(change: dict[str, Any], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        replace(RULES, **change)
