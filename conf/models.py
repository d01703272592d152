"""Language models in a run: who plays, how many dialogues wait for them, what they are paid for."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import partial
from operator import attrgetter
from pathlib import Path
from typing import Any

from conf.run_errors import RunError
from envs.voices import SPEAKERS, models_in_record
from evaluation.account import Account
from evaluation.episode import Models
from evaluation.model_usage import by_role
from evaluation.records import Timing, read_timings
from evaluation.runner import OnDialogue
from language.llm.call import ROLES
from language.llm.local_server import check_local_model
from language.llm.roles import close_roles, open_roles
from language.llm.settings import RoleSettings, read_settings

PARALLEL = 8
"""Dialogues at a time where ``llm.parallel`` leaves it open and an endpoint plays a role."""

_SAMPLING = attrgetter("place", "model", "temperature", "reasoning_effort", "thinking_tokens")


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
    together = track.is_model and _SAMPLING(track) == _SAMPLING(score)
    planner = config["planner"]
    scores = planner.get("context") != "history"  # else nothing that is tracked is read
    settings["scorer"] = planner.get("scorer") if together and scores else None
    return settings


def has_models(config: Mapping[str, Any]) -> bool:
    """Whether a language model plays any role that a run has; a judge comes after it.

    Raises:
        RunError: A setting of the group ``llm`` is unknown or impossible.
    """
    return bool(_players(config))


def dialogues_at_once(config: Mapping[str, Any]) -> int:
    """Number of threads: 1 without models, where processes are worth more.

    The local model computes in this machine, one answer at a time, and gains nothing by threads.
    """
    players = _players(config)
    if not players:
        return 1
    elsewhere = any(role.backend != "local" for role in players.values())
    return read_settings(config["llm"]).parallel or (PARALLEL if elsewhere else 1)


def unpriced(config: Mapping[str, Any]) -> list[str]:
    """Roles of a run whose model's price is not known."""
    return [name for name, role in _players(config).items() if role.unpriced]


def models_of_run(config: Mapping[str, Any]) -> Models:
    """What records say about the models that a policy or the retriever may ask, by role."""
    roles = [role for role in _players(config) if role not in SPEAKERS]
    if config["retrieval"]["encoder"] != "openai":
        roles = [role for role in roles if role != "embed"]
    found: Models = models_in_record(config["llm"], roles).get("llm", {})
    return found


def check_keys(config: Mapping[str, Any], asks: Sequence[str], speaks: bool) -> None:
    """Find out that a key is missing before anything is asked.

    A replay needs none, and a cache may hold every answer.

    Args:
        config: All settings.
        asks: Roles that the policy asks.
        speaks: Whether the environment is one whose user, tracker and replies models may play.

    Raises:
        RunStopped: The variable that a role needs is not set; the message names it.
    """
    settings, models = read_settings(config["llm"]), models_of_run(config)
    if settings.replay is not None or settings.cache is not None:
        return
    asked = [*asks, *(SPEAKERS if speaks else ()), *(["embed"] if "embed" in models else [])]
    for name in dict.fromkeys(asked):
        role = settings.roles[name]
        if role.is_model and role.api_key_env is not None:
            # The openai client is slow to import, and embedded runs have no use for it.
            from language.llm.endpoint import OpenAIEndpoint

            OpenAIEndpoint(role).close()
        if role.backend == "local":
            check_local_model()


@contextmanager
def accounted(config: Mapping[str, Any], run_dir: Path) -> Iterator[Sequence[OnDialogue]]:
    """Open the models of a run for the block, and keep account of what they are paid for.

    The budget is charged with what earlier starts of the run took. Yields what is to be called with
    each finished dialogue.

    Raises:
        RecordError: The account was changed by hand.
    """
    if not has_models(config):
        yield ()
        return
    with released(config):
        roles = open_roles(model_settings(config))
        told: list[Timing] = []
        # On a cluster, dialogues tell what they cost; this process asks nothing.
        totals = partial(by_role, told) if config["runner"] == "ray" else roles.totals
        account = Account(run_dir, read_timings(run_dir), totals)
        roles.spent(*account.earlier)
        with account.kept():
            yield lambda _, timing: told.append(timing), account.on_dialogue


@contextmanager
def released(config: Mapping[str, Any]) -> Iterator[None]:
    """Close the models after the block: the next run of this process has a budget of its own."""
    try:
        yield
    finally:
        release_models(config)


def release_models(config: Mapping[str, Any]) -> None:
    """Let threads that wait for a model give up: the run ends early."""
    close_roles(model_settings(config))


def _players(config: Mapping[str, Any]) -> dict[str, RoleSettings]:
    """The models of a run by role."""
    try:
        roles = read_settings(config["llm"]).roles
    except ValueError as error:
        raise RunError(str(error)) from error
    return {name: roles[name] for name in ROLES if roles[name].is_model and name != "judge"}
