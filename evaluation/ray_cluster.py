"""Ray clusters: starting one of this machine, joining one that runs, and leaving no trace.

Ray is an extra (``pip install -e ".[ray]"``) and is imported only when a cluster is used.
"""

from __future__ import annotations

import os
import secrets
import shutil
import socket
import tempfile
from collections.abc import Iterator, Mapping
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from logging import ERROR, getLogger
from pathlib import Path
from typing import Any

STORE_BYTES = 100 * 2**20
"""Object store of a local cluster, far more than records in flight need (Ray's least is 75 MiB)."""

_QUIET = {
    "RAY_USAGE_STATS_ENABLED": "0",  # no telemetry
    "RAY_ACCEL_ENV_VAR_OVERRIDE_ON_ZERO": "0",  # leave CUDA_VISIBLE_DEVICES; else Ray warns
}

_TOKEN = secrets.token_hex(32)
"""What proves to a local cluster that this process started it; Ray remembers the first it sees."""


class ClusterError(RuntimeError):
    """A cluster that is not there or cannot do what is asked; the message says what to do."""


@dataclass(frozen=True, slots=True)
class Cluster:
    """Where workers run.

    Attributes:
        address: Of a cluster that runs: ``HOST:PORT``, ``ray://HOST:PORT`` or ``auto``. None starts
            one on this machine for the pool alone, which a token of its own closes to others.
        share: Processors that each worker takes.
        code: Folder that a cluster's nodes get a copy of, to import from; None for none.
        variables: Environment variables of the workers on a cluster. A local one has this
            process's own. No key belongs here: Ray shows them.
    """

    address: str | None = None
    share: float = 1.0
    code: Path | None = None
    variables: Mapping[str, str] | None = None


@contextmanager
def connected(cluster: Cluster, workers: int) -> Iterator[Any]:
    """The module ``ray``, connected to a cluster for the block; leaves nothing running.

    Args:
        cluster: Which.
        workers: Number of workers that a local one must hold.

    Raises:
        ClusterError: Ray is not installed, or the cluster cannot be reached or started.
    """
    os.environ.update({name: os.environ.get(name, value) for name, value in _QUIET.items()})
    try:
        import ray
    except ImportError as error:
        raise ClusterError(
            f"runner=ray needs Ray ({error}): pip install -c constraints.txt -e '.[ray]'"
        ) from error
    getLogger("ray").setLevel(ERROR)
    with ExitStack() as stack:
        try:
            if cluster.address is None:
                folder = stack.enter_context(_folder())
                stack.enter_context(_token())
                stack.callback(ray.shutdown)
                _start(ray, workers, folder)
            else:
                _knock(cluster.address)
                stack.callback(ray.shutdown)
                _join(ray, cluster)
        except (RuntimeError, ValueError, OSError, ray.exceptions.RayError) as error:
            reason = " ".join(str(error).split())[:300]
            if cluster.address is None:
                told = f"Ray cannot be started here ({reason}); runner=local does without it"
            else:
                told = (
                    f"no Ray cluster can be used at ray.address={cluster.address} ({reason}); "
                    f"check the address, and RAY_AUTH_TOKEN and RAY_AUTH_MODE=token if it wants one"
                )
            raise ClusterError(told) from error
        yield ray


def _start(ray: Any, workers: int, folder: str) -> None:
    """A cluster of this process; ``local``, since RAY_ADDRESS may name another."""
    ray.init(
        address="local", num_cpus=workers, include_dashboard=False, configure_logging=False,
        log_to_driver=False, object_store_memory=STORE_BYTES, _temp_dir=folder,
    )  # fmt: skip


def _knock(address: str) -> None:
    """Find out at once that nobody is there; Ray itself tries for minutes."""
    host, _, port = address.rpartition("://")[2].rpartition(":")
    if address == "auto" or not port.isdecimal():
        return
    socket.create_connection((host.strip("[]"), int(port)), timeout=10).close()


def _join(ray: Any, cluster: Cluster) -> None:
    environment: dict[str, Any] = {"env_vars": dict(cluster.variables or {})}
    if cluster.code is not None:
        left_out = ["/runs", "/.git", "/.venv", "/venv", "/build", "/dist", "__pycache__"]
        environment |= {"working_dir": str(cluster.code), "excludes": left_out}
    ray.init(
        address=cluster.address, configure_logging=False, log_to_driver=False,
        runtime_env=environment,
    )  # fmt: skip


@contextmanager
def _folder() -> Iterator[str]:
    """Ray's own files, such as logs; short, since the path of a socket must be."""
    folder = tempfile.mkdtemp(prefix="crsgym-ray-", dir="/tmp" if os.path.isdir("/tmp") else None)
    try:
        yield folder
    finally:
        shutil.rmtree(folder, ignore_errors=True)


@contextmanager
def _token() -> Iterator[None]:
    """Close a local cluster to others: Ray listens on all interfaces. Leaves no file at home."""
    if {"RAY_AUTH_MODE", "RAY_AUTH_TOKEN"} & os.environ.keys():
        yield
        return
    os.environ["RAY_AUTH_TOKEN"] = _TOKEN
    try:
        yield
    finally:
        for name in ("RAY_AUTH_MODE", "RAY_AUTH_TOKEN"):  # Ray sets the first itself
            os.environ.pop(name, None)


def processors(cluster: Cluster) -> int:
    """Number of workers that a cluster has room for, at least 1.

    Raises:
        ClusterError: As :func:`connected`.
    """
    with connected(cluster, 1) as ray:
        return max(1, int(ray.cluster_resources().get("CPU", 0.0) / cluster.share))
