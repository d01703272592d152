"""Small problems for the search tests, and their exact solutions."""

import random
from collections.abc import Hashable, Sequence
from typing import Any

from search.model import Evaluator, Model
from search.nodes import ChanceNode, DecisionNode


class FixedEvaluator:
    """The same prior and value everywhere."""

    def __init__(self, prior: Sequence[float], value: float = 0.0) -> None:
        self._prior = tuple(prior)
        self._value = value

    def prior(self, world: Any) -> Sequence[float]:
        return self._prior

    def value(self, world: Any) -> float:
        return self._value


class Tiger:
    """Two doors, a tiger behind one; listening is right with probability `accuracy`.

    Actions: 0 listens, 1 opens the left door, 2 the right one. Opening ends the problem.
    """

    n_actions = 3
    listen, right_door, wrong_door = -0.05, 0.5, -1.0

    def __init__(self, accuracy: float = 0.85) -> None:
        self.accuracy = accuracy

    def sample(self, rng: random.Random) -> int:
        return rng.randrange(2)

    def step(self, world: int, action: int, rng: random.Random) -> tuple[Hashable, float, bool]:
        if action == 0:
            heard = world if rng.random() < self.accuracy else 1 - world
            return ("left", "right")[heard], self.listen, False
        wrong = action - 1 == world
        return "opened", self.wrong_door if wrong else self.right_door, True

    def solve(self, left: float, plies: int, discount: float) -> list[float]:
        """Expectimax over beliefs: the exact value of each action when `plies` are left."""
        a = self.accuracy
        listening = self.listen
        if plies > 1:
            for if_left, if_right in ((a, 1 - a), (1 - a, a)):
                chance = left * if_left + (1 - left) * if_right
                ahead = self.solve(left * if_left / chance, plies - 1, discount)
                listening += discount * chance * max(ahead)
        right, wrong = self.right_door, self.wrong_door
        return [
            listening,
            left * wrong + (1 - left) * right,
            left * right + (1 - left) * wrong,
        ]


class Trap:
    """Action 0 pays 0.3 now and nothing later; action 1 pays nothing now and 1.0 afterwards."""

    n_actions = 2

    def sample(self, rng: random.Random) -> list[int]:
        return []

    def step(
        self, world: list[int], action: int, rng: random.Random
    ) -> tuple[Hashable, float, bool]:
        world.append(action)
        if len(world) == 1:
            return action, 0.3 if action == 0 else 0.0, False
        return tuple(world), float(world[0] == 1), True


class Chain:
    """One action, no chance: the rewards of a list, then the end."""

    n_actions = 1

    def __init__(self, rewards: Sequence[float], ends: bool = True) -> None:
        self.rewards = rewards
        self.ends = ends

    def sample(self, rng: random.Random) -> list[int]:
        return [0]

    def step(
        self, world: list[int], action: int, rng: random.Random
    ) -> tuple[Hashable, float, bool]:
        place = world[0]
        world[0] += 1
        return place, self.rewards[place], self.ends and world[0] == len(self.rewards)


class Bandit:
    """Every action ends the problem with a reward drawn around its mean."""

    def __init__(self, means: Sequence[float], noise: float = 0.0) -> None:
        self.n_actions = len(means)
        self.means = means
        self.noise = noise

    def sample(self, rng: random.Random) -> None:
        return None

    def step(self, world: None, action: int, rng: random.Random) -> tuple[Hashable, float, bool]:
        return "end", self.means[action] + self.noise * (2.0 * rng.random() - 1.0), True


class RandomProblem:
    """A random problem whose rewards also depend on a hidden bit; its own evaluator.

    Every state that is not an end gives some action a positive prior.
    """

    def __init__(self, seed: int, n_states: int, n_actions: int) -> None:
        rng = random.Random(seed)
        self.n_actions = n_actions
        self._next = [
            [[rng.randrange(n_states) for _ in range(2)] for _ in range(n_actions)]
            for _ in range(n_states)
        ]
        self._rewards = [
            [[rng.uniform(-2, 2) for _ in range(2)] for _ in range(n_actions)]
            for _ in range(n_states)
        ]
        self._ends = [rng.random() < 0.2 for _ in range(n_states)]
        self._priors = [self._draw_prior(rng) for _ in range(n_states)]
        self._values = [rng.uniform(-2, 2) for _ in range(n_states)]

    def _draw_prior(self, rng: random.Random) -> list[float]:
        prior = [rng.choice((0.0, 1.0, 1.0, 2.5)) for _ in range(self.n_actions)]
        prior[rng.randrange(self.n_actions)] = 1.0
        return prior

    def sample(self, rng: random.Random) -> list[int]:
        return [0, rng.randrange(2)]

    def step(
        self, world: list[int], action: int, rng: random.Random
    ) -> tuple[Hashable, float, bool]:
        state, hidden = world
        reward = self._rewards[state][action][hidden]
        world[0] = self._next[state][action][rng.randrange(2)]
        return world[0], reward, self._ends[world[0]]

    def prior(self, world: list[int]) -> Sequence[float]:
        return self._priors[world[0]]

    def value(self, world: list[int]) -> float:
        return self._values[world[0]]


class Recorder:
    """Wraps a problem and keeps each simulation's actions, rewards and leaf value.

    The search draws one world more than it runs simulations, for the root's prior; that one is
    never moved and leaves an entry without actions.
    """

    def __init__(self, model: Model, evaluator: Evaluator) -> None:
        self.n_actions = model.n_actions
        self._model = model
        self._evaluator = evaluator
        self.log: list[tuple[list[int], list[float]]] = []

    def sample(self, rng: random.Random) -> Any:
        self.log.append(([], []))
        return self._model.sample(rng)

    def step(self, world: Any, action: int, rng: random.Random) -> tuple[Hashable, float, bool]:
        key, reward, done = self._model.step(world, action, rng)
        self.log[-1][0].append(action)
        self.log[-1][1].append(reward)
        return key, reward, done

    def prior(self, world: Any) -> Sequence[float]:
        return self._evaluator.prior(world)

    def value(self, world: Any) -> float:
        value = self._evaluator.value(world)
        self.log[-1][1].append(value)
        return value

    def returns(self, discount: float) -> list[tuple[int, float]]:
        """First action and discounted return of each simulation."""
        return [
            (actions[0], sum(discount**k * x for k, x in enumerate(amounts)))
            for actions, amounts in self.log
            if actions
        ]


def decision_nodes(root: DecisionNode) -> list[DecisionNode]:
    """Every decision node of a tree."""
    found = [root]
    for node in found:
        for child in node.children:
            found.extend(child.outcomes.values())
    return found


def chance_nodes(root: DecisionNode) -> list[ChanceNode]:
    """Every chance node of a tree."""
    return [child for node in decision_nodes(root) for child in node.children]
