"""What a caller supplies to the search: a generative model and an evaluator."""

import random
from collections.abc import Hashable, Sequence
from typing import Any, Protocol


class Model(Protocol):
    """A generative model of a sequential problem that is only partly observable.

    A world is a mutable object that one simulation owns from `sample` to its end. Whatever the
    planner cannot see is drawn once, at the root, and stays in the world: the tree is built over
    the histories of actions and observations, never over hidden states.
    """

    @property
    def n_actions(self) -> int:
        """Number of actions; an action is an integer in [0, n_actions)."""
        ...

    def sample(self, rng: random.Random) -> Any:
        """Returns a fresh world at the root, its hidden part drawn from the current belief."""
        ...

    def step(self, world: Any, action: int, rng: random.Random) -> tuple[Hashable, float, bool]:
        """Moves `world` by one action, in place.

        Args:
            world: A world made by `sample`.
            action: An integer in [0, n_actions).
            rng: The only source of randomness.

        Returns:
            The observation (a key of the tree; its `repr` appears in traces, so it should not
            depend on the process: integers, strings and tuples of them), the reward (finite) and
            whether the problem ended.
        """
        ...


class Evaluator(Protocol):
    """Judges a world that a simulation has reached."""

    def prior(self, world: Any) -> Sequence[float]:
        """Returns one non-negative weight per action; they need not sum to one.

        An action with weight zero is never tried. The weights may depend only on what is
        observable in `world`, because all worlds with the same history share one node. Plain
        floats are much faster here than arrays.
        """
        ...

    def value(self, world: Any) -> float:
        """Returns the expected return from `world` on, in reward units, undiscounted.

        It stands in for everything beyond the depth limit; it is not asked for ended worlds.
        """
        ...
