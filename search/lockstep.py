"""A wave of simulations, ply by ply: all choose, all step at once, all go on from where they are.

What a step costs decides how a wave should run. Where it is a call to a language model, a wave of
five simulations three plies deep takes three calls' time when its plies keep step, and fifteen when
the simulations run one after another.
"""

import random
from collections.abc import Callable, Hashable, Iterable
from typing import Any

from search.model import Evaluator, Model
from search.nodes import ChanceNode, DecisionNode
from search.priors import checked_sum, draw, normalised

StepJob = tuple[Any, int, random.Random]
"""World, action, source of randomness."""

StepOutcome = tuple[Any, random.Random, Hashable, float, bool]
"""The world and its source of randomness after the step, observation, reward, whether it ended."""

StepMap = Callable[[Callable[[StepJob], StepOutcome], list[StepJob]], Iterable[StepOutcome]]
"""Applies a function to jobs and yields the results in the jobs' order, as `map` does."""


class Simulation:
    """One simulation: its way through the tree, and its play beyond it.

    Attributes:
        path: Decision and chance nodes in turn; the first and the last are decision nodes.
        rewards: One per chance node of the path.
        world: Its world now.
        rng: Its own source of randomness, so that it does not matter where its steps run.
        done: Whether the world ended.
        gain: Discounted return from the last node of the path on, as far as it was played.
        leaf_prior: Normalised prior at the last node of the path, None if it was not asked for.
    """

    __slots__ = (
        "beyond",
        "done",
        "gain",
        "leaf_prior",
        "path",
        "rewards",
        "rng",
        "weight",
        "world",
    )

    def __init__(self, root: DecisionNode, world: Any, rng: random.Random) -> None:
        self.path: list[DecisionNode | ChanceNode] = [root]
        self.rewards: list[float] = []
        self.world = world
        self.rng = rng
        self.done = False
        self.gain = 0.0
        self.weight = 1.0
        self.beyond = 0
        self.leaf_prior: tuple[float, ...] | None = None

    @property
    def plies(self) -> int:
        """Steps taken so far."""
        return len(self.rewards) + self.beyond

    @property
    def node(self) -> DecisionNode:
        """The last decision node of the path."""
        last = self.path[-1]
        assert isinstance(last, DecisionNode)
        return last

    @property
    def in_tree(self) -> bool:
        """Whether the next step is still chosen by the tree."""
        return self.beyond == 0 and self.node.prior is not None


class Lockstep:
    """Plays waves of simulations.

    Args:
        model: The problem.
        evaluator: Priors, and the value at the depth limit.
        depth: Plies of a simulation counted from the root.
        discount: gamma in [0, 1].
        step_map: Runs the steps of a ply; a thread pool's `map` where steps wait for something.
    """

    def __init__(
        self, model: Model, evaluator: Evaluator, depth: int, discount: float, step_map: StepMap
    ) -> None:
        self._model = model
        self._evaluator = evaluator
        self._depth = depth
        self._discount = discount
        self._map = step_map

    def play(
        self, simulations: list[Simulation], select: Callable[[DecisionNode], ChanceNode]
    ) -> None:
        """Plays simulations to their ends; nodes on their paths stay pending for the caller.

        Args:
            simulations: Fresh ones; their root is pending already.
            select: Chooses a child by the tree's statistics, pending simulations included.

        Raises:
            ValueError: If the evaluator gives an invalid prior, or the map loses results.
        """
        active = [simulation for simulation in simulations if self._depth > 0]
        while active:
            jobs = [(s.world, self._choose(s, select), s.rng) for s in active]
            for simulation, outcome in zip(active, self._map(self._step, jobs), strict=True):
                self._move(simulation, outcome)
            active = [s for s in active if not s.done and s.plies < self._depth]
        for simulation in simulations:
            if not simulation.done:
                simulation.gain += simulation.weight * self._evaluator.value(simulation.world)

    def _choose(self, simulation: Simulation, select: Callable[[DecisionNode], ChanceNode]) -> int:
        if simulation.in_tree:
            child = select(simulation.node)
            child.pending += 1
            simulation.path.append(child)
            return child.action
        prior = self._evaluator.prior(simulation.world)
        total = checked_sum(prior, self._model.n_actions, "at a state inside a simulation")
        if simulation.leaf_prior is None:
            simulation.leaf_prior = normalised(prior, total)
        return draw(prior, total, simulation.rng)

    def _step(self, job: StepJob) -> StepOutcome:
        world, action, rng = job
        key, reward, done = self._model.step(world, action, rng)
        return world, rng, key, reward, done

    def _move(self, simulation: Simulation, outcome: StepOutcome) -> None:
        simulation.world, simulation.rng, key, reward, simulation.done = outcome
        last = simulation.path[-1]
        if isinstance(last, DecisionNode):
            simulation.gain += simulation.weight * reward
            simulation.weight *= self._discount
            simulation.beyond += 1
            return
        node = last.outcomes.get(key)
        if node is None:
            node = last.outcomes[key] = DecisionNode()
        node.pending += 1
        simulation.rewards.append(reward)
        simulation.path.append(node)
