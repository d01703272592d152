"""Fitting a mixture of behaviours to many dialogues by expectation-maximisation."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import product
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from planners.belief import Profile
from planners.evidence import Evidence, patience_likelihood
from simulators.behaviour import PROBABILITIES, Behaviour

PATIENCE = tuple(1.5 + 0.5 * i for i in range(7))
FATIGUE = (0, 1, 2, 3, 5, 8)
GRID = tuple(product(PATIENCE, FATIGUE))
RESTARTS = 12
TINY = 1e-300
SMOOTHING = 1.0
"""Pseudo-counts of the population's mean rate in each profile's estimate."""

Array = NDArray[np.float64]


class Mixture(NamedTuple):
    """Groups of users while they are fitted.

    Attributes:
        rates: Of each group's chances, float64 (K, number of probabilities).
        cells: Distribution of each group over :data:`GRID`, float64 (K, G).
        weights: Of the groups, float64 (K,).
        score: Log-likelihood.
    """

    rates: Array
    cells: Array
    weights: Array
    score: float


def fit_profiles(
    data: Sequence[Evidence],
    n_facets: int,
    count: int,
    iterations: int,
    rng: np.random.Generator,
    least: float = 0.004,
) -> list[Profile]:
    """Fit groups of users to the evidence of dialogues.

    A group shares its rates; how patient its users are and how soon questions tire them is a
    distribution over :data:`PATIENCE` x :data:`FATIGUE`, since dialogues that look alike otherwise
    can end differently, and a planner must be ready for both.

    Args:
        data: One entry per dialogue.
        n_facets: Facets of the domain.
        count: Number of groups.
        iterations: EM iterations.
        rng: For the initial responsibilities.
        least: Profiles of less weight are left out.

    Returns:
        Profiles, one per group and likely pair of patience and fatigue, by decreasing weight;
        weights sum to 1.
    """
    taken = np.array([[found.taken[name] for name in PROBABILITIES] for found in data])
    chances = np.array([[found.chances[name] for name in PROBABILITIES] for found in data])
    taken = np.minimum(taken, chances)
    mean = taken.sum(0) / np.maximum(1.0, chances.sum(0))
    impatience = np.array(
        [[patience_likelihood(found, p, f, n_facets) for p, f in GRID] for found in data]
    )
    best: Mixture | None = None
    for _ in range(RESTARTS if count > 1 else 1):
        shares = rng.dirichlet(np.full(count, 0.3), size=len(data))
        cells, weights = np.full((count, len(GRID)), 1.0 / len(GRID)), np.full(count, 1.0 / count)
        for _ in range(iterations):
            rates = _rates(shares, taken, chances, mean)
            found = Mixture(rates, cells, weights, -np.inf)
            shares, cells, weights, score = _step(found, taken, chances, impatience)
        if best is None or score > best.score:
            best = Mixture(rates, cells, weights, score)
    assert best is not None
    return _profiles(best, least)


def _profiles(mixture: Mixture, least: float) -> list[Profile]:
    joint = mixture.weights[:, None] * mixture.cells
    joint = np.where(joint >= min(least, joint.max()), joint, 0.0)
    joint /= joint.sum()
    places = np.argsort(-joint, axis=None, kind="stable")
    pairs = [divmod(int(place), len(GRID)) for place in places]
    return [
        Profile(float(joint[k, c]), _behaviour(mixture.rates[k], GRID[c]))
        for k, c in pairs
        if joint[k, c]
    ]


def _rates(shares: Array, taken: Array, chances: Array, mean: Array) -> Array:
    rates = (shares.T @ taken + SMOOTHING * mean) / (shares.T @ chances + SMOOTHING)
    return np.clip(rates, 0.01, 0.99)


def _step(
    found: Mixture, taken: Array, chances: Array, impatience: Array
) -> tuple[Array, Array, Array, float]:
    """Responsibilities of groups, their cells and weights, and the log-likelihood before."""
    rates, cells, weights, _ = found
    logs = taken @ np.log(rates).T + (chances - taken) @ np.log(1.0 - rates).T
    likely = np.exp(impatience)  # a few factors of at least 0.025 each: no underflow
    of_cells = np.maximum(likely @ cells.T, TINY)
    logs = logs + np.log(np.maximum(of_cells * weights, TINY))
    top = logs.max(axis=1, keepdims=True)
    shares = np.exp(logs - top)
    total = shares.sum(axis=1, keepdims=True)
    shares = shares / total
    moved = cells * ((shares / of_cells).T @ likely)
    moved /= np.maximum(moved.sum(axis=1, keepdims=True), TINY)
    return shares, moved, shares.mean(0), float((top + np.log(total)).sum())


def _behaviour(rates: Array, cell: tuple[float, int]) -> Behaviour:
    numbers = {name: round(float(rate), 3) for name, rate in zip(PROBABILITIES, rates, strict=True)}
    return Behaviour(**numbers, patience=cell[0], fatigue=cell[1])
