"""The two kinds of nodes of the search tree.

A decision node is a history after which the planner moves; a chance node is a history plus an
action, after which the world answers. Totals are sums of discounted returns counted from the node
that holds them, so `total / visits` is the mean return from there.
"""

from collections.abc import Hashable


class DecisionNode:
    """A point of choice, identified by the observations and actions that lead to it.

    Attributes:
        visits: Finished simulations that passed through the node.
        total: Sum of their discounted returns from here.
        pending: Simulations selected through the node and not backed up yet (waves only).
        prior: Normalised prior, one probability per action; None until the node is evaluated.
            Nodes at the depth limit and ended ones are never evaluated.
        untried: Actions still to be expanded, the next one last; None until the node is opened.
        children: Chance nodes in the order of expansion.
    """

    __slots__ = ("children", "pending", "prior", "total", "untried", "visits")

    def __init__(self) -> None:
        self.visits = 0
        self.total = 0.0
        self.pending = 0
        self.prior: tuple[float, ...] | None = None
        self.untried: list[int] | None = None
        self.children: list[ChanceNode] = []

    @property
    def value(self) -> float | None:
        """Mean discounted return from here, None before the first finished simulation."""
        return float(self.total) / self.visits if self.visits else None


class ChanceNode:
    """An action taken at a decision node, waiting for the observation.

    Attributes:
        action: The action's index.
        prior: Its normalised prior at the parent.
        visits: Finished simulations that took it here.
        total: Sum of their discounted returns, the action's own reward included.
        pending: Simulations that took it and are not backed up yet (waves only).
        outcomes: Decision nodes by observation, in the order in which they were first seen.
    """

    __slots__ = ("action", "outcomes", "pending", "prior", "total", "visits")

    def __init__(self, action: int, prior: float) -> None:
        self.action = action
        self.prior = prior
        self.visits = 0
        self.total = 0.0
        self.pending = 0
        self.outcomes: dict[Hashable, DecisionNode] = {}

    @property
    def value(self) -> float | None:
        """Mean discounted return of the action, None before the first finished simulation."""
        return float(self.total) / self.visits if self.visits else None
