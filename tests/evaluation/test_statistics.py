"""Intervals and tests against known answers, and in degenerate cases."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from evaluation.groups import GroupSuccess, by_goal, by_persona
from evaluation.statistics import RESAMPLES, bootstrap_interval, chi_square, compare_paired
from evaluation.tally import Tally
from tests.evaluation.fakes import record, turn

HALF = Tally.mean_of([0.0, 1.0] * 50)


def interval(tally: Tally, resamples: int = RESAMPLES) -> tuple[float, float]:
    found = bootstrap_interval(tally, resamples=resamples)
    assert found is not None
    return found


def test_the_interval_of_a_rate_is_about_binomial():
    low, high = interval(HALF)
    half_width = 1.96 * np.sqrt(0.25 / 100)
    assert low == pytest.approx(0.5 - half_width, abs=0.02)
    assert high == pytest.approx(0.5 + half_width, abs=0.02)


def test_intervals_do_not_vary():
    assert bootstrap_interval(HALF) == bootstrap_interval(HALF)


def test_about_ninety_five_of_a_hundred_intervals_cover_the_truth():
    rng = np.random.default_rng(0)
    covered = 0
    for _ in range(200):
        low, high = interval(Tally.mean_of(rng.normal(3.0, 1.0, 60)), resamples=500)
        covered += low <= 3.0 <= high
    assert 0.90 <= covered / 200 <= 0.99


@pytest.mark.parametrize("values", [[1.0], [0.25], [0.0] * 9, [1.0] * 150])
def test_equal_dialogues_have_no_width(values):
    assert bootstrap_interval(Tally.mean_of(values)) == (values[0], values[0])


def test_no_value_has_no_interval():
    assert Tally.mean_of([]).value is None
    assert bootstrap_interval(Tally.mean_of([])) is None
    assert bootstrap_interval(Tally.of([(0, 0), (0, 0)])) is None


def test_resamples_without_a_count_are_left_out():
    """Two of three dialogues count nothing: nearly a third of the resamples draw only them."""
    low, high = interval(Tally.of([(1, 2), (0, 0), (0, 0)]))
    assert low == high == 0.5


def test_a_pooled_metric_resamples_dialogues():
    """A dialogue of 100 turns dominates the pooled rate, so the interval is far wider than 110
    independent turns would allow."""
    tally = Tally.of([(100, 100), *[(0, 1)] * 10])
    low, high = interval(tally)
    assert tally.value == pytest.approx(100 / 110)
    assert low == 0.0
    assert high > 0.9


@settings(max_examples=30, deadline=None)
@given(
    st.lists(
        st.tuples(st.integers(0, 5), st.integers(0, 5)).map(lambda pair: (min(pair), max(pair))),
        min_size=1,
        max_size=20,
    )
)
def test_the_interval_of_any_share_lies_in_the_unit_range(pairs):
    tally = Tally.of(pairs)
    found = bootstrap_interval(tally, resamples=200)
    if tally.value is None:
        assert found is None
    else:
        assert found is not None
        assert 0.0 <= found[0] <= found[1] <= 1.0


def test_a_run_equals_itself():
    found = compare_paired(HALF, HALF)
    assert found.difference == 0.0
    assert found.interval == (0.0, 0.0)
    assert found.p_value == 1.0


def test_pairing_finds_a_small_steady_gain():
    """0.1 in every episode, under a spread of 1: invisible without pairs."""
    base = np.random.default_rng(1).normal(size=40)
    gain = np.random.default_rng(2).normal(0.1, 0.02, size=40)
    found = compare_paired(Tally.mean_of(base + gain), Tally.mean_of(base))
    assert found.difference == pytest.approx(gain.mean())
    assert 0.08 < found.interval[0] < found.interval[1] < 0.12
    assert found.p_value < 0.001


def test_the_permutation_test_is_exact_for_few_episodes():
    """All five differences are positive: 2 of 2**5 sign patterns are as extreme."""
    found = compare_paired(Tally.mean_of([1.0, 1, 1, 1, 1]), Tally.mean_of([0.0, 0, 0, 0, 0]))
    assert found.p_value == pytest.approx(2 / 32)


def test_pooled_metrics_are_compared_too():
    ours = Tally.of([(1, 10), (0, 10), (2, 10), (1, 10), (0, 10), (1, 10), (0, 10)])
    theirs = Tally.of([(9, 10), (8, 9), (5, 5), (8, 10), (9, 10), (9, 10), (9, 10)])
    found = compare_paired(ours, theirs)
    assert found.difference == pytest.approx(5 / 70 - 57 / 64)
    assert found.interval[1] < -0.7
    assert found.p_value < 0.05


def test_what_cannot_be_compared_is_refused():
    with pytest.raises(ValueError, match="2 and 3 episodes"):
        compare_paired(Tally.mean_of([0, 1]), Tally.mean_of([0, 1, 1]))
    with pytest.raises(ValueError, match="no value"):
        compare_paired(Tally.mean_of([0, 1]), Tally.of([(0, 0), (0, 0)]))


def test_one_episode_proves_nothing():
    assert compare_paired(Tally.mean_of([1.0]), Tally.mean_of([0.0])).p_value == 1.0


def test_chi_square_by_hand():
    """Observed 30/10 and 10/30, expected 20 everywhere: 4 * 10**2 / 20 = 20."""
    found = chi_square({"a": GroupSuccess(30, 40), "b": GroupSuccess(10, 40)})
    assert found.statistic == pytest.approx(20.0)
    assert found.degrees == 1
    assert found.p_value == pytest.approx(7.744e-6, rel=1e-3)


@pytest.mark.parametrize(
    "groups",
    [
        {},
        {"a": GroupSuccess(3, 4)},
        {"a": GroupSuccess(4, 4), "b": GroupSuccess(2, 2)},
        {"a": GroupSuccess(0, 4), "b": GroupSuccess(0, 2)},
    ],
)
def test_nothing_differs_in_degenerate_groups(groups):
    assert chi_square(groups).p_value == 1.0


def test_success_by_persona_and_goal():
    hit, miss = turn("ItemRec", item="t"), turn("ItemRec", item="a")
    records = [
        record(hit, persona="zoe", goal_index=10, outcome="accepted"),
        record(miss, persona="ada", goal_index=2),
        record(miss, persona="zoe", goal_index=2),
        record(miss, persona="zoe", goal_index=None),
    ]
    personas = by_persona(records)
    assert list(personas.items()) == [("ada", GroupSuccess(0, 1)), ("zoe", GroupSuccess(1, 3))]
    assert personas["zoe"].rate == pytest.approx(1 / 3)
    assert by_goal(records) == {2: GroupSuccess(0, 2), 10: GroupSuccess(1, 1)}
