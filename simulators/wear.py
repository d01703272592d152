"""How much patience a dialogue has cost so far, as far as the public view tells."""

from __future__ import annotations

from collections.abc import Sequence

from dialogue.acts import DETAILS, NOMORE, REJECT, SEEN, SIGH
from dialogue.view import Exchange
from simulators.user import FATIGUE_COST, REJECTION_COST, SEEN_COST, USELESS_COST


def wear(exchanges: Sequence[Exchange], n_facets: int, fatigue: int) -> list[float]:
    """Patience spent after each exchange by a user of this fatigue.

    The opening comes first and costs nothing. Costs are those of the embedded user: a rejection, an
    item already seen, a useless question or explanation, and each question beyond ``fatigue`` in a
    row.
    """
    spent, streak, asked_details, course = 0.0, 0, False, []
    for exchange in exchanges:
        kinds = {act.kind for act in exchange.acts}
        if 0 <= exchange.action <= n_facets:
            streak += 1
            if streak > fatigue:
                spent += FATIGUE_COST
            if NOMORE in kinds:
                spent += USELESS_COST
        elif exchange.action > n_facets:
            streak = 0
            if exchange.action == n_facets + 2 and not asked_details:
                spent += USELESS_COST
        if REJECT in kinds:
            spent += REJECTION_COST
        if SEEN in kinds:
            spent += SEEN_COST
        asked_details = DETAILS in kinds
        course.append(spent)
    return course


def levels(exchanges: Sequence[Exchange]) -> list[int]:
    """Highest level of impatience shown up to each exchange, 0..3."""
    highest, course = 0, []
    for exchange in exchanges:
        for act in exchange.acts:
            if act.kind == SIGH:
                highest = max(highest, act.facet)
        course.append(highest)
    return course
