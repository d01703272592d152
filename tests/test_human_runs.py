"""``simulator=human`` from end to end: piped input, a terminal, and what cannot be combined."""

import json
import os
import pty
import select
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.command_line import TRAIN, process_env, refused

HUMAN = ("simulator=human", "planner=always_recommend", "logger=none", "run_dir=out")
LEAVES = "I like comedies.\n/quit\n"


def piped(folder: Path, text: str, *arguments: str) -> "subprocess.CompletedProcess[str]":
    """A run whose input is a pipe."""
    return subprocess.run(
        [sys.executable, str(TRAIN), *arguments],
        cwd=folder, env=process_env(folder / "no data here"), input=text, text=True,
        capture_output=True, timeout=120, check=False,
    )  # fmt: skip


def records(folder: Path) -> list[dict[str, Any]]:
    lines = (folder / "out" / "records.jsonl").read_text(encoding="utf-8").splitlines()
    return [json.loads(line) for line in lines]


def test_piped_input_plays_dialogues_and_its_end_keeps_them(tmp_path: Path) -> None:
    first = piped(tmp_path, LEAVES + "Hello, a film.\n", *HUMAN, "episodes=2")
    assert first.returncode == 1
    assert "train.py: the input ended" in first.stderr
    assert "resume=true" in first.stderr
    assert "Traceback" not in first.stderr
    assert [record["outcome"] for record in records(tmp_path)] == ["left"]
    again = piped(tmp_path, LEAVES, "resume=true", "run_dir=out")
    assert again.returncode == 0, again.stderr
    found = records(tmp_path)
    assert [record["episode"] for record in found] == [0, 1]
    assert {record["persona"] for record in found} == {"human"}
    summary = json.loads((tmp_path / "out" / "summary.json").read_text(encoding="utf-8"))
    assert summary["episodes"] == summary["episodes/persona/human"] == 2
    assert summary["simulator_false_accepts"] == 0
    assert "llm_calls" not in summary
    assert "Success rate" in again.stdout


def test_a_record_is_as_any_other(tmp_path: Path) -> None:
    assert piped(tmp_path, LEAVES, *HUMAN, "episodes=1", "judge=true").returncode == 0
    own = records(tmp_path)[0]
    simulated = ("planner=always_recommend", "logger=none", "run_dir=other", "episodes=1")
    assert piped(tmp_path, "", *simulated).returncode == 0
    path = tmp_path / "other" / "records.jsonl"
    other = json.loads(path.read_text(encoding="utf-8"))
    assert set(own) == set(other)
    assert set(own["turns"][0]) == {*other["turns"][0], "overruled"}
    assert set(own["opening"]) == {*other["opening"], "overruled"}
    assert own["goal"] == other["goal"]
    assert set(own["targets"]) >= set(other["targets"])
    assert (tmp_path / "out" / "judgements.jsonl").exists()


def test_no_input_at_all_is_a_clear_stop(tmp_path: Path) -> None:
    ended = piped(tmp_path, "", *HUMAN)
    assert ended.returncode == 1
    assert ended.stderr.startswith("train.py: the input ended before the conversation did")


class Terminal:
    """A run in a pseudo-terminal of its own."""

    def __init__(self, folder: Path, *arguments: str) -> None:
        self.shown = ""
        environment = {**process_env(folder / "no data here"), "TERM": "dumb"}
        self._here, there = pty.openpty()
        self._process = subprocess.Popen(
            [sys.executable, str(TRAIN), *arguments],
            cwd=folder, env=environment, stdin=there, stdout=there, stderr=there,
            start_new_session=True, preexec_fn=_controlled,
        )  # fmt: skip
        os.close(there)

    def wait_for(self, words: str, times: int = 1) -> None:
        """Read until the words were shown so many times."""
        self._read(lambda: self.shown.count(words) >= times)
        assert self.shown.count(words) >= times, self.shown

    def type(self, keys: str) -> None:
        """Press keys."""
        os.write(self._here, keys.encode())

    def end(self) -> int:
        """Read to the end; the exit code."""
        self._read(lambda: False)
        os.close(self._here)
        return self._process.wait(timeout=20)

    def _read(self, enough: Callable[[], bool]) -> None:
        limit = time.monotonic() + 60
        while not enough() and time.monotonic() < limit:
            if not select.select([self._here], [], [], 0.2)[0]:
                continue
            try:
                data = os.read(self._here, 4096)
            except OSError:  # the other end is closed: the process is over
                return
            if not data:
                return
            self.shown += data.decode("utf-8", "replace")

    def kill(self) -> None:
        if self._process.poll() is None:
            self._process.send_signal(signal.SIGKILL)
            self._process.wait()


def _controlled() -> None:
    """Make the terminal the one whose Ctrl-C this process hears."""
    import fcntl
    import termios

    fcntl.ioctl(0, termios.TIOCSCTTY, 0)


@pytest.fixture
def terminal(tmp_path: Path):
    """Starts runs in terminals; none is left behind."""
    made: list[Terminal] = []

    def start(*arguments: str) -> Terminal:
        made.append(Terminal(tmp_path, *arguments))
        return made[-1]

    yield start
    for one in made:
        one.kill()


def test_a_person_at_a_terminal(terminal: Callable[..., Terminal], tmp_path: Path) -> None:
    person = terminal(*HUMAN, "episodes=1")
    person.wait_for("you> ")
    assert "You are looking for a movie" in person.shown
    person.type("I like comedies with Jackie Chan\n")
    person.wait_for("you> ", 2)
    assert "system: " in person.shown
    person.type("/accept\n")
    person.wait_for("cannot be accepted")
    person.type("/quit\n")
    assert person.end() == 0
    assert "Success rate" in person.shown
    assert "\x1b]" not in person.shown
    turn = records(tmp_path)[0]["turns"][0]
    assert turn["overruled"] == ["false_accept"]
    assert turn["said"] == [["QUIT", None, None, None]]


@pytest.mark.parametrize(("key", "code"), [("\x04", 1), ("\x03", 130)], ids=["Ctrl-D", "Ctrl-C"])
def test_leaving_a_terminal_keeps_what_is_finished(
    key: str, code: int, terminal: Callable[..., Terminal], tmp_path: Path
) -> None:
    person = terminal(*HUMAN, "episodes=2")
    person.wait_for("you> ")
    person.type("Hello, comedies please\n")
    person.wait_for("you> ", 2)
    person.type("/quit\n")
    person.wait_for("you> ", 3)
    person.type(key)
    assert person.end() == code
    assert "Traceback" not in person.shown
    assert "resume=true" in person.shown
    assert len(records(tmp_path)) == 1
    again = terminal("resume=true", "run_dir=out")
    again.wait_for("you> ")
    again.type("Hello\n")
    again.wait_for("you> ", 2)
    again.type("/quit\n")
    assert again.end() == 0
    assert len(records(tmp_path)) == 2


@pytest.mark.parametrize(
    ("overrides", "words"),
    [
        (("workers=2",), "one dialogue at a time"),
        (("runner=ray",), "leave runner=local"),
        (("planner=ppo",), "cannot be trained on a person"),
        (("env.id=CartPole-v1",), "environments of this project"),
        (("prefixes=true",), "holds no dialogues"),
        (("simulator=robot",), "embedded or human"),
    ],
)
def test_what_cannot_be_combined_with_a_person(
    overrides: tuple[str, ...], words: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    chosen = {o.partition("=")[0]: o for o in (*HUMAN, *overrides)}
    message = refused(*chosen.values())
    assert words in message
    assert "\n" not in message
    assert list(tmp_path.iterdir()) == []


def test_a_saved_agent_talks_with_a_person(tmp_path: Path) -> None:
    small = ("planner=maskable_ppo", "planner.total_timesteps=2048", "logger=none", "episodes=1")
    assert piped(tmp_path, "", *small, "run_dir=trained").returncode == 0
    loaded = ("planner=maskable_ppo", "planner.load=trained/agent.zip", "simulator=human")
    held = piped(tmp_path, LEAVES, *loaded, "logger=none", "run_dir=out", "episodes=1")
    assert held.returncode == 0, held.stderr
    assert records(tmp_path)[0]["outcome"] == "left"
