"""Steps per second of one environment beside Gymnasium's CartPole.

Run it with ``python -m benchmarks.env_speed``. Both environments are made by ``gym.make``, stepped
by the same picker (``action_space.sample(mask)``) in alternating rounds of one process, and reset
when an episode ends; the median ratio over rounds is what counts, since clocks of shared machines
wander.
"""

from __future__ import annotations

import argparse
import statistics
import time
from typing import Any

import gymnasium as gym
import numpy as np


def steps_per_second(env: gym.Env[Any, Any], steps: int) -> float:
    """Play random valid actions; resets count as part of the time."""
    everything = np.ones(int(env.action_space.n), dtype=np.int8)  # type: ignore[attr-defined]
    _, info = env.reset(seed=0)
    env.action_space.seed(0)
    started = time.perf_counter()
    for _ in range(steps):
        mask = info.get("action_mask")
        action = env.action_space.sample(everything if mask is None else mask.view(np.int8))
        _, _, terminated, truncated, info = env.step(action)
        if terminated or truncated:
            _, info = env.reset()
    return steps / (time.perf_counter() - started)


def main() -> None:
    """Command line."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.env_speed", description=__doc__)
    parser.add_argument("--id", default="envs:CRS/Redial-v0")
    parser.add_argument("--steps", type=int, default=20_000, help="steps per round")
    parser.add_argument("--rounds", type=int, default=5)
    args = parser.parse_args()
    ours = gym.make(args.id, channel="acts", split="train")
    cartpole = gym.make("CartPole-v1")
    steps_per_second(ours, args.steps)
    ratios = []
    for number in range(args.rounds):
        reference = steps_per_second(cartpole, args.steps)
        speed = steps_per_second(ours, args.steps)
        ratios.append(speed / reference)
        print(
            f"round {number}: {args.id} {speed:,.0f} steps/s, CartPole-v1 {reference:,.0f}, "
            f"ratio {ratios[-1]:.2f}"
        )
    catalog = ours.unwrapped.catalog  # type: ignore[attr-defined]
    print(
        f"{catalog.source}, {len(catalog):,} items, channel=acts: "
        f"median ratio {statistics.median(ratios):.2f}"
    )


if __name__ == "__main__":
    main()
