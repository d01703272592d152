"""Belief over behaviour profiles, from the dialogue at hand and never from the persona table."""

from __future__ import annotations

import math
import random
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import yaml

from dialogue.view import DialogueView
from planners.evidence import gather, log_likelihood
from simulators.behaviour import Behaviour, parse_behaviour
from simulators.wear import wear

PROFILE_FILE = Path(__file__).parent / "profiles.yaml"


@dataclass(frozen=True, slots=True)
class Profile:
    """A behaviour and its prior weight (> 0)."""

    weight: float
    behaviour: Behaviour


class ProfileBelief:
    """Posterior over profiles given a view; ``draw`` samples a behaviour from it.

    Attributes:
        weights: Posterior probability of each profile.
    """

    def __init__(self, profiles: Sequence[Profile], view: DialogueView) -> None:
        self._profiles = profiles
        found = gather(view)
        n_facets = view.catalog.domain.n_facets
        logs = [
            math.log(profile.weight) + log_likelihood(found, profile.behaviour, n_facets)
            for profile in profiles
        ]
        top = max(logs)
        raw = [math.exp(value - top) for value in logs]
        total = sum(raw)
        self.weights = [value / total for value in raw]
        rows = view.exchanges
        self._worn = {
            fatigue: wear(rows, n_facets, fatigue)[-1] if rows else 0.0
            for fatigue in {profile.behaviour.fatigue for profile in profiles}
        }

    def worn(self, behaviour: Behaviour) -> float:
        """Patience that the dialogue so far has cost a user of this behaviour."""
        return self._worn[behaviour.fatigue]

    def mean(self, name: str) -> float:
        """Posterior mean of a behaviour's number."""
        return sum(
            weight * float(getattr(profile.behaviour, name))
            for profile, weight in zip(self._profiles, self.weights, strict=True)
        )

    def draw(self, rng: random.Random) -> Behaviour:
        """A behaviour, in proportion to the posterior."""
        if len(self._profiles) == 1:
            return self._profiles[0].behaviour
        draw = rng.random()
        for profile, weight in zip(self._profiles, self.weights, strict=True):
            draw -= weight
            if draw < 0.0:
                return profile.behaviour
        return self._profiles[-1].behaviour


def load_profiles(kind: str, path: Path = PROFILE_FILE) -> tuple[Profile, ...]:
    """Profiles to believe in: ``generic`` (one average row) or ``learned`` (from train dialogues).

    Raises:
        ValueError: The kind is unknown, or the file's rows are malformed.
    """
    raw: Any = yaml.safe_load(path.read_text(encoding="utf-8"))
    if str(kind) not in raw:
        raise ValueError(f"planner.user_model: no {kind!r}; it is one of {', '.join(sorted(raw))}")
    return tuple(_profile(row, f"{path}: {kind}[{i}]") for i, row in enumerate(raw[kind]))


def _profile(row: Any, place: str) -> Profile:
    if not isinstance(row, dict) or set(row) != {"weight", "behaviour"}:
        raise ValueError(f"{place}: a profile has 'weight' and 'behaviour', not {row!r}")
    if not isinstance(row["weight"], int | float) or row["weight"] <= 0:
        raise ValueError(f"{place}: 'weight' must be a positive number, not {row['weight']!r}")
    return Profile(float(row["weight"]), parse_behaviour(row["behaviour"], place))
