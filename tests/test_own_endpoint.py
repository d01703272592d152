"""The endpoint that ``llm=server`` starts for one run: it ends with the run, however that ends."""

import json
import shutil
import signal
import socket
import subprocess
import sys
import time
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import pytest
import yaml

from conf.endpoint import endpoint_for
from conf.run_errors import RunError
from tests.command_line import ROOT, composed, process_env, start
from tests.model_runs import plain, refusal, rows, run, samples

__all__ = ["samples"]  # a fixture
pytestmark = pytest.mark.usefixtures("samples")

RUN = ("env=redial", "planner=prior_only", "llm.parallel=2")
HOLD = """
import json, sys, time
from conf.endpoint import endpoint_for
with endpoint_for(json.loads(sys.argv[1])) as live:
    print(live["llm"]["roles"]["user"]["base_url"], flush=True)
    time.sleep(600)
"""
"""A process that starts an endpoint, tells its address, and waits to be killed."""


@pytest.fixture
def started(monkeypatch: pytest.MonkeyPatch) -> list["subprocess.Popen[str]"]:
    """The processes of the endpoints that this process starts."""
    found: list[subprocess.Popen[str]] = []

    class Noted(subprocess.Popen[str]):
        def __init__(self, *args: Any, **settings: Any) -> None:
            super().__init__(*args, **settings)
            if "serving" in args[0]:
                found.append(self)

    monkeypatch.setattr("language.llm.serving_process.subprocess.Popen", Noted)
    return found


def listens(address: str) -> bool:
    """Whether anybody accepts connections there."""
    parts = urlsplit(address)
    try:
        socket.create_connection((parts.hostname, parts.port), 5).close()
    except ConnectionRefusedError:
        return False
    return True


def test_it_serves_one_start_of_a_run(tmp_path: Path, started: list[Any]) -> None:
    """A continuation starts another one, at another address, and no file tells of either."""
    run(tmp_path / "whole", *RUN, "episodes=3", "workers=1")
    run(tmp_path / "cut", *RUN, "llm=server", "episodes=1")
    config = yaml.safe_load((tmp_path / "cut" / "config.yaml").read_text())
    assert config["llm"]["base_url"] is None
    assert {role["base_url"] for role in config["llm"]["roles"].values()} == {None}
    continued = run(tmp_path / "cut", *RUN, "llm=server", "episodes=3", "resume=true")
    assert plain(continued) == plain(rows(tmp_path / "whole" / "records.jsonl"))
    assert len(started) == 2
    run(tmp_path / "cut", *RUN, "llm=server", "episodes=3", "resume=true")
    assert len(started) == 2  # nothing was left to do
    assert all(process.poll() is not None for process in started)


def test_it_ends_when_the_run_fails(
    tmp_path: Path, started: list[Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    def evaluate(*factories: Any, **settings: Any) -> None:
        assert [process.poll() for process in started] == [None]
        raise RunError("enough")

    monkeypatch.setattr("conf.run.evaluate", evaluate)
    assert refusal(tmp_path / "out", *RUN, "llm=server", "episodes=2") == "train.py: enough"
    assert started[0].poll() is not None


@pytest.mark.parametrize(
    ("overrides", "roles"),
    [
        (("llm=server", "llm.roles.user.base_url=http://127.0.0.1:7/v1"), 8),
        (("llm.roles.track.backend=server", "llm.roles.judge.backend=server"), 2),
        (("llm=openai", "llm.base_url=http://127.0.0.1:7/v1", "llm.roles.user.backend=server"), 1),
    ],
)
def test_roles_without_an_address_share_one(
    overrides: tuple[str, ...], roles: int, started: list[Any]
) -> None:
    config = composed(*overrides)
    before = json.dumps(config)
    with endpoint_for(config) as live:
        given = config["llm"]["roles"]
        now = live["llm"]["roles"]
        changed = [now[name]["base_url"] for name in now if now[name] != given[name]]
        address = changed[0]
        assert changed == [address] * roles
        assert len(started) == 1
        assert listens(address)
        assert live["llm"]["base_url"] == config["llm"]["base_url"]
    assert json.dumps(config) == before
    assert not listens(address)


@pytest.mark.parametrize(
    "overrides",
    [
        (),
        ("llm=openai",),
        ("llm=local",),
        ("llm=server", "llm.base_url=http://127.0.0.1:7/v1"),
        ("llm=server", "llm.replay=answers.jsonl"),
        ("llm.roles.user.backend=server", "llm.roles.user.base_url=http://127.0.0.1:7/v1"),
    ],
)
def test_none_is_started_without_need(overrides: tuple[str, ...], started: list[Any]) -> None:
    config = composed(*overrides)
    with endpoint_for(config) as live:
        assert live is config
    assert started == []


def test_a_role_on_a_server_of_its_own(tmp_path: Path, started: list[Any]) -> None:
    embedded = run(tmp_path / "embedded", *RUN, "episodes=2", "workers=1")
    records = run(tmp_path / "out", *RUN, "llm.roles.user.backend=server", "episodes=2")
    assert records[0]["llm"].keys() == {"user"}
    assert plain(records) == embedded
    assert len(started) == 1


@pytest.mark.skipif(shutil.which("false") is None, reason="needs the command false")
def test_one_that_does_not_start(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("language.llm.serving_process.sys.executable", shutil.which("false"))
    told = refusal(tmp_path / "out", *RUN, "llm=server", "episodes=2")
    assert "could not start its endpoint (python -m serving ended with 1)" in told
    assert "llm.base_url=" in told
    assert {file.name for file in (tmp_path / "out").iterdir()} <= {"config.yaml", "lock"}


def test_it_ends_when_its_run_is_killed(tmp_path: Path) -> None:
    """Nothing of the killed process can end it: it sees that its input is closed."""
    config = json.dumps(composed("llm=server"))
    with subprocess.Popen(
        [sys.executable, "-c", HOLD, config],
        cwd=ROOT,
        env=process_env(tmp_path),
        stdout=subprocess.PIPE,
        text=True,
    ) as process:
        assert process.stdout is not None
        address = process.stdout.readline().strip()
        assert listens(address)
        process.send_signal(signal.SIGKILL)
    deadline = time.monotonic() + 30
    while listens(address):
        assert time.monotonic() < deadline, "the endpoint is left over"
        time.sleep(0.05)


def test_it_ends_on_ctrl_c(tmp_path: Path) -> None:
    """It writes to the same stderr, which closes only when both have ended."""
    (tmp_path / "elsewhere").mkdir()
    process = start(
        tmp_path / "elsewhere", *RUN, "llm=server", "logger=none", "run_dir=out"
    )  # not the checkout: the endpoint must be found from anywhere
    records = tmp_path / "elsewhere" / "out" / "records.jsonl"
    deadline = time.monotonic() + 120
    while not (records.exists() and records.read_bytes()):
        assert process.poll() is None, process.communicate()
        assert time.monotonic() < deadline
        time.sleep(0.02)
    process.send_signal(signal.SIGINT)
    _, told = process.communicate(timeout=60)
    assert process.returncode == 130
    assert told == "train.py: interrupted; resume=true run_dir=out continues the run\n"
    account = json.loads((records.parent / "spent.json").read_text())["roles"].values()
    finished = sum(timing["calls"] for timing in rows(records.parent / "timings.jsonl"))
    assert sum(role["calls"] for role in account) > finished  # others were under way
