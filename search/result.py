"""What a search hands back, and its trace."""

from dataclasses import dataclass
from typing import Any

from search.choice import best_action, combine
from search.nodes import ChanceNode, DecisionNode
from search.settings import UCTSettings


@dataclass(frozen=True, slots=True)
class SearchResult:
    """The decision at the root and the statistics behind it; sequences are indexed by action.

    Attributes:
        action: The chosen action (Dreams, Eq. 3).
        visits: Simulations that took each action at the root; they sum to `simulations`.
        values: Mean discounted returns, None for an action that was not tried.
        priors: The root's prior, normalised to one.
        scores: The weighted sums that were compared.
        simulations: How many simulations were run.
        root: The tree.
    """

    action: int
    visits: tuple[int, ...]
    values: tuple[float | None, ...]
    priors: tuple[float, ...]
    scores: tuple[float, ...]
    simulations: int
    root: DecisionNode

    @property
    def changed_decision(self) -> bool:
        """Whether the prior alone (its highest, the lower index among equals) chose otherwise."""
        return self.action != self.priors.index(max(self.priors))

    def to_json(self, max_depth: int = 2, min_visits: int = 1) -> dict[str, Any]:
        """Returns the trace as nested dicts and lists that `json.dumps` accepts.

        Args:
            max_depth: Plies of the tree to include, >= 0; 0 leaves the tree at its root.
            min_visits: Nodes with fewer visits are left out.

        Returns:
            Keys `chosen`, `changed_decision`, `simulations`, `visits`, `values`, `priors`,
            `scores` and `tree`. A decision in the tree has `visits`, `value`, `priors` and
            `actions`; an action has `action`, `visits`, `value`, `prior` and `outcomes`; an
            outcome is a decision with its `observation`, stringified by `repr`.
        """
        return {
            "chosen": self.action,
            "changed_decision": self.changed_decision,
            "simulations": self.simulations,
            "visits": list(self.visits),
            "values": list(self.values),
            "priors": list(self.priors),
            "scores": list(self.scores),
            "tree": _decision_trace(self.root, max_depth, min_visits),
        }


def summarise(root: DecisionNode, priors: tuple[float, ...], settings: UCTSettings) -> SearchResult:
    """Makes the final choice on a finished tree.

    Args:
        root: The tree's root; its visits are the simulations.
        priors: Its normalised prior.
        settings: The weights of the final choice, and how many visits the prior counts for.
    """
    visits = [0] * len(priors)
    values: list[float | None] = [None] * len(priors)
    for child in root.children:
        visits[child.action] = child.visits
        values[child.action] = child.value
    pairs = zip(visits, priors, strict=True)
    counts = [count + settings.prior_visits * prior for count, prior in pairs]
    scores = combine(counts, priors, settings.w_tree, settings.w_prior)
    return SearchResult(
        action=best_action(scores, values, priors),
        visits=tuple(visits),
        values=tuple(values),
        priors=priors,
        scores=scores,
        simulations=root.visits,
        root=root,
    )


def _decision_trace(node: DecisionNode, plies: int, min_visits: int) -> dict[str, Any]:
    children = sorted(node.children, key=lambda child: child.action) if plies > 0 else []
    return {
        "visits": node.visits,
        "value": node.value,
        "priors": None if node.prior is None else list(node.prior),
        "actions": [
            _chance_trace(child, plies, min_visits)
            for child in children
            if child.visits >= min_visits
        ],
    }


def _chance_trace(node: ChanceNode, plies: int, min_visits: int) -> dict[str, Any]:
    return {
        "action": node.action,
        "visits": node.visits,
        "value": node.value,
        "prior": node.prior,
        "outcomes": [
            {"observation": repr(key), **_decision_trace(outcome, plies - 1, min_visits)}
            for key, outcome in node.outcomes.items()
            if outcome.visits >= min_visits
        ],
    }
