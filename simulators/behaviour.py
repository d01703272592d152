"""Behaviour: the parameters of a simulated user, one row per persona or profile."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, fields
from typing import Any

PROBABILITIES = (
    "opens_topic", "opens_person", "evade_topic", "evade_person", "two_values", "vague", "slip",
    "volunteer", "details", "reason", "seen",
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class Behaviour:
    """How a user behaves. Probabilities are in [0, 1].

    Attributes:
        opens_topic: Chance that the opening states a value of each facet that needs all values
            (genre).
        opens_person: Chance that the opening states a value of each other facet (people).
        evade_topic: Chance that a question about a topic facet is evaded; halved on each
            repetition.
        evade_person: The same for people facets.
        two_values: Chance that an answer gives two values instead of one.
        vague: Chance that a topic value is first given by a word that fits two values.
        slip: Chance that an answer names a wrong value, taken back one reply later.
        volunteer: Chance that an answer adds a preference about another facet.
        details: Chance that a user asks for details of an offer before deciding.
        reason: Chance that a rejection states a reason.
        seen: Mean share of items already seen, spread by familiarity (the best known are seen
            most).
        patience: Rejections borne before leaving (> 0). A useless question or explanation costs
            half of one, as does an item already seen.
        fatigue: Consecutive questions borne before each further one costs one unit of patience (>=
            0).
    """

    opens_topic: float
    opens_person: float
    evade_topic: float
    evade_person: float
    two_values: float
    vague: float
    slip: float
    volunteer: float
    details: float
    reason: float
    seen: float
    patience: float
    fatigue: int

    def __post_init__(self) -> None:
        """Check ranges."""
        for name in PROBABILITIES:
            value = getattr(self, name)
            if not 0.0 <= value <= 1.0:
                raise ValueError(
                    f"behaviour: {name} must be a probability in [0, 1], not {value!r}"
                )
        if self.patience <= 0:
            raise ValueError(f"behaviour: patience must be positive, not {self.patience!r}")
        if self.fatigue < 0:
            raise ValueError(f"behaviour: fatigue must be at least 0, not {self.fatigue!r}")


def parse_behaviour(raw: Mapping[str, Any], place: str) -> Behaviour:
    """Build a behaviour from a mapping with every field.

    ValueError names the place and the field.
    """
    names = [field.name for field in fields(Behaviour)]
    if not isinstance(raw, Mapping):
        raise ValueError(f"{place}: a behaviour must be a mapping, not {raw!r}")
    missing = [name for name in names if name not in raw]
    unknown = sorted(set(raw) - set(names))
    if missing or unknown:
        what = f"missing {missing[0]!r}" if missing else f"unknown {unknown[0]!r}"
        raise ValueError(f"{place}: {what}; a behaviour has {', '.join(names)}")
    try:
        numbers: dict[str, Any] = {name: float(raw[name]) for name in names}
        if numbers["fatigue"] != int(numbers["fatigue"]):
            raise ValueError(f"fatigue must be a whole number, not {raw['fatigue']!r}")
        return Behaviour(**{**numbers, "fatigue": int(numbers["fatigue"])})
    except (TypeError, ValueError) as error:
        raise ValueError(f"{place}: {error}") from error
