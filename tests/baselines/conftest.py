"""Small environments and small agents."""

from functools import partial
from typing import Any

import gymnasium as gym
import pytest

from baselines.sb3_agent import SB3Agent
from baselines.sb3_interface import MakeEnv
from baselines.sb3_training import train_agent
from rewards.total import DISCOUNT

SMALL: dict[str, dict[str, Any]] = {
    "ppo": {"n_steps": 32, "batch_size": 64, "n_epochs": 2},
    "maskable_ppo": {"n_steps": 32, "batch_size": 64, "n_epochs": 2},
    "a2c": {"n_steps": 16},
    "dqn": {"learning_starts": 32, "buffer_size": 500, "batch_size": 16},
    "recurrent_ppo": {"n_steps": 32, "batch_size": 64, "n_epochs": 2, "lstm_hidden_size": 16},
}


@pytest.fixture(scope="session")
def no_data(tmp_path_factory):
    """An empty data folder: the bundled sample on every machine."""
    return str(tmp_path_factory.mktemp("no_data"))


@pytest.fixture(scope="session")
def make_movies(no_data):
    return partial(gym.make, "envs:CRS/Redial-v0", channel="acts", split="train", data_dir=no_data)


@pytest.fixture(scope="session")
def make_books(no_data):
    return partial(gym.make, "envs:CRS/OpenDialKGBook-v0", channel="acts", data_dir=no_data)


@pytest.fixture(scope="session")
def trained(make_movies):
    """A small agent of an algorithm, trained once."""
    made = {}

    def agent(algorithm):
        if algorithm not in made:
            made[algorithm] = small_training(algorithm, make_movies)
        return made[algorithm]

    return agent


def small_training(
    algorithm: str,
    make_env: MakeEnv,
    seed: int = 0,
    steps: int = 256,
    settings: dict[str, Any] | None = None,
    **more: Any,
) -> SB3Agent:
    """A training of a second."""
    return train_agent(
        algorithm,
        make_env,
        total_timesteps=steps,
        n_envs=2,
        seed=seed,
        discount=DISCOUNT,
        hyperparameters={**SMALL[algorithm], "net_arch": [16], **(settings or {})},
        **more,
    )
