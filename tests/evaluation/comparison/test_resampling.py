"""Intervals of many metrics at once are the intervals of each."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from evaluation.comparison.resampling import intervals, pooled
from evaluation.statistics import bootstrap_interval
from evaluation.tally import Tally

pairs = st.tuples(st.integers(0, 3), st.integers(0, 4))


@settings(max_examples=25)
@given(st.lists(st.tuples(pairs, pairs), min_size=1, max_size=30))
def test_they_are_those_of_the_summary(rows):
    tallies = [Tally.of(row[k] for row in rows) for k in (0, 1)]
    for found, tally in zip(intervals(tallies), tallies, strict=True):
        expected = bootstrap_interval(tally)
        assert (found is None) == (expected is None)
        if found is not None:
            assert found == pytest.approx(expected, abs=1e-12)


def test_without_a_metric_there_is_nothing():
    assert intervals([]) == []


def test_the_interval_holds_the_value():
    rng = np.random.default_rng(0)
    tally = Tally.mean_of(rng.random(200) < 0.3)
    ((low, high),) = [bounds or (1.0, 0.0) for bounds in intervals([tally])]
    assert low < (tally.value or 0) < high
    assert high - low < 0.15


def test_a_unit_is_the_sum_of_its_dialogues():
    tally = pooled(Tally.of([(1, 2), (0, 1), (3, 4), (1, 1)]), ["b", "a", "b", "c"])
    assert tally.numerator.tolist() == [4.0, 0.0, 1.0]
    assert tally.denominator.tolist() == [6.0, 1.0, 1.0]


def test_dialogues_alike_do_not_pass_for_more():
    once = Tally.mean_of(np.random.default_rng(0).random(100) < 0.3)
    thrice = Tally.mean_of(np.tile(once.numerator, 3))
    by_dialogue, by_episode = intervals([thrice]), intervals([pooled(thrice, [*range(100)] * 3)])
    assert by_episode == [pytest.approx(bounds) for bounds in intervals([once])]
    (narrow,), (wide,) = by_dialogue, by_episode
    assert narrow is not None
    assert wide is not None
    assert wide[1] - wide[0] > 1.5 * (narrow[1] - narrow[0])
