"""How many dialogues a run holds at a time, and where: processes of this machine or a cluster."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

from catalogs.catalog import Catalog
from conf.environments import make_env
from conf.models import dialogues_at_once, has_models
from conf.run_errors import RunError
from evaluation.ray_cluster import Cluster, processors
from language.llm.call import ROLES
from language.llm.settings import read_settings

RUNNERS = ("local", "ray")
WAITING = 0.1
"""Processors that a worker takes which waits for models most of its time."""

_ROOT = Path(__file__).resolve().parents[1]
_KEPT = ("llm.max_cost_usd", "llm.max_calls", "llm.record", "llm.replay")
"""What one process must keep for the whole run."""


@dataclass(frozen=True, slots=True)
class Team:
    """Who holds the dialogues of a run.

    Attributes:
        workers: Processes, of this machine or of the cluster.
        threads: Threads in this process.
        cluster: The cluster, None for this machine's processes.
    """

    workers: int
    threads: int
    cluster: Cluster | None


def check_workers(config: Mapping[str, Any]) -> None:
    """Find what cannot work.

    Raises:
        RunError: ``workers``, ``runner`` or ``ray.address`` is wrong, or the run has something that
            a cluster cannot keep.
    """
    workers, runner, address = config["workers"], config["runner"], config["ray"]["address"]
    if runner not in RUNNERS:
        raise RunError(f"runner must be local or ray, not {runner!r}")
    if address is not None and (runner != "ray" or not isinstance(address, str)):
        raise RunError(
            f"ray.address={address}: give HOST:PORT, ray://HOST:PORT or auto, with runner=ray"
        )
    if workers != "auto" and (
        not isinstance(workers, int) or isinstance(workers, bool) or workers < 1
    ):
        raise RunError(f"workers must be 'auto' or a whole number of at least 1, not {workers!r}")
    if runner == "ray" and config["simulator"] == "human":
        raise RunError("simulator=human talks in this terminal, not on a cluster; use runner=local")
    if not has_models(config):
        return
    if runner == "ray":
        _check_models_on_cluster(config)
    elif workers != "auto" and workers > 1:
        raise RunError(
            f"workers={workers} is for embedded runs: a run with language models waits for them in "
            f"one process; leave workers=auto and set llm.parallel={workers} (dialogues at a time)"
        )


def team_of(config: Mapping[str, Any], left: int) -> Team:
    """Who holds the dialogues that are left.

    Raises:
        ClusterError: The cluster, which is asked for its size, is not there.
    """
    if config["simulator"] == "human":
        return Team(1, 1, None)
    threads = dialogues_at_once(config)
    if config["runner"] == "ray":
        cluster = _cluster(config)
        workers = config["workers"]
        if workers == "auto" and has_models(config):
            workers = min(left, threads)
        elif workers == "auto":
            workers = min(left, processors(cluster) if cluster.address else _cores())
        return Team(max(1, workers), 1, cluster)
    if config["workers"] != "auto":
        return Team(config["workers"], threads, None)
    alone = has_models(config) or not config["planner"].get("parallel")
    return Team(1 if alone else max(1, min(_cores(), left)), threads, None)


def env_of_team(config: Mapping[str, Any], env: Any) -> Callable[[], Any]:
    """The factory of environments that workers get.

    On a cluster each checks that its node has the same items, or a node without the data set would
    hold dialogues about the bundled ones.

    Args:
        config: All settings.
        env: The environment that this process has made of them.
    """
    if config["runner"] != "ray" or config["ray"]["address"] is None:
        return partial(make_env, config)
    return partial(_same_env, config, _digest(env))


def _same_env(config: Mapping[str, Any], digest: str | None) -> Any:
    env = make_env(config)
    if _digest(env) != digest:
        found = getattr(getattr(env.unwrapped, "catalog", None), "source", "no items")
        env.close()
        raise RunError(
            f"a node of the cluster found other items ({found}) than the process that started the "
            f"run; put the data set and files of your own at the same place on every node"
        )
    return env


def _digest(env: Any) -> str | None:
    catalog: Catalog | None = getattr(env.unwrapped, "catalog", None)
    if catalog is None:
        return None
    items = repr([(i.id, i.title, i.year, i.values, i.plot) for i in catalog.items])
    return hashlib.sha256(f"{items}{catalog.vocabulary}".encode()).hexdigest()


def _cluster(config: Mapping[str, Any]) -> Cluster:
    share = WAITING if has_models(config) else 1.0
    address = config["ray"]["address"]
    if address is None:
        return Cluster(share=share)
    given = {name: value for name, value in os.environ.items() if name.startswith("CRS_")}
    return Cluster(address, share, _ROOT, given)


def _check_models_on_cluster(config: Mapping[str, Any]) -> None:
    """Each worker has models of its own: nothing that they would have to share can be kept."""
    settings = config["llm"]
    for key in _KEPT:
        if settings[key.removeprefix("llm.")] is not None:
            raise RunError(
                f"{key} holds for one process, and runner=ray has several; leave it out, or use "
                f"runner=local, which waits for models in one process (llm.parallel)"
            )
    roles = read_settings(settings).roles
    for name in ROLES:
        if roles[name].backend == "local":
            raise RunError(
                f"llm.roles.{name}: the local model runs inside one process; use runner=local"
            )
    if config["ray"]["address"] is None:
        return
    for name in ROLES:
        own = (settings["roles"] or {}).get(name) or {}
        named = own.get("base_url") or settings["base_url"]
        if roles[name].backend == "server" and not named:
            raise RunError(
                f"llm.roles.{name}: the nodes of a cluster cannot reach an endpoint that is "
                f"started here; start one that they reach and name it with "
                f"llm.base_url=http://HOST:PORT/v1"
            )


def _cores() -> int:
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1
