"""Upper-confidence tree search with hidden worlds sampled at the root."""

import random
from math import inf, isfinite
from typing import Any

from search.lockstep import Lockstep, Simulation, StepMap
from search.model import Evaluator, Model
from search.nodes import ChanceNode, DecisionNode
from search.priors import checked_sum, expansion_stack, normalised
from search.result import SearchResult, summarise
from search.rollout import Rollout, RolloutJob, RolloutOutcome
from search.selection import SELECTORS
from search.settings import UCTSettings


class ReturnRange:
    """The lowest and highest return that a search has seen."""

    __slots__ = ("high", "low")

    def __init__(self) -> None:
        self.low = inf
        self.high = -inf

    def add(self, value: float) -> None:
        """Widens the range to include `value`."""
        if value < self.low:
            self.low = value
        if value > self.high:
            self.high = value

    @property
    def width(self) -> float:
        """Size of the range; 1 while there is none, so that scaling by it does nothing."""
        return self.high - self.low if self.high > self.low else 1.0


class Descent:
    """One simulation's way through the tree, from the root to where the tree ends.

    Attributes:
        path: Decision and chance nodes in turn; the first and the last are decision nodes.
        rewards: One per chance node of the path.
        world: The simulation's world after the last of them.
        done: Whether it ended there.
    """

    __slots__ = ("done", "path", "rewards", "world")

    def __init__(self, root: DecisionNode, world: Any) -> None:
        self.path: list[DecisionNode | ChanceNode] = [root]
        self.rewards: list[float] = []
        self.world = world
        self.done = False


class UCT:
    """Plans one decision by simulations from the present (the elicitation search of Dreams).

    A simulation draws a world, descends the tree of histories, adds the decision node where the
    tree ends, plays on from there with actions drawn from the prior until the problem ends or the
    depth limit is reached, where the evaluator's value stands in for the rest, and adds the
    discounted return from each node on the path to that node. A decision node is evaluated once,
    when it is first reached; at each later visit its next untried action with a positive prior is
    expanded, the highest prior first, and once none is left, Eq. 1 selects.

    Hidden worlds are drawn once a simulation, at the root, and nodes are shared by all worlds with
    the same history: this is partially observable Monte-Carlo planning (Silver and Veness, 2010).

    Args:
        model: The problem.
        evaluator: Priors and leaf values.
        settings: Constants; the defaults follow the paper.
        step_map: Runs the steps of a wave, for instance a thread pool's `map`; unused with
            `settings.wave` 1. The simulations of a wave go ply by ply: all choose in the order of
            submission, then all step at once. Choices and backups stay in the calling thread, each
            simulation of a wave has its own random stream, and results are applied in the order of
            submission, so that the result depends on the wave's size but not on how the map works.
            The model's `step` must bear concurrent calls on different worlds.
    """

    def __init__(
        self,
        model: Model,
        evaluator: Evaluator,
        settings: UCTSettings | None = None,
        step_map: StepMap = map,
    ) -> None:
        self.settings = settings or UCTSettings()
        self._model = model
        self._evaluator = evaluator
        depth, discount = self.settings.depth, self.settings.discount
        self._lockstep = Lockstep(model, evaluator, depth, discount, step_map)
        self._rollout = Rollout(model, evaluator, self.settings.discount)
        self._select = SELECTORS[self.settings.selection]

    def search(self, rng: random.Random, simulations: int) -> SearchResult:
        """Builds a fresh tree and chooses an action.

        Args:
            rng: The only source of randomness.
            simulations: How many to run, >= 1.

        Raises:
            ValueError: If `simulations` is below 1, all priors at a state are zero or one is
                invalid, or a return is not finite.
        """
        if simulations < 1:
            raise ValueError(f"UCT.search was asked for {simulations} simulations: ask for >= 1.")
        root = DecisionNode()
        root.prior = priors = self._root_prior(rng)
        returns = ReturnRange()
        wave = self.settings.wave
        if wave == 1:
            for _ in range(simulations):
                descent = self._descend(root, rng, returns)
                outcome = self._rollout(self._job(descent, rng))
                self._backup(descent.path, descent.rewards, outcome, returns)
        else:
            for start in range(0, simulations, wave):
                self._run_wave(root, rng, min(wave, simulations - start), returns)
        return summarise(root, priors, self.settings)

    def _root_prior(self, rng: random.Random) -> tuple[float, ...]:
        # Any world will do: the prior depends only on what all of them share.
        prior = self._evaluator.prior(self._model.sample(rng))
        return normalised(prior, checked_sum(prior, self._model.n_actions, "at the root"))

    def _run_wave(
        self, root: DecisionNode, rng: random.Random, size: int, returns: ReturnRange
    ) -> None:
        settings, sample = self.settings, self._model.sample
        scale = returns.width if settings.normalize else 1.0
        exploration, loss = settings.exploration * scale, settings.virtual_loss * scale
        # A stream of its own makes a simulation independent of when and where its steps run.
        wave = [
            Simulation(root, sample(rng), random.Random(rng.getrandbits(64))) for _ in range(size)
        ]
        root.pending += size
        self._lockstep.play(wave, lambda node: self._next_child(node, exploration, loss))
        for simulation in wave:
            for node in simulation.path:
                node.pending -= 1
            outcome = simulation.gain, simulation.leaf_prior
            self._backup(simulation.path, simulation.rewards, outcome, returns)

    def _job(self, descent: Descent, rng: random.Random) -> RolloutJob:
        plies = self.settings.depth - len(descent.rewards)
        return descent.world, plies, descent.done, rng

    def _descend(self, root: DecisionNode, rng: random.Random, returns: ReturnRange) -> Descent:
        """Follows the tree until it ends, growing it by at most one decision node."""
        model, settings = self._model, self.settings
        step = model.step
        scale = returns.width if settings.normalize else 1.0
        exploration, loss = settings.exploration * scale, settings.virtual_loss * scale
        world = model.sample(rng)
        descent = Descent(root, world)
        path, rewards = descent.path, descent.rewards
        node = root
        done = False
        # A node without a prior has not been evaluated: the rollout starts there.
        while not done and node.prior is not None and len(rewards) < settings.depth:
            chance = self._next_child(node, exploration, loss)
            key, reward, done = step(world, chance.action, rng)
            outcome = chance.outcomes.get(key)
            if outcome is None:
                outcome = chance.outcomes[key] = DecisionNode()
            rewards.append(reward)
            path.append(chance)
            path.append(outcome)
            node = outcome
        descent.done = done
        return descent

    def _next_child(self, node: DecisionNode, exploration: float, loss: float) -> ChanceNode:
        """Expands the next untried action, or selects among the tried ones."""
        prior, untried, children = node.prior, node.untried, node.children
        if prior is not None and untried is None:
            untried = node.untried = expansion_stack(prior)
        if prior is not None and untried:
            action = untried.pop()
            child = ChanceNode(action, prior[action])
            children.append(child)
            return child
        if len(children) == 1:
            return children[0]
        return self._select(node, exploration, loss)

    def _backup(
        self,
        path: list[DecisionNode | ChanceNode],
        rewards: list[float],
        outcome: RolloutOutcome,
        returns: ReturnRange,
    ) -> None:
        """Adds to every node on the path the discounted return counted from it."""
        gain, leaf_prior = outcome
        leaf = path[-1]
        if leaf_prior is not None and isinstance(leaf, DecisionNode) and leaf.prior is None:
            leaf.prior = leaf_prior
        leaf.visits += 1
        leaf.total += gain
        discount, normalize = self.settings.discount, self.settings.normalize
        for ply in range(len(rewards) - 1, -1, -1):
            gain = rewards[ply] + discount * gain
            for node in path[2 * ply : 2 * ply + 2]:
                node.visits += 1
                node.total += gain
            if normalize:
                returns.add(gain)
        if not isfinite(gain):
            raise ValueError(
                f"A simulation returned {gain}: Model.step must give finite rewards and "
                "Evaluator.value finite values."
            )
