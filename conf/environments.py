"""Environments from a configuration."""

from __future__ import annotations

import importlib
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from functools import partial
from typing import Any

import gymnasium as gym
from gymnasium.envs.registration import ENV_ID_RE, load_env_creator

from catalogs.nearest import nearest_hint
from conf.models import model_settings
from envs.crs import CRSEnv

OWN = "envs:CRS/"
"""Ids of this project; only they know channels, splits and rewards."""

_APPENDED = " was raised from the environment creator for "


def make_env(
    config: Mapping[str, Any], *, channel: str = "text", split: str | None = None
) -> gym.Env[Any, Any]:
    """Make the environment of a configuration.

    Args:
        config: The composed configuration as plain values.
        channel: ``text``, or ``acts`` for training; only our environments and subclasses of them
            know it.
        split: Split of episodes that a reset does not name; default: the configuration's.

    Raises:
        ValueError: The id is not registered (the nearest are named) or an argument is wrong.
    """
    env = config["env"]
    if not isinstance(env["id"], str) or not isinstance(env["kwargs"], Mapping):
        raise ValueError(
            f"env.id must be a text and env.kwargs a mapping, not {env['id']!r} and "
            f"{env['kwargs']!r}"
        )
    _check_kinds(config)
    arguments: dict[str, Any] = {}
    if str(env["id"]).startswith(OWN):
        arguments = {
            "channel": channel,
            "split": split or config["split"],
            "max_turns": env["max_turns"],
            "reward": config["reward"]["terms"],
            "retrieval": env["retrieval"],
            "encoder": config["retrieval"]["encoder"],
            "llm": model_settings(config),
            "data_dir": config["data"]["dir"],
            "strict": config["data"]["strict"],
        }
        if channel == "text":  # nobody speaks in the environments that agents are trained in
            arguments["simulator"] = config["simulator"]
        own_items = {"domain": env["domain"], "items": env["items"]}
        if env["name"] == "custom":
            arguments |= own_items
        elif given := next((key for key, value in own_items.items() if value is not None), None):
            raise ValueError(f"env={env['name']} has its own items; env.{given} needs env=custom")
    elif _is_ours(env["id"]):
        arguments = {"channel": channel, "split": split or config["split"]}
    with _explained(env["id"]):
        return gym.make(env["id"], **arguments, **env["kwargs"])


def _check_kinds(config: Mapping[str, Any]) -> None:
    """Check what an environment would answer with the errors of whatever it was given to."""
    env = config["env"]
    for key in ("name", "retrieval"):
        if not isinstance(env[key], str):
            raise ValueError(f"env.{key} must be a text, not {env[key]!r}")
    for key in ("domain", "items"):
        if env[key] is not None and (not isinstance(env[key], str) or not env[key].strip()):
            raise ValueError(f"env.{key} must be the name of a file or null, not {env[key]!r}")
    if wrong := next((key for key in env["kwargs"] if not isinstance(key, str)), None):
        raise ValueError(f"env.kwargs: a key must be a text, not {wrong!r}")


def _is_ours(env_id: str) -> bool:
    """Whether an id of others stands for a subclass of our environment (it knows channels)."""
    with _explained(env_id):
        module, _, name = env_id.rpartition(":")
        if module:
            importlib.import_module(module)
        entry = gym.spec(name).entry_point
        made: Any = load_env_creator(entry) if isinstance(entry, str) else entry
    return isinstance(made, type) and issubclass(made, CRSEnv)


@contextmanager
def _explained(env_id: str) -> Iterator[None]:
    """Make Gymnasium's errors about an id name the nearest ids and the form of an id.

    To a TypeError it appends every argument, which says nothing about the one that is wrong.
    """
    try:
        yield
    except TypeError as error:
        told, cut, _ = str(error).partition(_APPENDED)
        if not cut:
            raise
        raise ValueError(f"env.id={env_id}: {told}; see env.kwargs and env.id") from error
    except gym.error.Error as error:
        name = str(env_id).rpartition(":")[2]
        # For a malformed id Gymnasium has no class of its own.
        if not isinstance(error, gym.error.UnregisteredEnv) and ENV_ID_RE.fullmatch(name):
            raise
        raise ValueError(
            f"env.id={env_id} is not registered{nearest_hint(name, gym.registry, 3)} "
            f"(write module:Name-v0 so that the module which registers it is imported)"
        ) from error
    except ModuleNotFoundError as error:
        raise ValueError(
            f"env.id={env_id}: {error}; "
            f"the part before ':' is a module that must be importable from here"
        ) from error


def env_factory(
    config: Mapping[str, Any], *, channel: str = "text", split: str | None = None
) -> Any:
    """A picklable factory of :func:`make_env`."""
    return partial(make_env, config, channel=channel, split=split)
