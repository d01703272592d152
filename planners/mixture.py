"""Fitting a mixture of behaviours to many dialogues by expectation-maximisation."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import product

import numpy as np
from numpy.typing import NDArray

from planners.belief import Profile
from planners.evidence import Evidence, patience_likelihood
from simulators.behaviour import PROBABILITIES, Behaviour

PATIENCE = tuple(1.0 + 0.25 * i for i in range(17))
FATIGUE = tuple(range(9))
RESTARTS = 12
SMOOTHING = 1.0
"""Pseudo-counts of the population's mean rate in each profile's estimate."""

Array = NDArray[np.float64]


def fit_profiles(
    data: Sequence[Evidence], n_facets: int, count: int, iterations: int, rng: np.random.Generator
) -> list[Profile]:
    """Fit ``count`` profiles to the evidence of dialogues.

    Args:
        data: One entry per dialogue.
        n_facets: Facets of the domain.
        count: Number of profiles; 1 gives the population's average row.
        iterations: EM iterations.
        rng: For the initial responsibilities.

    Returns:
        Profiles by decreasing weight; weights sum to 1.
    """
    taken = np.array([[found.taken[name] for name in PROBABILITIES] for found in data])
    chances = np.array([[found.chances[name] for name in PROBABILITIES] for found in data])
    taken = np.minimum(taken, chances)
    grid = list(product(PATIENCE, FATIGUE))
    impatience = np.array(
        [[patience_likelihood(found, p, f, n_facets) for p, f in grid] for found in data]
    )
    mean = taken.sum(0) / np.maximum(1.0, chances.sum(0))
    best: tuple[float, Array, NDArray[np.intp], Array] | None = None
    for _ in range(RESTARTS if count > 1 else 1):
        shares = rng.dirichlet(np.full(count, 0.3), size=len(data))
        for _ in range(iterations):
            rates, cells, weights = _maximise(shares, taken, chances, impatience, mean)
            shares, score = _expect(rates, cells, weights, taken, chances, impatience)
        if best is None or score > best[0]:
            best = (score, rates, cells, weights)
    assert best is not None
    _, rates, cells, weights = best
    order = np.argsort(-weights)
    return [Profile(float(weights[k]), _behaviour(rates[k], grid[cells[k]])) for k in order]


def _maximise(
    shares: Array, taken: Array, chances: Array, impatience: Array, mean: Array
) -> tuple[Array, NDArray[np.intp], Array]:
    rates = (shares.T @ taken + SMOOTHING * mean) / (shares.T @ chances + SMOOTHING)
    cells = np.argmax(shares.T @ impatience, axis=1)
    weights = shares.mean(0)
    return np.clip(rates, 0.01, 0.99), cells, weights / weights.sum()


def _expect(
    rates: Array,
    cells: NDArray[np.intp],
    weights: Array,
    taken: Array,
    chances: Array,
    impatience: Array,
) -> tuple[Array, float]:
    """Responsibilities and the total log-likelihood."""
    logs = taken @ np.log(rates).T + (chances - taken) @ np.log(1.0 - rates).T
    logs = logs + impatience[:, cells] + np.log(np.maximum(weights, 1e-12))
    top = logs.max(axis=1, keepdims=True)
    shares = np.exp(logs - top)
    total = shares.sum(axis=1, keepdims=True)
    return shares / total, float((top + np.log(total)).sum())


def _behaviour(rates: Array, cell: tuple[float, int]) -> Behaviour:
    numbers = {name: round(float(rate), 3) for name, rate in zip(PROBABILITIES, rates, strict=True)}
    return Behaviour(**numbers, patience=cell[0], fatigue=cell[1])
