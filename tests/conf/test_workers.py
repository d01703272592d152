"""Who holds the dialogues of a run: processes, threads or a cluster; and what goes with which."""

from pathlib import Path
from typing import Any

import pytest

from conf import workers
from conf.environments import make_env
from conf.run_errors import RunError
from conf.workers import check_workers, env_of_team, team_of
from evaluation.ray_cluster import Cluster, ClusterError
from tests.command_line import composed, refused, run_here, train

SERVER = "llm=server"


def team(*overrides: str, left: int = 100) -> Any:
    config = composed("logger=none", *overrides)
    check_workers(config)
    return team_of(config, left)


@pytest.fixture
def cores(monkeypatch: pytest.MonkeyPatch) -> None:
    """A machine with six processors."""
    monkeypatch.setattr(workers, "_cores", lambda: 6)


def test_processes_of_this_machine(cores: None) -> None:
    assert team("planner=dreams") == workers.Team(6, 1, None)
    assert team("planner=dreams", left=4).workers == 4
    assert team("planner=dreams", left=0).workers == 1
    assert team("planner=random").workers == 1
    assert team("planner=random", "workers=3").workers == 3
    assert team("planner=dreams", SERVER) == workers.Team(1, 8, None)


def test_workers_of_a_cluster(cores: None, monkeypatch: pytest.MonkeyPatch) -> None:
    assert team("planner=random", "runner=ray") == workers.Team(6, 1, Cluster())
    assert team("planner=random", "runner=ray", "workers=2").workers == 2
    waiting = team("planner=random", "runner=ray", SERVER, "llm.parallel=12")
    assert waiting == workers.Team(12, 1, Cluster(share=workers.WAITING))
    monkeypatch.setattr(workers, "processors", lambda cluster: 40)
    monkeypatch.setenv("CRS_DATA", "/some/where")
    monkeypatch.setenv("OPENAI_API_KEY", "nobody must see this")
    far = team("planner=random", "runner=ray", "ray.address=head:6379")
    assert far.workers == 40
    assert far.cluster.address == "head:6379"
    assert far.cluster.variables["CRS_DATA"] == "/some/where"
    assert all(name.startswith("CRS_") for name in far.cluster.variables)
    assert (far.cluster.code / "train.py").exists()


WRONG = [
    (["runner=slurm"], "runner must be local or ray, not 'slurm'"),
    (
        ["ray.address=auto"],
        "ray.address=auto: give HOST:PORT, ray://HOST:PORT or auto, with runner",
    ),
    (["runner=ray", "ray.address=5"], "ray.address=5: give HOST:PORT"),
    (["runner=ray", "simulator=human"], "simulator=human talks in this terminal"),
    (["runner=ray", "workers=0"], "workers must be 'auto' or a whole number of at least 1"),
    (["runner=ray", SERVER, "llm.max_calls=5"], "llm.max_calls holds for one process"),
    (
        ["runner=ray", SERVER, "llm.price_in=1", "llm.price_out=1", "llm.max_cost_usd=5"],
        "llm.max_cost_usd holds for one process",
    ),
    (["runner=ray", SERVER, "llm.record=x"], "llm.record holds for one process"),
    (["runner=ray", SERVER, "llm.replay=x"], "llm.replay holds for one process"),
    (["runner=ray", "llm=local"], "the local model runs inside one process; use runner=local"),
    (
        ["runner=ray", "ray.address=a:1", SERVER],
        "llm.base_url=http://HOST:PORT/v1",
    ),
    ([SERVER, "workers=2"], "set llm.parallel=2 (dialogues at a time)"),
]


@pytest.mark.parametrize(("overrides", "message"), WRONG, ids=lambda part: str(part)[:50])
def test_what_does_not_go_together(overrides: list[str], message: str) -> None:
    with pytest.raises(RunError) as caught:
        check_workers(composed(*overrides))
    assert message in str(caught.value)
    assert "\n" not in str(caught.value)


def test_a_limit_without_models_holds_nothing_back() -> None:
    check_workers(composed("runner=ray", "llm.max_calls=5"))


def test_a_node_without_the_data_is_found_out(
    no_data: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It would hold dialogues about other items, and nobody would see it in the records' form."""
    items = tmp_path / "mine.csv"
    items.write_text("id,title,genre,writer\na,A,Drama,X\nb,B,Comedy,Y\n", encoding="utf-8")
    own = ("env=custom", "env.domain=book", f"env.items='{items}'", "planner=random")
    config = composed(*own, "runner=ray", "ray.address=head:1")
    factory = env_of_team(config, make_env(config))
    factory().close()
    items.write_text("id,title,genre,writer\na,A,Drama,X\nb,B,Comedy,Z\n", encoding="utf-8")
    with pytest.raises(RunError, match="a node of the cluster found other items"):
        factory()


def test_without_ray_a_run_says_what_to_install(
    no_data: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(__import__("sys").modules, "ray", None)
    told = refused("planner=random", "episodes=1", "runner=ray", f"run_dir='{tmp_path / 'out'}'")
    assert "pip install -c constraints.txt -e '.[ray]'" in told
    assert issubclass(ClusterError, Exception)


@pytest.mark.slow
def test_records_of_a_run_on_ray(tmp_path: Path, no_data: str) -> None:
    """With embedded roles and with an endpoint; a run may change its runner when it is resumed."""
    pytest.importorskip("ray", reason="needs the extra 'ray'")
    run = ("planner=dreams", "planner.n_el=5", "episodes=4", "logger=none", "seed=2")
    run_here(*run, "workers=1", f"run_dir='{tmp_path / 'local'}'")
    local = (tmp_path / "local" / "records.jsonl").read_bytes()
    train(tmp_path, *run, "runner=ray", "workers=2", "run_dir=ray")
    assert (tmp_path / "ray" / "records.jsonl").read_bytes() == local
    for name in ("records.jsonl", "timings.jsonl"):
        path = tmp_path / "ray" / name
        path.write_bytes(b"".join(path.read_bytes().splitlines(keepends=True)[:2]))
    run_here(*run, "workers=1", f"run_dir='{tmp_path / 'ray'}'", "resume=true")
    assert (tmp_path / "ray" / "records.jsonl").read_bytes() == local
