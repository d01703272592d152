"""Episodes that are finished out of order: a run that is cut short does not hold them again."""

import json
import os
import signal
import subprocess
import sys
import time
from contextlib import suppress
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from evaluation.ahead import AHEAD_FILE
from evaluation.records import RECORDS, RecordError, read_records, read_timings
from evaluation.run_dir import RunDirError
from evaluation.runner import Evaluation, evaluate
from language.llm.errors import RunStopped
from tests.command_line import process_env
from tests.evaluation.fakes import FakeEnv, GuessPolicy, ModelPolicy

ROOT = Path(__file__).resolve().parents[2]
HOWS: list[dict[str, int]] = [{"threads": 3}, {"workers": 2}]
SOME = 5
"""Episodes that are to be finished before the first one ends."""


def lines(path: Path) -> list[bytes]:
    return path.read_bytes().splitlines(keepends=True) if path.exists() else []


class Stopping(GuessPolicy):
    """Its episode 0 stops the run when some of the others are on disk."""

    def __init__(self, file: Path) -> None:
        super().__init__()
        self.file = file

    def decide(self, view: Any, rng: Any) -> Any:
        if view.env.key["episode"] == 0:
            deadline = time.monotonic() + 60
            while len(lines(self.file)) < SOME:
                assert time.monotonic() < deadline
                time.sleep(0.01)
            raise RunStopped("llm.max_calls=5 is spent")
        return super().decide(view, rng)


class Noting(GuessPolicy):
    """Notes the episodes that are held, one line for each."""

    def __init__(self, file: Path) -> None:
        super().__init__()
        self.file = file

    def decide(self, view: Any, rng: Any) -> Any:
        if view.turn == 0:
            with self.file.open("a") as file:
                file.write(f"{view.env.key['episode']}\n")
        return super().decide(view, rng)


def run(run_dir: Path, policy: Any = GuessPolicy, **changes: Any) -> Evaluation:
    settings: Any = {"episodes": 8, "seed": 3, "run_dir": run_dir} | changes
    return evaluate(FakeEnv, policy, **settings)


@pytest.fixture(scope="module")
def reference(tmp_path_factory: pytest.TempPathFactory) -> bytes:
    """The records of 8 episodes, one after the other."""
    folder = tmp_path_factory.mktemp("reference")
    run(folder)
    return (folder / RECORDS).read_bytes()


@pytest.fixture
def stopped(tmp_path: Path) -> Path:
    """A run that was stopped in its first episode, with some of the others kept."""
    folder = tmp_path / "run"
    with pytest.raises(RunStopped):
        run(folder, partial(Stopping, folder / AHEAD_FILE), threads=3)
    return folder


@pytest.mark.parametrize("how", HOWS)
@pytest.mark.parametrize("then", [{}, *HOWS])
def test_a_stopped_run_keeps_what_is_ahead(
    tmp_path: Path, reference: bytes, how: dict[str, int], then: dict[str, int]
) -> None:
    folder, held = tmp_path / "run", tmp_path / "held"
    with pytest.raises(RunStopped, match="spent"):
        run(folder, partial(Stopping, folder / AHEAD_FILE), **how)
    kept = [json.loads(line) for line in lines(folder / AHEAD_FILE)]
    assert len(kept) >= SOME
    assert read_records(folder) == []
    told: list[int] = []
    tell = [lambda record, timing: told.append(record["episode"])]
    run(folder, partial(Noting, held), resume=True, on_dialogue=tell, **then)
    assert (folder / RECORDS).read_bytes() == reference
    again = {int(line) for line in held.read_text().split()}
    assert again == set(range(8)) - {line["episode"] for line in kept}
    assert told == list(range(8))
    timings = read_timings(folder)
    assert [timing["episode"] for timing in timings] == list(range(8))
    assert all(timings[line["episode"]] == line["timing"] for line in kept)
    assert not (folder / AHEAD_FILE).exists()


@pytest.mark.skipif(os.name != "posix", reason="signals are POSIX")
@pytest.mark.parametrize("how", [signal.SIGKILL, signal.SIGINT])
def test_a_killed_run_keeps_what_is_ahead(
    tmp_path: Path, reference: bytes, how: signal.Signals
) -> None:
    folder, held = tmp_path / "run", tmp_path / "held"
    code = (
        "from functools import partial\n"
        "from pathlib import Path\n"
        "from evaluation.runner import evaluate\n"
        "from tests.evaluation.fakes import FakeEnv, GuessPolicy\n"
        "class Slow(GuessPolicy):\n"
        "    def decide(self, view, rng):\n"
        "        self.pause = 0.0 if view.env.key['episode'] else 60.0\n"
        "        return super().decide(view, rng)\n"
        "evaluate(FakeEnv, Slow, episodes=8, seed=3, run_dir=Path('run'), threads=3)\n"
    )
    process = subprocess.Popen(
        [sys.executable, "-c", code],
        cwd=tmp_path,
        env=process_env(tmp_path, PYTHONPATH=str(ROOT)),
        stderr=subprocess.DEVNULL,
    )
    deadline = time.monotonic() + 60
    while len(lines(folder / AHEAD_FILE)) < SOME:
        assert process.poll() is None, "it ended before it could be killed"
        assert time.monotonic() < deadline, "nothing was kept"
        time.sleep(0.02)
    process.send_signal(how)
    process.wait(timeout=20)
    kept = {json.loads(line)["episode"] for line in lines(folder / AHEAD_FILE)}
    with (folder / AHEAD_FILE).open("ab") as file:
        file.write(b'{"episode":0,"rec')  # as a kill may leave it
    run(folder, partial(Noting, held), resume=True)
    assert (folder / RECORDS).read_bytes() == reference
    assert {int(line) for line in held.read_text().split()} == set(range(8)) - kept


def test_a_run_may_be_stopped_again_and_again(tmp_path: Path, reference: bytes) -> None:
    """What one start has kept, the next one adds to."""
    for stop in (1, 2, 4, 6):  # a later one may be held, and kept, before an earlier one stops
        with suppress(RunStopped):
            run(tmp_path, partial(ModelPolicy, stopped=stop), threads=4, resume=True)
    run(tmp_path, threads=4, resume=True)
    assert (tmp_path / RECORDS).read_bytes() == reference
    assert [timing["episode"] for timing in read_timings(tmp_path)] == list(range(8))


def test_without_gaps_there_is_no_file(tmp_path: Path) -> None:
    with pytest.raises(RunStopped):
        run(tmp_path, partial(ModelPolicy, stopped=4))
    assert not (tmp_path / AHEAD_FILE).exists()
    assert len(read_records(tmp_path)) == 4


def test_what_got_into_the_records_is_not_taken_twice(stopped: Path, reference: bytes) -> None:
    """A run that was killed while it caught up: the line is still in both files."""
    stale = (stopped / AHEAD_FILE).read_bytes()
    run(stopped, episodes=3, resume=True)
    (stopped / AHEAD_FILE).write_bytes(stale)
    run(stopped, resume=True)
    assert (stopped / RECORDS).read_bytes() == reference


def test_it_belongs_to_the_run(stopped: Path) -> None:
    for name in ("records.jsonl", "timings.jsonl"):
        (stopped / name).unlink()
    with pytest.raises(RunDirError, match=r"already holds ahead\.jsonl"):
        run(stopped)
    for other in ({"seed": 4}, {"split": "train"}):
        with pytest.raises(RunDirError, match=r"ahead\.jsonl: episode \d is of another"):
            run(stopped, resume=True, **other)


def test_a_corrupt_line_is_named(stopped: Path) -> None:
    kept = lines(stopped / AHEAD_FILE)
    (stopped / AHEAD_FILE).write_bytes(kept[0] + b"{}\n" + kept[1])
    with pytest.raises(RecordError, match=r"ahead\.jsonl, line 2"):
        run(stopped, resume=True)
