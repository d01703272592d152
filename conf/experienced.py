"""Policies that learn from an experience base."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from conf.typed import constants_of, keys_of, typed
from dialogue.experience import read_base
from language.llm.roles import Roles
from planners.experience import DreamsEA, EASettings
from planners.experience.choice import ChoiceSettings
from planners.experience.outlook import OutlookSettings
from planners.experience.similarity import SimilaritySettings
from planners.exploitation import RefinementSettings
from planners.scorer import ScorerSettings
from simulators.imagined import ImaginationSettings

EXPERIENCED = ("dreams_ea", "t_epl")
"""Planners that learn from a base."""

_CHOICE = ("neighbours", "w_case", "w_prior", "w_failure", "reach")
_REFINEMENT = {
    "iterations": "n_ex",
    "w_match": "w_match",
    "w_accept": "w_accept",
    "diversity": "diversity",
    "top": "top",
    "depth": "ex_depth",
    "rerank": "rerank",
}
"""The EXNode's settings by field: their keys in ``conf/planner/dreams_ea.yaml``."""


def experienced_policy(planner: Mapping[str, Any], roles: Roles, file: str | None) -> Any:
    """The policy of a planner that learns from a base.

    Args:
        planner: Its settings.
        roles: Who plays the roles that it asks for.
        file: The base (``conf.experience.experience_file``).

    Raises:
        ValueError: A constant is out of range, or there is no file.
        ExperienceError: The file cannot be read.
    """
    policy, settings = _parts(planner)
    if file is None:
        raise ValueError(
            f"planner={planner['name']} decides by experience: give the file of a base "
            f"(conf.experience.experience_file finds or makes it)"
        )
    base = read_base(Path(file))
    if planner["name"] == "dreams_ea":
        return policy(settings, base, roles)
    return policy(settings, roles, base)


def experienced_class(planner: Mapping[str, Any]) -> Any:
    """The policy's class, its settings checked: what can be known before there is a base.

    Raises:
        ValueError: A constant is out of range.
    """
    return _parts(planner)[0]


def _parts(planner: Mapping[str, Any]) -> tuple[Any, Any]:
    if planner["name"] == "dreams_ea":
        return DreamsEA, ea_settings(planner)
    from baselines.t_epl import TEPL, TEPLSettings

    return TEPL, TEPLSettings(**constants_of(planner))


def ea_settings(planner: Mapping[str, Any]) -> EASettings:
    """The settings of ``conf/planner/dreams_ea.yaml`` as objects.

    Raises:
        ValueError: A constant is out of range.
    """
    _whole(planner, "n_ex", 0)
    return EASettings(
        pairs=planner["pairs"],
        choice=ChoiceSettings(**{key: planner[key] for key in _CHOICE}),
        similarity=SimilaritySettings(**planner["similarity"]),
        prior=typed(ScorerSettings, keys_of(planner, "prior"), planner),
        outlook=OutlookSettings(
            typed(RefinementSettings, _REFINEMENT, planner),
            typed(ImaginationSettings, keys_of(planner, "imagination"), planner),
            planner["user_model"],
            _whole(planner, "goals", 1),
        ),
        trace=planner["trace"],
    )


def _whole(planner: Mapping[str, Any], key: str, least: int) -> int:
    value = planner[key]
    if not isinstance(value, int) or isinstance(value, bool) or value < least:
        raise ValueError(f"planner.{key} must be a whole number of at least {least}, not {value!r}")
    return value
