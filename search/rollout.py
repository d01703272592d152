"""Playing on from where the tree ends."""

import random
from typing import Any

from search.model import Evaluator, Model
from search.priors import checked_sum, draw, normalised

RolloutJob = tuple[Any, int, bool, random.Random]
"""World at the leaf, plies left to the depth limit, whether it ended, source of randomness."""

RolloutOutcome = tuple[float, tuple[float, ...] | None]
"""Discounted return from the leaf, and the leaf's normalised prior if it was asked for."""


class Rollout:
    """Plays a world to its end or to the depth limit with actions drawn from the prior.

    It knows nothing of the tree. Simulations of a wave play on in `search.lockstep` instead.

    Args:
        model: The problem.
        evaluator: Priors, and the value at the depth limit.
        discount: gamma in [0, 1].
    """

    def __init__(self, model: Model, evaluator: Evaluator, discount: float) -> None:
        self._model = model
        self._evaluator = evaluator
        self._discount = discount

    def __call__(self, job: RolloutJob) -> RolloutOutcome:
        """Runs one rollout; it moves the job's world.

        Raises:
            ValueError: If the evaluator gives an invalid prior or zero to all actions.
        """
        world, plies, done, rng = job
        if done:
            return 0.0, None
        model, ask, discount = self._model, self._evaluator.prior, self._discount
        step, n_actions = model.step, model.n_actions
        leaf_prior = None
        gain, weight = 0.0, 1.0
        for _ in range(plies):
            prior = ask(world)
            total = checked_sum(prior, n_actions, "at a state inside a simulation")
            if leaf_prior is None:
                leaf_prior = normalised(prior, total)
            _, reward, done = step(world, draw(prior, total, rng), rng)
            gain += weight * reward
            if done:
                return gain, leaf_prior
            weight *= discount
        return gain + weight * self._evaluator.value(world), leaf_prior
