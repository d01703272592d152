"""What an agent reads and does: the part of an environment that a saved agent must fit."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import gymnasium as gym
from gymnasium import spaces

from envs.observation import Observer
from envs.protocol import METHODS

MakeEnv = Callable[[], gym.Env[Any, Any]]


@dataclass(frozen=True, slots=True)
class Interface:
    """Observation and action side of an environment; picklable.

    Attributes:
        observation_space: As the agent sees it.
        action_space: As the agent sees it.
        observation_names: Name of each entry of a dialogue's observation; else empty.
        action_names: Name of each action of a dialogue's domain; else empty.
        masked: Whether the environment says which actions are legal.
        by_view: Whether the observation is the one that is encoded from the public view.
    """

    observation_space: spaces.Space[Any]
    action_space: spaces.Space[Any]
    observation_names: tuple[str, ...] = ()
    action_names: tuple[str, ...] = ()
    masked: bool = field(default=False, compare=False)
    by_view: bool = False


def interface_of(env: gym.Env[Any, Any]) -> Interface:
    """The interface of an environment, wrappers included."""
    observer = getattr(env.unwrapped, "observer", None)
    named = isinstance(observer, Observer) and env.observation_space.shape == (observer.size,)
    domain = getattr(env.unwrapped, "domain", None)
    return Interface(
        env.observation_space,
        env.action_space,
        tuple(observer.names) if named and observer is not None else (),
        tuple(domain.actions) if named and domain is not None else (),
        _has_masks(env),
        named and all(hasattr(type(env.unwrapped), name) for name in METHODS),
    )


def interface_of_factory(make_env: MakeEnv) -> Interface:
    """The interface of the environments that a factory makes; one is made and closed."""
    env = make_env()
    try:
        return interface_of(env)
    finally:
        env.close()


def _has_masks(env: gym.Env[Any, Any]) -> bool:
    try:
        return callable(env.get_wrapper_attr("action_masks"))
    except AttributeError:
        return False
