"""What the benchmarks of language models share: configurations, dialogues, endpoint's counts."""

from __future__ import annotations

import json
import tempfile
import time
import urllib.request
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from hydra import compose, initialize_config_dir
from omegaconf import OmegaConf

from conf.environments import env_factory
from conf.models import release_models
from conf.overrides import CONF_DIR
from conf.policies import policy_factory
from evaluation.records import Record, Timing
from evaluation.runner import evaluate


@dataclass(frozen=True, slots=True)
class Run:
    """Dialogues that were held.

    Attributes:
        records: One per dialogue.
        timings: One per record.
        seconds: Wall time, the building of environments and policies included.
        computing: Seconds of that in which this process computed, of one processor.
    """

    records: list[Record]
    timings: list[Timing]
    seconds: float
    computing: float

    @property
    def turns(self) -> int:
        """System turns of all dialogues."""
        return sum(int(record["n_turns"]) for record in self.records)

    @property
    def turns_per_second(self) -> float:
        """Throughput."""
        return self.turns / self.seconds

    def mean(self, name: str) -> float:
        """Mean of a count of ``timings.jsonl`` over dialogues."""
        return float(sum(timing[name] for timing in self.timings)) / len(self.timings)


def configuration(*overrides: str) -> dict[str, Any]:
    """The configuration that ``train.py`` composes from these overrides."""
    with initialize_config_dir(config_dir=str(CONF_DIR), version_base="1.3"):
        plain: Any = OmegaConf.to_container(compose("config", list(overrides)), resolve=True)
    return dict(plain)


def hold(config: dict[str, Any], episodes: int | Sequence[int], threads: int) -> Run:
    """Hold dialogues as ``train.py`` does, in a run directory that is thrown away.

    Args:
        config: A composed configuration.
        episodes: Numbers of the dialogues, or how many.
        threads: Dialogues at a time.
    """
    with tempfile.TemporaryDirectory() as folder:
        started, computed = time.perf_counter(), time.process_time()
        found = evaluate(
            env_factory(config),
            policy_factory(config),
            episodes=episodes,
            seed=config["seed"],
            run_dir=Path(folder),
            split=config["split"],
            threads=threads,
        )
        seconds = time.perf_counter() - started
        computing = time.process_time() - computed
    release_models(config)
    return Run(found.records, found.timings, seconds, computing)


def stats(base_url: str) -> dict[str, Any]:
    """What an endpoint of ``serving`` has counted since its start."""
    return _json(urllib.request.Request(base_url.removesuffix("/v1") + "/stats"))


def _json(request: urllib.request.Request) -> dict[str, Any]:
    # A proxy that the environment names is not for this machine's own addresses.
    opener = urllib.request.build_opener(urllib.request.ProxyHandler({}))
    with opener.open(request, timeout=30) as response:
        return dict(json.load(response))


def verdict(holds: bool) -> str:
    """How a line says whether its limit holds."""
    return "holds" if holds else "DOES NOT HOLD"
