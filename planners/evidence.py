"""What a dialogue shows of its user's behaviour.

Counts of chances taken, read from public exchanges.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field

from catalogs.catalog import Catalog
from dialogue.acts import CORRECT, DETAILS, EVADE, LIKE, NOMORE, QUIT, REJECT, SEEN, VAGUE
from dialogue.view import DialogueView, Exchange
from simulators.behaviour import PROBABILITIES, Behaviour
from simulators.wear import levels, wear

LEVEL_HIT = 0.9
"""Likelihood that impatience shows at the level that wear predicts.

The rest is spread over the other levels and leaving.
"""

_STATED = frozenset({LIKE, VAGUE})


@dataclass
class Evidence:
    """Counts for each probability of :class:`Behaviour`, and the course of shown impatience.

    Attributes:
        taken: By name, how often a chance was taken.
        chances: By name, how often there was one (for ``seen`` weighted by twice the familiarity).
        exchanges: The exchanges read, opening first.
    """

    taken: dict[str, float] = field(default_factory=lambda: dict.fromkeys(PROBABILITIES, 0.0))
    chances: dict[str, float] = field(default_factory=lambda: dict.fromkeys(PROBABILITIES, 0.0))
    exchanges: Sequence[Exchange] = ()

    def count(self, name: str, taken: bool, weight: float = 1.0) -> None:
        """Record one chance."""
        self.chances[name] += weight
        self.taken[name] += float(taken)


def gather(view: DialogueView) -> Evidence:
    """Read the evidence of a dialogue so far."""
    catalog, found = view.catalog, Evidence(exchanges=view.exchanges)
    for exchange in view.exchanges:
        if exchange.action < 0:
            _opening(catalog, exchange, found)
        elif exchange.action < catalog.domain.n_facets:
            _answer(catalog, exchange, found)
        elif exchange.action >= catalog.domain.recommend:
            _reaction(catalog, exchange, found)
    return found


def _opening(catalog: Catalog, exchange: Exchange, found: Evidence) -> None:
    stated = {act.facet for act in exchange.acts if act.kind in _STATED}
    for f, facet in enumerate(catalog.domain.facets):
        found.count("opens_topic" if facet.match == "all" else "opens_person", f in stated)


def _answer(catalog: Catalog, exchange: Exchange, found: Evidence) -> None:
    asked = exchange.action
    topic = catalog.domain.facets[asked].match == "all"
    kinds = [act.kind for act in exchange.acts]
    found.count("slip", CORRECT in kinds)
    if NOMORE in kinds:
        return
    found.count("evade_topic" if topic else "evade_person", EVADE in kinds)
    if EVADE in kinds:
        return
    about = [act.kind for act in exchange.acts if act.kind in _STATED and act.facet == asked]
    found.count("two_values", len(about) > 1)
    if topic:
        for kind in about:
            found.count("vague", kind == VAGUE)
    found.count(
        "volunteer", any(act.kind in _STATED and act.facet != asked for act in exchange.acts)
    )


def _reaction(catalog: Catalog, exchange: Exchange, found: Evidence) -> None:
    kinds = {act.kind for act in exchange.acts}
    if exchange.action == catalog.domain.recommend and exchange.item >= 0:
        found.count("seen", SEEN in kinds, 2.0 * catalog.familiarity[exchange.item])
        if SEEN not in kinds:
            found.count("details", DETAILS in kinds)
    for act in exchange.acts:
        if act.kind == REJECT:
            found.count("reason", act.facet >= 0)


def log_likelihood(found: Evidence, behaviour: Behaviour, n_facets: int) -> float:
    """Log-likelihood of the evidence under a behaviour (up to a constant), in nats.

    Chances count as Bernoulli trials; impatience shown is compared with what wear predicts.
    """
    total = 0.0
    for name in PROBABILITIES:
        chances = found.chances[name]
        if chances:
            p = min(0.97, max(0.03, getattr(behaviour, name)))
            taken = min(found.taken[name], chances)
            total += taken * math.log(p) + (chances - taken) * math.log(1.0 - p)
    return total + patience_likelihood(found, behaviour.patience, behaviour.fatigue, n_facets)


def patience_likelihood(found: Evidence, patience: float, fatigue: int, n_facets: int) -> float:
    """Log-likelihood of impatience shown, leaving and staying, given patience and fatigue."""
    course, shown = wear(found.exchanges, n_facets, fatigue), levels(found.exchanges)
    total, previous = 0.0, (0, 0)
    for exchange, spent, level in zip(found.exchanges, course, shown, strict=True):
        left = any(act.kind == QUIT for act in exchange.acts)
        now = (
            (4, 4)
            if left and spent >= patience
            else (int(3.0 * spent / patience), 4 if left else level)
        )
        if now != previous:
            hit = now[0] == now[1]
            total += math.log(LEVEL_HIT if hit else (1.0 - LEVEL_HIT) / 4.0)
        previous = now
    return total
