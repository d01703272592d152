"""Training an agent of Stable-Baselines3 in vectorised environments."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial
from pathlib import Path
from typing import Any

import gymnasium as gym
import numpy as np
from numpy.typing import NDArray

from baselines.sb3_agent import SB3Agent
from baselines.sb3_algorithms import (
    Algorithm,
    find_algorithm,
    policy_arguments,
    split_hyperparameters,
)
from baselines.sb3_curves import EpisodeTally, Progress, Scalars, scalar_logger
from baselines.sb3_interface import Interface, MakeEnv, interface_of_factory

SEEDS = 2**32
"""Seeds that the libraries of the agents take: 0 up to this."""

POINTS = 100
"""Points of a learning curve, about."""

_EPISODE_LENGTH = 5
"""Steps of a typical episode, where the library counts episodes."""


class FiniteHorizon(gym.Wrapper[Any, Any, Any, Any]):
    """Reports a truncation as a termination.

    The turn is part of the observation, so the turn limit is a fact about the task and nothing
    comes after it. Left as a truncation, learners would add the value of an observation that is
    never followed by anything (Pardo et al. 2018, "Time Limits in Reinforcement Learning").
    """

    def step(self, action: Any) -> tuple[Any, Any, bool, bool, dict[str, Any]]:
        """One step; ``truncated`` is always false."""
        observation, reward, terminated, truncated, info = self.env.step(action)
        return observation, reward, bool(terminated or truncated), False, info


class CheckedMasks(gym.Wrapper[Any, Any, Any, Any]):
    """Refuses a mask that allows nothing, of which libraries silently make an illegal action."""

    def action_masks(self) -> NDArray[np.bool_]:
        """The environment's mask; ValueError if it allows no action."""
        mask = np.asarray(self.env.get_wrapper_attr("action_masks")(), dtype=np.bool_)
        if not mask.any():
            raise ValueError(f"{self.env.unwrapped}: the action mask allows no action")
        return mask


def _with_checked_masks(make_env: MakeEnv) -> gym.Env[Any, Any]:
    return CheckedMasks(make_env())


def train_agent(
    algorithm: str,
    make_env: MakeEnv,
    *,
    total_timesteps: int,
    n_envs: int,
    seed: int,
    discount: float,
    hyperparameters: Mapping[str, Any] | None = None,
    log_dir: Path | None = None,
    on_scalars: Callable[[Scalars, int], None] | None = None,
    progress: Progress | None = None,
) -> SB3Agent:
    """Train an agent on the processor with one thread; the same arguments give the same weights.

    Args:
        algorithm: Name from :data:`baselines.sb3_algorithms.ALGORITHMS`.
        make_env: Makes an environment; called ``n_envs`` times, and once more to look at.
        total_timesteps: Environment steps, all environments together; rounded up to whole updates.
        n_envs: Environments stepped in one process. Environment i is reset with seed ``seed + i``.
        seed: Seed of weights, exploration and environments, in 0..2**32 - 1.
        discount: Discount gamma in (0, 1]; use the reward's.
        hyperparameters: By name (see :func:`baselines.sb3_algorithms.split_hyperparameters`).
        log_dir: Where the library's own logger writes a TensorBoard file of the learning curve.
        on_scalars: Receives the same numbers and the timesteps so far, for any other logger.
        progress: Called with the timesteps done and in all.

    Raises:
        ValueError: An unknown algorithm or hyperparameter, or a number out of range.
        TypeError: The environment lacks what the algorithm needs.
    """
    chosen = find_algorithm(algorithm)
    interface = interface_of_factory(make_env)
    check_training(chosen, interface, total_timesteps, n_envs, seed)
    if not 0.0 < discount <= 1.0:
        raise ValueError(f"discount must be in (0, 1], got {discount}")
    import torch

    torch.set_num_threads(1)
    if chosen.masked and not interface.by_view:  # the masks of a dialogue are never empty
        make_env = partial(_with_checked_masks, make_env)
    own, network, training = split_hyperparameters(chosen, hyperparameters or {})
    vector = vector_env(make_env, n_envs, bool(training.get("finite_horizon", True)))
    try:
        model = chosen.model_class()(
            chosen.policy_name(interface.observation_space),
            vector,
            gamma=discount,
            seed=seed,
            device="cpu",
            policy_kwargs=policy_arguments(network),
            **_scheduled(own, training.get("learning_rate_final")),
        )
        model.set_logger(scalar_logger(log_dir, on_scalars))
        tally = EpisodeTally(n_envs, total_timesteps, progress)
        interval = _log_interval(model, total_timesteps, n_envs)
        model.learn(total_timesteps, callback=tally.step, log_interval=interval)
        model.logger.dump(model.num_timesteps)
        model.logger.close()
    finally:
        vector.close()
    if progress is not None:
        progress(total_timesteps, total_timesteps)
    return SB3Agent.of_model(model, chosen, interface, network, dict(hyperparameters or {}))


def vector_env(make_env: MakeEnv, n_envs: int, finite_horizon: bool = True) -> Any:
    """Environments stepped in this process one by one, with returns and lengths in ``info``."""
    from stable_baselines3.common.vec_env import DummyVecEnv, VecMonitor

    def make() -> gym.Env[Any, Any]:
        return FiniteHorizon(make_env()) if finite_horizon else make_env()

    return VecMonitor(DummyVecEnv([make] * n_envs))


def _log_interval(model: Any, total_timesteps: int, n_envs: int) -> int:
    """Updates (of DQN: episodes) between two of about ``POINTS`` points of the learning curve."""
    steps = getattr(model, "n_steps", None)
    length = _EPISODE_LENGTH if steps is None else steps * n_envs
    return max(1, total_timesteps // (length * POINTS))


def check_training(
    algorithm: Algorithm, interface: Interface, total_timesteps: Any, n_envs: Any, seed: int
) -> None:
    """Find what cannot be trained before anything is.

    Raises:
        ValueError: A number is out of range.
        TypeError: The environment lacks what the algorithm needs.
    """
    for name, number in (("total_timesteps", total_timesteps), ("n_envs", n_envs)):
        if isinstance(number, bool) or not isinstance(number, int) or number < 1:
            raise ValueError(f"{name} must be a whole number of at least 1, not {number!r}")
    if not 0 <= seed < SEEDS:
        raise ValueError(f"seed must be in 0..{SEEDS - 1} to train with, not {seed}")
    _check_environment(algorithm, interface)


def _check_environment(algorithm: Algorithm, interface: Interface) -> None:
    from gymnasium.spaces import Box, Dict, Discrete, MultiBinary, MultiDiscrete

    if algorithm.masked and not interface.masked:
        raise TypeError(
            f"{algorithm.name} needs the environment's action_masks() -> bool array of the legal "
            "actions; this environment has none: add it, or train ppo"
        )
    if not isinstance(
        interface.observation_space, Box | Dict | Discrete | MultiBinary | MultiDiscrete
    ):
        raise TypeError(
            f"Stable-Baselines3 cannot read {interface.observation_space}; encode it as a flat "
            "Box, for example with gymnasium.wrappers.FlattenObservation"
        )
    if algorithm.name == "dqn" and not isinstance(interface.action_space, Discrete):
        raise TypeError(f"dqn needs a Discrete action space, not {interface.action_space}")


def _scheduled(settings: dict[str, Any], final: float | None) -> dict[str, Any]:
    """With a final learning rate, the learning rate falls in a straight line over the training."""
    if final is None:
        return settings
    first = settings.get("learning_rate")
    if first is None:
        raise ValueError("learning_rate_final needs learning_rate, from which it falls")
    return {**settings, "learning_rate": lambda left: final + (first - final) * left}
