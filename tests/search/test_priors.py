import random

import pytest

from search.priors import checked_sum, draw, expansion_stack, normalised


def test_the_sum_and_the_normalised_prior() -> None:
    prior = [1.0, 0.0, 3.0]
    total = checked_sum(prior, 3, "here")
    assert total == 4.0
    assert normalised(prior, total) == (0.25, 0.0, 0.75)


@pytest.mark.parametrize(
    ("prior", "message"),
    [
        ([1.0, 1.0], "2 weights here, the model has 3"),
        ([0.0, 0.0, 0.0], "zero to all 3 actions here"),
        ([2.0, -1.0, 0.0], "finite and non-negative"),
        ([-1.0, 1.0, 0.0], "finite and non-negative"),
        ([float("nan"), 1.0, 1.0], "finite and non-negative"),
        ([1.0, float("nan"), 1.0], "finite and non-negative"),
        ([float("inf"), 1.0, 1.0], "finite and non-negative"),
    ],
)
def test_what_is_not_a_prior(prior: list[float], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        checked_sum(prior, 3, "here")


def test_expansion_goes_by_prior_then_index() -> None:
    stack = expansion_stack((0.2, 0.0, 0.3, 0.2, 0.3))
    assert [stack.pop() for _ in range(4)] == [2, 4, 0, 3]
    assert stack == []


def test_draws_follow_the_weights() -> None:
    rng = random.Random(1)
    counts = [0] * 4
    for _ in range(20_000):
        counts[draw((0.0, 3.0, 0.0, 1.0), 4.0, rng)] += 1
    assert counts[0] == counts[2] == 0
    assert counts[1] / 20_000 == pytest.approx(0.75, abs=0.015)


class Highest(random.Random):
    """Always draws the largest number below one."""

    def random(self) -> float:
        return 1.0 - 2.0**-53


def test_rounding_never_reaches_an_action_without_weight() -> None:
    # Here the sum is larger than what the subtractions add up to.
    prior = (0.1,) * 10 + (0.0,)
    assert draw(prior, 1.0 + 1e-9, Highest()) == 9
