"""The weighted sum of reward terms, built from configuration.

Default weights (the paper publishes none): acceptance 10, so that it dominates everything else
together: explore adds at most 0.5 to a dialogue and retrieve at most 0.5; a turn costs 0.1, a
rejection 0.5. With acceptance ending the stream of per-turn rewards, larger explore or retrieve
weights pay for asking forever, and a larger attitude weight makes recommending frightening.
"""

from __future__ import annotations

import importlib
import sys
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from math import isfinite
from numbers import Real
from typing import Any

from catalogs.nearest import nearest_hint
from rewards.terms import Accept, Attitude, Cost, Explore, Retrieve
from rewards.transition import Term, Transition

DISCOUNT = 0.95
"""Discount gamma of dreams Eq. 7 (the paper leaves it open; its released code uses 0.95)."""

DEFAULT_TERMS: dict[str, tuple[Term, float]] = {
    "explore": (Explore(), 0.5),
    "retrieve": (Retrieve(), 0.5),
    "attitude": (Attitude(), 0.5),
    "cost": (Cost(), 0.1),
    "accept": (Accept(), 10.0),
}


@dataclass(frozen=True, slots=True)
class CheckedTerm:
    """A term from configuration, whose values are not trusted.

    Attributes:
        name: Its name.
        term: The term.
    """

    name: str
    term: Term

    def __call__(self, transition: Transition) -> float:
        """The term's value; ValueError if that is no finite number."""
        value: object = self.term(transition)
        if not isinstance(value, Real) or not isfinite(value):
            raise ValueError(
                f"reward.{self.name}: a term must return a finite number, not {value!r}"
            )
        return float(value)


@dataclass(frozen=True)
class Reward:
    """A weighted sum of named terms.

    Attributes:
        names: Term names in order.
        terms: The terms.
        weights: Their weights; the reward of a turn is the sum of weight * term.
    """

    names: tuple[str, ...]
    terms: tuple[Term, ...]
    weights: tuple[float, ...]

    @cached_property
    def weighted(self) -> tuple[tuple[Term, float], ...]:
        """Terms with their weights."""
        return tuple(zip(self.terms, self.weights, strict=True))

    def parts(self, transition: Transition) -> list[float]:
        """Weighted value of each term, in the order of ``names``."""
        return [weight * term(transition) for term, weight in self.weighted]

    def weight(self, name: str) -> float:
        """Weight of a term by name, 0 when there is no such term."""
        return self.weights[self.names.index(name)] if name in self.names else 0.0


def make_reward(config: Mapping[str, Any] | None = None) -> Reward:
    """Build the reward: defaults, changed or extended by a configuration.

    Args:
        config: By term name, either a weight (0 drops the term), or a mapping with ``weight`` and
            ``term``, the latter a callable or ``"package.module:Name"`` of a class without
            arguments, which replaces or adds the term.

    Raises:
        ValueError: An unknown name without ``term``, a weight that is no number, or a term that
            cannot be built.
    """
    chosen = dict(DEFAULT_TERMS)
    if config is not None and not isinstance(config, Mapping):
        raise ValueError(f"reward: must map term names to weights, not be {config!r}")
    for name, entry in (config or {}).items():
        term, weight = _entry(name, entry)
        if term is None and name not in chosen:
            hint = nearest_hint(name, chosen) or "; give it a 'term'"
            raise ValueError(f"reward: no term {name!r}{hint} (there are {', '.join(chosen)})")
        chosen[name] = (term or chosen[name][0], weight)
    kept = {name: pair for name, pair in chosen.items() if pair[1] != 0.0}
    return Reward(
        tuple(kept), tuple(p[0] for p in kept.values()), tuple(p[1] for p in kept.values())
    )


def _entry(name: str, entry: Any) -> tuple[Term | None, float]:
    term: Any = None
    weight = entry
    if isinstance(entry, Mapping):
        unknown = sorted(set(entry) - {"term", "weight"})
        if unknown:
            raise ValueError(f"reward.{name}: unknown key {unknown[0]!r}; keys are term, weight")
        term = entry.get("term")
        weight = entry.get("weight", DEFAULT_TERMS[name][1] if name in DEFAULT_TERMS else 1.0)
    number = isinstance(weight, int | float) and not isinstance(weight, bool)
    if not (number and abs(weight) <= sys.float_info.max):
        raise ValueError(f"reward.{name}: the weight must be a finite number, not {weight!r}")
    return (_resolve(name, term) if term is not None else None), float(weight)


def _resolve(name: str, term: Any) -> Term:
    if isinstance(term, str):
        module, _, attribute = term.partition(":")
        try:
            term = getattr(importlib.import_module(module), attribute)()
        except Exception as error:  # whatever somebody's module or class raises
            raise ValueError(
                f"reward.{name}: cannot build {term!r} ('package.module:Name'): "
                f"{type(error).__name__}: {error}"
            ) from error
    if not callable(term):
        raise ValueError(f"reward.{name}: a term must be callable with a Transition, got {term!r}")
    return CheckedTerm(name, term)
