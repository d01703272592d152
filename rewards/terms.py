"""The five terms of the reward (dreams §A.4, Eq. 6-7), unweighted (see ``rewards.total``)."""

from __future__ import annotations

from catalogs.catalog import Catalog
from catalogs.goal import Goal
from dialogue.acts import REJECT, SEEN
from rewards.transition import Transition


class Explore:
    """Increase of the best confidence ever reached, averaged over facets, in [0, 1).

    A dialogue's sum is at most 1. Asking again, or toggling a preference back and forth, never
    pays: only a new best does.
    """

    def __call__(self, transition: Transition) -> float:
        """Mean over facets of the rise of ``PreferenceState.best`` in this turn."""
        best = transition.view.state.best
        return (sum(best) - transition.best_before) / len(best)


class Retrieve:
    """Change of the overlap of the top-1 retrieved item's attributes with the goal's, in [-1, 1].

    The overlap is a potential, so waiting earns nothing and the sum over a dialogue is at most 1.
    On the accepting turn the dialogue is over and nothing is retrieved any more, so the term is 0
    there.
    """

    def __call__(self, transition: Transition) -> float:
        """Overlap after the turn minus overlap before it."""
        if transition.accepted:
            return 0.0
        return transition.overlap_after - transition.overlap_before


class Attitude:
    """The user's feedback.

    +1 for acceptance, -1 for a rejection or for leaving, -0.5 for "seen it".
    """

    def __call__(self, transition: Transition) -> float:
        """Sum of the feedback in this turn, in [-2, 1]."""
        value = 1.0 if transition.accepted else 0.0
        if transition.left:
            value -= 1.0
        for act in transition.acts:
            if act.kind == REJECT:
                value -= 1.0
            elif act.kind == SEEN:
                value -= 0.5
        return value


class Cost:
    """What a turn costs: -1, and another -1 when it was illegal or repeated itself; in {-2, -1}."""

    def __call__(self, transition: Transition) -> float:
        """The (negative) cost of this turn."""
        return -2.0 if transition.repeated or not transition.legal else -1.0


class Accept:
    """1 on the turn in which a verified target is accepted, else 0 (Accept_T of dreams Eq. 7)."""

    def __call__(self, transition: Transition) -> float:
        """Whether this turn ended in acceptance."""
        return 1.0 if transition.accepted else 0.0


def overlap(catalog: Catalog, goal: Goal, item: int) -> float:
    """Share of the goal that an item meets, in [0, 1]; 0 for no item (-1).

    Mean over facets with wanted values: the share of wanted values present where all are needed,
    else 1 when any is present.
    """
    if item < 0:
        return 0.0
    values = catalog.items[item].values
    total, facets = 0.0, 0
    for wanted, own, facet in zip(goal.values, values, catalog.domain.facets, strict=True):
        if not wanted:
            continue
        facets += 1
        hits = 0
        for value in wanted:
            if value in own:
                hits += 1
        total += hits / len(wanted) if facet.match == "all" else hits > 0
    return total / facets if facets else 0.0
