"""Trying settings: train dialogues with the policy that they make."""

from __future__ import annotations

import hashlib
import json
import tempfile
import time
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

from rich.console import Console

from benchmarks.tuning.errors import TuningError
from benchmarks.tuning.log import Trial
from benchmarks.tuning.space import SPACES, Settings, Space, changed
from conf.environments import env_factory, make_env
from conf.experience import experience_file
from conf.policies import check_policy, is_learning, make_policy
from evaluation.episode import Session
from evaluation.protocols import check_match

SPLIT = "train"


class Bench:
    """Where a planner's settings are tried: one environment, the same episodes for all.

    Args:
        config: The composed configuration.
        space: What the trials differ in.
        console: Where the making of an experience base is told.

    Raises:
        TuningError: The environment cannot be made.
    """

    def __init__(self, config: dict[str, Any], space: Space, console: Console) -> None:
        self._config = config
        self._console = console
        try:
            self._env = make_env(config, split=SPLIT)
        except (TypeError, ValueError) as error:
            raise TuningError(str(error)) from error
        self._base = base_of(config, space)

    def close(self) -> None:
        """Close the environment."""
        self._env.close()

    def planned(
        self, number: int, trial: int, settings: Settings, first: int, dialogues: int, share: float
    ) -> Trial:
        """A trial before it is made.

        Args:
            number: Of the round.
            trial: Of the settings.
            settings: The settings.
            first: First episode.
            dialogues: Dialogues to hold.
            share: Of a learning agent's training that the trial is given, in (0, 1].
        """
        planner, steps = self._config["planner"], 0
        if is_learning(self._config):
            steps = int(share * planner["total_timesteps"])
        items = len(getattr(self._env.unwrapped, "catalog", ()))
        return Trial(
            planner["name"], self._config["env"]["name"], items, self._base, number, trial,
            settings, first, dialogues, 0.0, 0.0, "", 0.0, steps,
        )  # fmt: skip

    def check(self, settings: Settings) -> None:
        """Find settings that make no policy before any trial is made.

        Raises:
            TuningError: The message says what is wrong with them.
        """
        if is_learning(self._config):
            return
        try:
            check_match(self._env, check_policy(changed(self._config, settings)))
        except (TypeError, ValueError) as error:
            raise TuningError(f"{SPACES}: {settings} make no policy: {error}") from error

    def run(self, planned: Trial) -> Trial:
        """Make a trial."""
        started = time.perf_counter()
        config = changed(self._config, planned.settings)
        with tempfile.TemporaryDirectory() as folder:
            session = Session(
                self._env, self._policy(config, planned, Path(folder)), config["seed"], SPLIT
            )
            episodes = range(planned.first, planned.first + planned.dialogues)
            records = [session(episode)[0] for episode in episodes]
        wins = [bool(record["success"]) for record in records]
        return replace(
            planned,
            success=round(sum(wins) / len(wins), 6),
            earned=round(sum(record["return"] for record in records) / len(records), 6),
            outcomes="".join("1" if win else "0" for win in wins),
            seconds=round(time.perf_counter() - started, 2),
        )

    def _policy(self, config: dict[str, Any], planned: Trial, folder: Path) -> Any:
        if not is_learning(config):
            base = experience_file(config, self._env, self._console)
            return make_policy(config, None, None if base is None else str(base))
        from baselines.sb3_training import train_agent

        planner = config["planner"]
        agent = train_agent(
            planner["algorithm"],
            env_factory(config, channel="acts", split=SPLIT),
            total_timesteps=planned.timesteps,
            n_envs=planner["n_envs"],
            seed=config["seed"],
            discount=config["reward"]["discount"],
            hyperparameters=planner["hyperparameters"],
        )
        path = folder / "agent.zip"
        agent.save(path)
        return make_policy(config, str(path))


def base_of(config: Mapping[str, Any], space: Space) -> str:
    """Digest of all that trials share: the planner's other constants, environment, reward, seed."""
    shared = {key: config[key] for key in ("planner", "env", "reward", "retrieval", "seed")}
    shared = changed(shared, dict.fromkeys(space))
    text = json.dumps(shared, sort_keys=True, default=str)
    return hashlib.sha256(text.encode()).hexdigest()[:12]
