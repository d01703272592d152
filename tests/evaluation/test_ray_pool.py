"""A Ray cluster changes where dialogues are held, and nothing else."""

import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from evaluation import ray_cluster
from evaluation.ray_cluster import Cluster, ClusterError, processors
from evaluation.ray_pool import ATTEMPTS
from evaluation.records import RECORDS
from evaluation.runner import EvaluationError, evaluate
from language.llm.errors import RunStopped
from tests.evaluation.fakes import DyingPolicy, FakeEnv, GuessPolicy, ModelPolicy

EPISODES = 12
ROOT = Path(__file__).resolve().parents[2]


class DyingOnce(DyingPolicy):
    """Kills its process in one episode, the first time that it is held."""

    def __init__(self, episode: int, marker: str) -> None:
        super().__init__(episode)
        self.marker = Path(marker)

    def decide(self, view: Any, rng: Any) -> Any:
        if view.env.key["episode"] == self.episode and not self.marker.exists():
            self.marker.touch()
            os.kill(os.getpid(), signal.SIGKILL)
        return GuessPolicy.decide(self, view, rng)


class NodeKiller(GuessPolicy):
    """Kills its process and the node that it belongs to in one episode."""

    def __init__(self, episode: int) -> None:
        super().__init__()
        self.episode = episode

    def decide(self, view: Any, rng: Any) -> Any:
        if view.env.key["episode"] == self.episode:
            os.kill(os.getppid(), signal.SIGKILL)
            os.kill(os.getpid(), signal.SIGKILL)
        return super().decide(view, rng)


class ReportingPolicy(GuessPolicy):
    """Fails with what it finds of its surroundings."""

    def decide(self, view: Any, rng: Any) -> Any:
        raise LookupError(f"{os.getcwd()} {os.environ.get('CRS_DATA')}")


def run(run_dir: Path, policy: Any, **changes: Any) -> bytes:
    arguments: dict[str, Any] = {
        "episodes": EPISODES,
        "seed": 3,
        "run_dir": run_dir,
        "workers": 2,
    } | changes
    evaluate(FakeEnv, policy, **arguments)
    return lines(run_dir)


def lines(run_dir: Path) -> bytes:
    return (run_dir / RECORDS).read_bytes()


def processes_of(word: str) -> list[int]:
    """Processes whose command line holds a word."""
    found = []
    for entry in Path("/proc").glob("[0-9]*"):
        try:
            if word.encode() in (entry / "cmdline").read_bytes():
                found.append(int(entry.name))
        except OSError:
            continue
    return found


@pytest.fixture(scope="module")
def local_records(tmp_path_factory: pytest.TempPathFactory) -> bytes:
    return run(tmp_path_factory.mktemp("local"), GuessPolicy, workers=1)


@pytest.fixture(scope="module", autouse=True)
def fresh_ray() -> None:
    """Ray reads how it authenticates once, when it is imported."""
    if "ray" in sys.modules:
        pytest.skip("Ray was imported by another file's tests; run this file alone (.ci/run does)")


@pytest.fixture(scope="module")
def cluster() -> Iterator[Cluster]:
    """A cluster with two processors that is there before the pools which join it, and after."""
    script = (
        "import sys\n"
        "from evaluation.ray_cluster import Cluster, connected\n"
        "with connected(Cluster(), 2) as ray:\n"
        "    print(ray.get_runtime_context().gcs_address, flush=True)\n"
        "    sys.stdin.read()\n"
    )
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("RAY_AUTH_MODE", "token")
        patch.setenv("RAY_AUTH_TOKEN", ray_cluster._TOKEN)  # both are read when Ray is imported
        pytest.importorskip("ray", reason="needs the extra 'ray'")
        head = subprocess.Popen(
            [sys.executable, "-c", script], cwd=ROOT, stdin=subprocess.PIPE, stdout=subprocess.PIPE,
            text=True,
        )  # fmt: skip
        assert head.stdin is not None
        assert head.stdout is not None
        yield Cluster(head.stdout.readline().strip(), variables={"CRS_DATA": "/far/away"})
        head.stdin.close()
        assert head.wait(60) == 0
        head.stdout.close()


def test_without_ray_the_install_line_is_told(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setitem(sys.modules, "ray", None)
    with pytest.raises(ClusterError, match=r"pip install -c constraints\.txt -e '\.\[ray\]'"):
        run(tmp_path, GuessPolicy, cluster=Cluster())


def test_what_cannot_be_pickled_is_refused(tmp_path: Path) -> None:
    with pytest.raises(TypeError, match="runner=ray needs factories that can be pickled"):
        run(tmp_path, lambda: GuessPolicy(), cluster=Cluster())


@pytest.mark.slow
def test_records_are_the_same_though_a_worker_dies(
    tmp_path: Path, cluster: Cluster, local_records: bytes
) -> None:
    marker = tmp_path / "died"
    policy = partial(DyingOnce, 4, str(marker))
    assert run(tmp_path / "run", policy, cluster=cluster) == local_records
    assert marker.exists()
    assert processors(cluster) == 2  # the cluster outlives its pools


@pytest.mark.slow
def test_a_task_that_kills_every_worker_is_named(
    tmp_path: Path, cluster: Cluster, local_records: bytes
) -> None:
    with pytest.raises(EvaluationError, match=rf"episode 4 of .* {ATTEMPTS} workers of the clus"):
        run(tmp_path, partial(DyingPolicy, 4), cluster=cluster)
    assert lines(tmp_path) == b"".join(local_records.splitlines(keepends=True)[:4])
    assert run(tmp_path, GuessPolicy, cluster=cluster, resume=True, workers=1) == local_records


@pytest.mark.slow
def test_an_error_names_its_episode_and_brings_its_trace(tmp_path: Path, cluster: Cluster) -> None:
    """Here what the policy finds of its surroundings: folder and variables of the run."""
    found = f"LookupError: {os.getcwd()} /far/away"
    with pytest.raises(EvaluationError, match=f"episode 0 of split 'test' failed: {found}") as told:
        run(tmp_path, ReportingPolicy, cluster=cluster)
    worker = told.value.__cause__
    assert worker is not None
    assert "test_ray_pool.py" in str(worker.__cause__)


@pytest.mark.slow
def test_a_run_that_models_stop_is_told_in_their_words(tmp_path: Path, cluster: Cluster) -> None:
    """Workers that wait for models take a part of a processor each."""
    waiting = replace(cluster, share=0.1)
    with pytest.raises(RunStopped, match=r"^llm\.max_calls=5 is spent"):
        run(tmp_path, partial(ModelPolicy, stopped=3), cluster=waiting, workers=3)
    assert lines(tmp_path).count(b"\n") == 3


@pytest.mark.slow
def test_more_workers_than_processors_are_refused(tmp_path: Path, cluster: Cluster) -> None:
    with pytest.raises(ClusterError, match="workers=3 need 3 processors, the cluster has 2"):
        run(tmp_path, GuessPolicy, cluster=cluster, workers=3)


@pytest.mark.slow
def test_a_cluster_that_is_not_there(tmp_path: Path) -> None:
    pytest.importorskip("ray", reason="needs the extra 'ray'")
    with pytest.raises(ClusterError, match=r"ray\.address=127\.0\.0\.1:9 .*RAY_AUTH_TOKEN"):
        run(tmp_path, GuessPolicy, cluster=Cluster("127.0.0.1:9"))


@pytest.mark.slow
def test_the_death_of_the_last_node_is_told(tmp_path: Path, local_records: bytes) -> None:
    pytest.importorskip("ray", reason="needs the extra 'ray'")
    with pytest.raises(ClusterError, match=r"no node of the cluster is alive .* resume=true"):
        run(tmp_path, partial(NodeKiller, 5), cluster=Cluster(), workers=1)
    assert local_records.startswith(lines(tmp_path))


@pytest.mark.slow
def test_a_local_cluster_leaves_records_and_nothing_else(
    tmp_path: Path, local_records: bytes
) -> None:
    pytest.importorskip("ray", reason="needs the extra 'ray'")
    before = {path.name for path in Path("/tmp").glob("crsgym-ray-*")}
    assert run(tmp_path, GuessPolicy, cluster=Cluster()) == local_records
    left = {path.name for path in Path("/tmp").glob("crsgym-ray-*")} - before
    assert not [name for name in left if processes_of(name)]
