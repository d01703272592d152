"""All steps of all comparators by name, for whoever computes a step from a request."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from baselines.steps import Step

METHODS: tuple[tuple[Step[Any, Any], ...], ...] = ()
"""The steps of each comparator."""


def _by_name(methods: Iterable[Iterable[Step[Any, Any]]]) -> dict[str, Step[Any, Any]]:
    return {step.name: step for steps in methods for step in steps}


STEPS = _by_name(METHODS)
