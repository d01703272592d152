"""The embedded decision by example: a pure function of prior, successful and failed cases."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields

from planners.experience.similarity import Near, Pair


@dataclass(frozen=True, slots=True)
class ChoiceSettings:
    """Constants of the decision.

    Attributes:
        neighbours: Nearest cases on each side that the rules average over, at least 1. A model can
            adapt one case to the situation; rules cannot, and one search's shares are rough.
        w_case: Weight of what the successful case did (shares of its search's visits).
        w_prior: Weight of the prior.
        w_failure: Weight against what the failed case did, where the successful one did otherwise.
        reach: Distance at which a case counts 1/e of the nearest, and a failure of a success as
            near; positive.
    """

    neighbours: int = 5
    w_case: float = 1.0
    w_prior: float = 0.4
    w_failure: float = 0.2
    reach: float = 1.0

    def __post_init__(self) -> None:
        """Check the ranges; ValueError names what is out of range."""
        for field in fields(self):
            value = getattr(self, field.name)
            if field.name == "neighbours":
                whole = isinstance(value, int) and not isinstance(value, bool)
                if not whole or value < 1:
                    raise ValueError(
                        f"planner.neighbours must be a whole number of at least 1, not {value!r}"
                    )
            number = isinstance(value, int | float) and not isinstance(value, bool)
            if not number or not 0.0 <= value < math.inf:
                raise ValueError(
                    f"planner.{field.name} must be a number of at least 0, not {value!r}"
                )
        if self.reach == 0.0 or self.w_case + self.w_prior == 0.0:
            raise ValueError("planner.reach, and one of w_case and w_prior, must be above 0")


class Example:
    """What the decision reads of a case; a request to an endpoint holds no more.

    Args:
        action: Name of the action taken.
        search: Shares of the search's visits by name; empty where nothing was searched.
        distance: From the present situation.
    """

    __slots__ = ("action", "distance", "search")

    def __init__(self, action: str, search: Mapping[str, float], distance: float) -> None:
        self.action = action
        self.search = search
        self.distance = distance

    def shares(self, actions: Sequence[str]) -> list[float]:
        """What the case speaks for, by action, summing to 1."""
        found = [self.search.get(name, 0.0) for name in actions]
        total = sum(found)
        if total <= 0.0:
            return [float(name == self.action) for name in actions]
        return [share / total for share in found]


def example(near: Near) -> Example:
    """A retrieved case as the decision reads it."""
    return Example(near.case.action, near.case.search, near.distance)


def weigh(
    actions: Sequence[str],
    priors: Sequence[float],
    successes: Sequence[Example],
    failures: Sequence[Example],
    settings: ChoiceSettings,
) -> list[float]:
    """A score by action: follow the successful cases, avoid what failed ones did differently.

    Args:
        actions: Names by action index.
        priors: Scores of the prior by action index, not negative.
        successes: Nearest first.
        failures: Likewise.
        settings: Constants.
    """
    total = sum(priors) or 1.0
    scores = [settings.w_prior * prior / total for prior in priors]
    for weight, case in _weighted(successes, settings.reach):
        for action, share in enumerate(case.shares(actions)):
            scores[action] += settings.w_case * weight * share
    nearest = successes[0].distance if successes else 0.0
    for weight, case in _weighted(failures, settings.reach):
        if successes and case.action == successes[0].action:
            continue  # what both did made no difference
        closeness = math.exp(-max(0.0, failures[0].distance - nearest) / settings.reach)
        scores[actions.index(case.action)] -= settings.w_failure * weight * closeness
    return scores


def best(scores: Sequence[float], priors: Sequence[float]) -> int:
    """The best scored action among those with a positive prior, the lower index among equals."""
    fitting = [action for action, prior in enumerate(priors) if prior > 0.0]
    return max(fitting, key=lambda action: (scores[action], -action))


def examples(pair: Pair, count: int) -> tuple[list[Example], list[Example]]:
    """The first ``count`` cases of both sides as the decision reads them."""
    successes, failures = pair
    return [example(near) for near in successes[:count]], [example(n) for n in failures[:count]]


def _weighted(cases: Sequence[Example], reach: float) -> list[tuple[float, Example]]:
    """Weights that sum to 1 and fall with the distance beyond the nearest."""
    if not cases:
        return []
    raw = [math.exp(-(case.distance - cases[0].distance) / reach) for case in cases]
    total = sum(raw)
    return [(weight / total, case) for weight, case in zip(raw, cases, strict=True)]
