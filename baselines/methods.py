"""All steps of all comparators by name, for whoever computes a step from a request."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from baselines.chat_crs import STEPS as CHAT_CRS
from baselines.macrs import STEPS as MACRS
from baselines.pc_crs.steps import STEPS as PC_CRS
from baselines.ra_crs.steps import STEPS as RA_CRS
from baselines.sapient_llm.prompts import STEPS as SAPIENT_LLM
from baselines.steps import Step
from baselines.t_epl.prompts import STEPS as T_EPL

METHODS: tuple[tuple[Step[Any, Any], ...], ...] = (
    MACRS,
    CHAT_CRS,
    PC_CRS,
    RA_CRS,
    SAPIENT_LLM,
    T_EPL,
)
"""The steps of each comparator."""


def _by_name(methods: Iterable[Iterable[Step[Any, Any]]]) -> dict[str, Step[Any, Any]]:
    return {step.name: step for steps in methods for step in steps}


STEPS = _by_name(METHODS)
