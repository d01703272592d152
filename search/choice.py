"""The final choice at the root: search statistics and prior, weighed together."""

from collections.abc import Sequence
from math import inf


def combine(
    visits: Sequence[float], priors: Sequence[float], w_tree: float, w_prior: float
) -> tuple[float, ...]:
    """Scores actions by w_tree * share of visits + w_prior * share of prior (Dreams, Eq. 3).

    Args:
        visits: Visits (or shares of visits) per action, >= 0.
        priors: Prior weights per action, >= 0; need not sum to one.
        w_tree: Weight of the visit share.
        w_prior: Weight of the prior.

    Returns:
        One score per action, in [0, w_tree + w_prior].

    Raises:
        ValueError: If the lengths differ.
    """
    if len(visits) != len(priors):
        raise ValueError(
            f"combine got {len(visits)} visits and {len(priors)} priors: give one of each per "
            "action."
        )
    # A sum of zero (nothing visited) leaves every share at zero.
    n, p = sum(visits) or 1.0, sum(priors) or 1.0
    pairs = zip(visits, priors, strict=True)
    return tuple(w_tree * visit / n + w_prior * prior / p for visit, prior in pairs)


def best_action(
    scores: Sequence[float], values: Sequence[float | None], priors: Sequence[float]
) -> int:
    """Returns the action with the highest score among those with a positive prior.

    Args:
        scores: Scores per action, as `combine` gives them.
        values: Mean returns per action, None where an action was not tried. Among equal scores
            the higher mean wins, then the lower index.
        priors: Prior weights per action, at least one positive.
    """

    def rank(action: int) -> tuple[float, float, int]:
        value = values[action]
        return scores[action], -inf if value is None else value, -action

    return max((action for action, prior in enumerate(priors) if prior > 0.0), key=rank)
