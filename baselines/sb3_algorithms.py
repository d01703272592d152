"""The algorithms of Stable-Baselines3 that can be trained, by name, and their hyperparameters."""

from __future__ import annotations

import importlib
import inspect
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from catalogs.nearest import nearest_hint

_ANY_NETWORK = ("net_arch", "activation")
_LSTM = ("lstm_hidden_size", "n_lstm_layers", "shared_lstm", "enable_critic_lstm")
POLICY_SETTINGS = (*_ANY_NETWORK, *_LSTM)
"""Hyperparameters that shape the network; they are saved with it."""

TRAINING_SETTINGS = ("learning_rate_final", "finite_horizon")
"""Hyperparameters of this module's own (see :func:`split_hyperparameters`)."""

_TAKEN = {
    "gamma": "the discount is the reward's; give it as discount",
    "policy": "the policy follows from the environment's observation space",
    "env": "give make_env",
    "policy_kwargs": f"give {', '.join(POLICY_SETTINGS)} directly",
    "seed": "give seed",
    "device": "agents are trained and run on the processor",
    "verbose": "give on_scalars",
    "tensorboard_log": "give log_dir",
    "_init_setup_model": "it is Stable-Baselines3's own",
}
_ACTIVATIONS = {"tanh": "Tanh", "relu": "ReLU", "elu": "ELU"}


@dataclass(frozen=True, slots=True)
class Algorithm:
    """Where an algorithm is found and what it needs.

    Attributes:
        name: Name in configurations and files.
        module: Module of the library.
        title: Class in that module.
        policies: Module of the policy classes.
        masked: Whether it needs action masks.
        recurrent: Whether it keeps a state between decisions.
    """

    name: str
    module: str
    title: str
    policies: str
    masked: bool = False
    recurrent: bool = False

    def model_class(self) -> Any:
        """The algorithm's class."""
        return getattr(importlib.import_module(self.module), self.title)

    def policy_name(self, observation_space: Any) -> str:
        """The policy for an observation space: one input per part of a Dict, else one vector."""
        from gymnasium.spaces import Dict

        kind = "MultiInput" if isinstance(observation_space, Dict) else "Mlp"
        return f"{kind}LstmPolicy" if self.recurrent else f"{kind}Policy"

    def policy_class(self, observation_space: Any) -> Any:
        """The policy's class for an observation space."""
        module = importlib.import_module(self.policies)
        return getattr(module, self.policy_name(observation_space))


_SB3, _CONTRIB = "stable_baselines3", "sb3_contrib"
_ALL = (
    Algorithm("ppo", _SB3, "PPO", f"{_SB3}.ppo.policies"),
    Algorithm(
        "maskable_ppo", _CONTRIB, "MaskablePPO", f"{_CONTRIB}.ppo_mask.policies", masked=True
    ),
    Algorithm("a2c", _SB3, "A2C", f"{_SB3}.a2c.policies"),
    Algorithm("dqn", _SB3, "DQN", f"{_SB3}.dqn.policies"),
    Algorithm(
        "recurrent_ppo",
        _CONTRIB,
        "RecurrentPPO",
        f"{_CONTRIB}.ppo_recurrent.policies",
        recurrent=True,
    ),
)
ALGORITHMS: dict[str, Algorithm] = {algorithm.name: algorithm for algorithm in _ALL}


def find_algorithm(name: str) -> Algorithm:
    """An algorithm by name.

    Raises:
        ValueError: There is none of that name; the nearest is named.
    """
    if name not in ALGORITHMS:
        raise ValueError(f"no algorithm {name!r}{_nearest(name, tuple(ALGORITHMS))}")
    return ALGORITHMS[name]


def split_hyperparameters(
    algorithm: Algorithm, hyperparameters: Mapping[str, Any]
) -> tuple[dict[str, Any], dict[str, Any], dict[str, Any]]:
    """Sort hyperparameters into those of the algorithm, of the network, and of the training.

    The training's own are ``learning_rate_final`` (the learning rate falls to it in a straight
    line) and ``finite_horizon`` (a truncation is an ending, right when the observation holds the
    turn; default true).

    Raises:
        ValueError: The algorithm has no such hyperparameter (the nearest is named), or it is set
            elsewhere.
    """
    accepted = [
        name
        for name in inspect.signature(algorithm.model_class().__init__).parameters
        if name != "self" and name not in _TAKEN
    ]
    parts: tuple[dict[str, Any], dict[str, Any], dict[str, Any]] = ({}, {}, {})
    for name, value in hyperparameters.items():
        if name in _TAKEN:
            raise ValueError(
                f"{algorithm.name}: {name!r} is no hyperparameter here: {_TAKEN[name]}"
            )
        if name in accepted:
            parts[0][name] = value
        elif name in _network_settings(algorithm):
            parts[1][name] = value
        elif name in TRAINING_SETTINGS:
            parts[2][name] = value
        else:
            known = (*accepted, *_network_settings(algorithm), *TRAINING_SETTINGS)
            raise ValueError(
                f"{algorithm.name} has no hyperparameter {name!r}{_nearest(name, known)}"
            )
    return parts


def _network_settings(algorithm: Algorithm) -> tuple[str, ...]:
    return POLICY_SETTINGS if algorithm.recurrent else _ANY_NETWORK


def policy_arguments(settings: Mapping[str, Any]) -> dict[str, Any]:
    """Network settings as the libraries' policies take them.

    Raises:
        ValueError: An activation that does not exist; the nearest is named.
    """
    from torch import nn

    arguments = dict(settings)
    activation = arguments.pop("activation", None)
    if activation is not None:
        if activation not in _ACTIVATIONS:
            raise ValueError(
                f"no activation {activation!r}{_nearest(activation, tuple(_ACTIVATIONS))}"
            )
        arguments["activation_fn"] = getattr(nn, _ACTIVATIONS[activation])
    return arguments


def _nearest(name: object, known: tuple[str, ...]) -> str:
    return f"{nearest_hint(name, known)} (there are {', '.join(known)})"
