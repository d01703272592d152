"""Environments from a configuration."""

from __future__ import annotations

import difflib
from collections.abc import Mapping
from functools import partial
from typing import Any

import gymnasium as gym

OWN = "envs:CRS/"
"""Ids of this project; only they know channels, splits and rewards."""


def make_env(config: Mapping[str, Any], *, channel: str = "text", split: str | None = None) -> gym.Env[Any, Any]:
    """Make the environment of a configuration.

    Args:
        config: The composed configuration as plain values.
        channel: ``text``, or ``acts`` for training; ignored by environments of others.
        split: Split of episodes that a reset does not name; default: the configuration's.

    Raises:
        ValueError: The id is not registered (the nearest are named) or an argument is wrong.
    """
    env = config["env"]
    arguments: dict[str, Any] = {}
    if str(env["id"]).startswith(OWN):
        arguments = {
            "channel": channel,
            "split": split or config["split"],
            "max_turns": env["max_turns"],
            "reward": config["reward"]["terms"],
            "retrieval": env["retrieval"],
            "data_dir": config["data"]["dir"],
            "strict": config["data"]["strict"],
        }
        if env["name"] == "custom":
            arguments |= {"domain": env["domain"], "items": env["items"]}
    try:
        return gym.make(env["id"], **arguments, **env["kwargs"])
    except gym.error.UnregisteredEnv as error:
        near = difflib.get_close_matches(str(env["id"]).rpartition(":")[2], gym.registry, 3)
        hint = f"; did you mean {', '.join(near)}?" if near else ""
        raise ValueError(
            f"env.id={env['id']} is not registered{hint} (write module:Name-v0 so that the module which "
            f"registers it is imported)"
        ) from error
    except ModuleNotFoundError as error:
        raise ValueError(
            f"env.id={env['id']}: {error}; the part before ':' is a module to import"
        ) from error


def env_factory(config: Mapping[str, Any], *, channel: str = "text", split: str | None = None) -> Any:
    """A picklable factory of :func:`make_env`."""
    return partial(make_env, config, channel=channel, split=split)
