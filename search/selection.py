"""Which tried action a simulation follows at a decision node."""

from collections.abc import Callable
from math import inf, log, sqrt

from search.nodes import ChanceNode, DecisionNode
from search.settings import Selection

Selector = Callable[[DecisionNode, float, float], ChanceNode]


def select_uct(node: DecisionNode, exploration: float, loss: float) -> ChanceNode:
    """Returns the child with the highest R/N + c * sqrt(2 ln N(parent) / N) (Dreams, Eq. 1).

    R is the sum of discounted returns. Pending simulations count as visits; see `pending_mean`
    for what they are taken to be worth. Equal scores go to the child expanded first.

    Args:
        node: A decision node with at least one child.
        exploration: c, in the units of the returns.
        loss: Virtual loss, in the units of the returns.
    """
    numerator = 2.0 * log(node.visits + node.pending)
    best = node.children[0]
    best_score = -inf
    for child in node.children:
        count = child.visits
        if child.pending:
            mean = pending_mean(child, node, loss)
            count += child.pending
        else:
            mean = child.total / count
        score = mean + exploration * sqrt(numerator / count)
        if score > best_score:
            best, best_score = child, score
    return best


def select_puct(node: DecisionNode, exploration: float, loss: float) -> ChanceNode:
    """Returns the child with the highest R/N + c * prior * sqrt(N(parent)) / (1 + N).

    Arguments, pending simulations and ties as in `select_uct`.
    """
    factor = exploration * sqrt(node.visits + node.pending)
    best = node.children[0]
    best_score = -inf
    for child in node.children:
        count = child.visits
        if child.pending:
            mean = pending_mean(child, node, loss)
            count += child.pending
        else:
            mean = child.total / count
        score = mean + factor * child.prior / (1 + count)
        if score > best_score:
            best, best_score = child, score
    return best


def pending_mean(child: ChanceNode, parent: DecisionNode, loss: float) -> float:
    """Returns the mean return of a child some of whose simulations are under way.

    Each of these is taken to return the mean of the finished ones minus `loss`. A child without a
    finished simulation borrows the parent's mean, or 0 if that has none either.
    """
    if child.visits:
        mean = child.total / child.visits
    elif parent.visits:
        mean = parent.total / parent.visits
    else:
        mean = 0.0
    return mean - loss * child.pending / (child.visits + child.pending)


SELECTORS: dict[Selection, Selector] = {"uct": select_uct, "puct": select_puct}
