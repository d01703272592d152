"""The paired test with goals for independent, against the definition."""

from itertools import product

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from evaluation.comparison.by_goal import ALL, flip_test
from evaluation.comparison.measures import TESTED
from evaluation.comparison.paired_tests import compared, signed_ranks

STEPS = st.integers(-2, 2).map(float)


@given(rows=st.lists(st.tuples(st.integers(0, 4), STEPS), min_size=1, max_size=30))
def test_it_counts_every_pattern_of_signs(rows: list[tuple[int, float]]) -> None:
    goals = [goal for goal, _ in rows]
    difference = np.array([step for _, step in rows])
    found = flip_test(difference, goals)
    names = sorted(set(goals))
    if len(names) < 2:
        assert found is None
        return
    sums = [difference[[goal == name for goal in goals]].sum() for name in names]
    means = [
        abs(sum(s * one for s, one in zip(signs, sums, strict=True)))
        for signs in product((-1, 1), repeat=len(names))
    ]
    assert found == pytest.approx(np.mean([mean >= abs(sum(sums)) - 1e-9 for mean in means]))


def test_one_goal_alone_makes_nothing_certain() -> None:
    """A hundred dialogues of one goal weigh as one, where a test over dialogues is certain."""
    difference = np.array([1.0] * 100 + [0.0] * 9)
    goals = [0] * 100 + list(range(1, 10))
    assert flip_test(difference, goals) == 1.0


def test_many_goals_are_drawn_and_the_draw_is_always_the_same() -> None:
    rng = np.random.default_rng(0)
    difference = rng.normal(0.3, 1.0, 3 * (ALL + 14))
    goals = [k % (ALL + 14) for k in range(len(difference))]
    first = flip_test(difference, goals)
    assert first == flip_test(difference, goals)
    assert first is not None
    assert 0.0 < first < 0.2
    assert flip_test(np.zeros(60), [k % 20 for k in range(60)]) == 1.0


@pytest.mark.parametrize("goals", [[1, 1, 1], [1, None, 2]])
def test_without_two_known_goals_there_is_no_p(goals: list[int | None]) -> None:
    assert flip_test(np.array([1.0, 0.0, -1.0]), goals) is None


@given(st.lists(st.integers(-40, 40).filter(bool), min_size=2, max_size=12, unique_by=abs))
def test_with_a_goal_a_dialogue_it_is_wilcoxons_test(steps: list[int]) -> None:
    """Both p are of one statistic: they differ only by what is taken for independent."""
    difference = np.array(steps, dtype=np.float64)
    exact = stats.wilcoxon(difference, method="exact").pvalue
    assert flip_test(signed_ranks(difference), range(len(steps))) == pytest.approx(exact)


@pytest.mark.parametrize(("key", "ranked"), [("return", True), ("success_rate", False)])
def test_ranks_are_flipped_where_ranks_are_tested(key: str, ranked: bool) -> None:
    """One lost success outweighs many small gains in the mean, and not among the ranks."""
    (measure,) = [measure for measure in TESTED if measure.key == key]
    difference = np.array([0.5] * 9 + [-9.0]) if ranked else np.array([1.0] * 9 + [-1.0])
    goals = list(range(10))
    test = compared(measure, "a", "b", difference, (0.0, 0.0), goals)
    parts = signed_ranks(difference) if ranked else difference
    assert test.p_goals == flip_test(parts, goals)
    assert test.p_goals == pytest.approx(test.p_value)  # both are exact, and goals are dialogues
    assert ranked == (test.p_goals != flip_test(difference, goals))
