"""How much of a PPO training's wall time the environments take.

Run from the checkout: `python -m benchmarks.ppo_env_share`. PPO learns from four environments in
one process, once with Stable-Baselines3's own hyperparameters and once with those of
`conf/planner/ppo.yaml`. Two shares of the time inside `learn` are printed: that of everything
behind the vector environment's `reset` and `step` (the library's copying of observations included),
and that of the environments alone. The share depends on how much is learned from each step: the
library's defaults pass ten times over every rollout in batches of 64, the tuned ones less, so the
limit is held against the first row. The real catalogue is used where `CRS_DATA` has it, else the
bundled one.
"""

import sys
from dataclasses import dataclass
from pathlib import Path
from time import perf_counter
from typing import Any

import gymnasium as gym
import torch
import yaml
from stable_baselines3 import PPO
from stable_baselines3.common.vec_env import DummyVecEnv, VecEnvWrapper, VecMonitor

from baselines.sb3_algorithms import find_algorithm, policy_arguments, split_hyperparameters
from rewards.total import DISCOUNT

N_ENVS = 4
TIMESTEPS = 30_000
LIMIT = 0.25
CONFIGURATION = Path(__file__).parents[1] / "conf" / "planner" / "ppo.yaml"


@dataclass
class Clock:
    """Seconds spent somewhere."""

    seconds: float = 0.0


class TimedEnv(gym.Wrapper[Any, Any, Any, Any]):
    """Books what one environment takes."""

    def __init__(self, env: gym.Env[Any, Any], clock: Clock) -> None:
        super().__init__(env)
        self._clock = clock

    def reset(self, **arguments: Any) -> tuple[Any, dict[str, Any]]:
        """Books a reset."""
        start = perf_counter()
        result = self.env.reset(**arguments)
        self._clock.seconds += perf_counter() - start
        return result

    def step(self, action: Any) -> tuple[Any, Any, bool, bool, dict[str, Any]]:
        """Books a step."""
        start = perf_counter()
        result = self.env.step(action)
        self._clock.seconds += perf_counter() - start
        return result


class TimedVecEnv(VecEnvWrapper):
    """Books everything that happens behind the vector environment's reset and step."""

    def __init__(self, venv: Any, clock: Clock) -> None:
        super().__init__(venv)
        self._clock = clock

    def reset(self) -> Any:
        """Books a reset of all environments."""
        start = perf_counter()
        observations = self.venv.reset()
        self._clock.seconds += perf_counter() - start
        return observations

    def step_async(self, actions: Any) -> None:
        """Books the sending of actions."""
        start = perf_counter()
        self.venv.step_async(actions)
        self._clock.seconds += perf_counter() - start

    def step_wait(self) -> Any:
        """Books a step of all environments, resets at the end of episodes included."""
        start = perf_counter()
        result = self.venv.step_wait()
        self._clock.seconds += perf_counter() - start
        return result


def measure(hyperparameters: dict[str, Any]) -> tuple[float, float, float]:
    """Train; returns the two shares and the timesteps a second."""
    alone, vector = Clock(), Clock()

    def make() -> gym.Env[Any, Any]:
        env = gym.make(
            "envs:CRS/Redial-v0", channel="acts", split="train", disable_env_checker=True
        )
        return TimedEnv(env, alone)

    own, network, _ = split_hyperparameters(find_algorithm("ppo"), hyperparameters)
    venv = TimedVecEnv(VecMonitor(DummyVecEnv([make] * N_ENVS)), vector)
    model = PPO(
        "MlpPolicy",
        venv,
        gamma=DISCOUNT,
        seed=0,
        device="cpu",
        policy_kwargs=policy_arguments(network),
        **own,
    )
    # The first rollout fills the environments' caches, as the rest of a long training finds them.
    model.learn(model.n_steps * N_ENVS)
    alone.seconds = vector.seconds = 0.0
    before = model.num_timesteps
    start = perf_counter()
    model.learn(TIMESTEPS, reset_num_timesteps=False)
    wall = perf_counter() - start
    steps = model.num_timesteps - before
    venv.close()
    return vector.seconds / wall, alone.seconds / wall, steps / wall


def main() -> None:
    """Print a line for each set of hyperparameters; the last line is the figure.

    Exits with 1 when the share with the library's defaults is over the limit.
    """
    torch.set_num_threads(1)
    configured = yaml.safe_load(CONFIGURATION.read_text(encoding="utf-8"))["hyperparameters"]
    shares = []
    for name, hyperparameters in (
        ("library's defaults", {}),
        ("conf/planner/ppo.yaml", configured),
    ):
        vector, alone, speed = measure(hyperparameters)
        shares.append(vector)
        print(
            f"PPO, {N_ENVS} environments, {name}: {vector:.1%} of learn() behind the vector "
            f"environment, {alone:.1%} in the environments alone, {speed:,.0f} timesteps/s"
        )
    print(f"share with the library's defaults {shares[0]:.3f}, limit {LIMIT}")
    sys.exit(shares[0] > LIMIT)


if __name__ == "__main__":
    main()
