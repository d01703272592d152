"""Checking, ordering and drawing from the weights that an evaluator gives to actions."""

import math
import random
from collections.abc import Sequence


def checked_sum(prior: Sequence[float], n_actions: int, where: str) -> float:
    """Returns the sum of the weights after checking them.

    Args:
        prior: One finite weight >= 0 per action.
        n_actions: How many there must be.
        where: What the error message calls the place.

    Raises:
        ValueError: If the length is wrong, a weight is negative, infinite or NaN, or all are zero.
    """
    if len(prior) != n_actions:
        raise ValueError(
            f"Evaluator.prior gave {len(prior)} weights {where}, the model has {n_actions} "
            "actions: return one weight per action."
        )
    total = sum(prior)
    if not 0.0 < total < math.inf or min(prior) < 0.0:
        raise ValueError(_complaint(prior, where))
    return total


def _complaint(prior: Sequence[float], where: str) -> str:
    if all(weight == 0.0 for weight in prior):
        return (
            f"Evaluator.prior gave zero to all {len(prior)} actions {where}: give a positive "
            "weight to at least one, or let Model.step report the end of the problem."
        )
    return (
        f"Evaluator.prior gave {list(prior)} {where}: weights must be finite and non-negative, "
        "and so must their sum."
    )


def normalised(prior: Sequence[float], total: float) -> tuple[float, ...]:
    """Returns the weights divided by `total`, as a tuple that later calls cannot change."""
    return tuple([weight / total for weight in prior])


def expansion_stack(prior: Sequence[float]) -> list[int]:
    """Returns the actions with a positive prior so that `pop` gives the next one to expand.

    That is the one with the highest prior, the lower index among equals.
    """
    stack = [action for action in range(len(prior) - 1, -1, -1) if prior[action] > 0.0]
    stack.sort(key=prior.__getitem__)
    return stack


def draw(prior: Sequence[float], total: float, rng: random.Random) -> int:
    """Draws an action with probability proportional to its weight.

    Args:
        prior: Weights >= 0, one per action.
        total: Their sum, > 0.
        rng: The source of randomness; exactly one number is taken.
    """
    left = rng.random() * total
    chosen = 0
    for action, weight in enumerate(prior):
        if weight > 0.0:
            chosen = action
            left -= weight
            if left < 0.0:
                break
    # When rounding leaves a remainder the last positive action stands.
    return chosen
