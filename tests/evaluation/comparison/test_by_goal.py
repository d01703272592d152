"""The paired test with goals for independent, against the definition."""

from itertools import product

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from evaluation.comparison.by_goal import ALL, flip_test

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
