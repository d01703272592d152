"""Language models from a configuration: one set of roles for environment and policy."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from language.llm.settings import read_settings


def model_settings(config: Mapping[str, Any]) -> dict[str, Any]:
    """The settings that roles are opened with, equal wherever the run needs them.

    Where the planner scores actions and one model both tracks and scores, the first scores come
    with the tracking, in one call; the constants of the embedded scorer travel along for that.

    Raises:
        ValueError: A setting is unknown or out of range.
    """
    settings = dict(config["llm"])
    roles = read_settings(settings).roles
    track, score = roles["track"], roles["score"]
    together = track.is_model and (track.place, track.model) == (score.place, score.model)
    settings["scorer"] = config["planner"].get("scorer") if together else None
    return settings


def uses_models(config: Mapping[str, Any]) -> bool:
    """Whether a language model plays any role of a configuration."""
    return any(role.is_model for role in read_settings(config["llm"]).roles.values())
