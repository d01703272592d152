"""What a run does differently when language models play roles: threads, budgets."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from conf.models import model_settings, uses_models
from conf.run_errors import RunError
from evaluation.model_usage import spent
from evaluation.records import Timing
from language.llm.settings import read_settings

PARALLEL = 8
"""Dialogues at a time where ``llm.parallel`` leaves it open."""


def has_models(config: Mapping[str, Any]) -> bool:
    """Whether a language model plays any role; a configuration without the group has none.

    Raises:
        RunError: A setting of the group is unknown or impossible.
    """
    given = config.get("llm")
    if given is None:
        return False
    if not isinstance(given, Mapping):
        raise RunError(f"llm must be a group of settings, not {given!r}")
    try:
        return uses_models(config)
    except ValueError as error:
        raise RunError(str(error)) from error


def dialogues_at_once(config: Mapping[str, Any]) -> int:
    """Threads that a run's dialogues share: 1 without models, since nothing waits then."""
    return (read_settings(config["llm"]).parallel or PARALLEL) if has_models(config) else 1


def book_spent(config: Mapping[str, Any], timings: Sequence[Timing]) -> None:
    """Charge the budgets with what the finished dialogues of an interrupted run took."""
    if timings and has_models(config):
        from language.llm.roles import open_roles

        calls, cost = spent(timings)
        open_roles(model_settings(config)).spent(calls, cost)


def release_models(config: Mapping[str, Any]) -> None:
    """Let threads that wait for a model give up: the run ends early."""
    if has_models(config):
        from language.llm.roles import open_roles

        open_roles(model_settings(config)).close()
