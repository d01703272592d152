"""A run may be killed at any moment: resumed, it ends as if nothing had happened."""

import json
import random
import shlex
import signal
import time
from pathlib import Path

import pytest

from conf.run import run_experiment
from tests.command_line import FILES, composed, refused, run_here, start, train

EPISODES = 8
RUN = ("planner=dreams", "planner.n_el=150", f"episodes={EPISODES}", "logger=none", "seed=5")
ITEMS = (
    "id,title,genre,writer\n"
    "a,Glass Rooms,Mystery|Drama,Ada Lind\n"
    "b,The Salt Road,Mystery|Drama,Ada Lind\n"
    "c,Low Tide,Comedy,Otto Brand\n"
)


def lines(path: Path) -> int:
    return path.read_bytes().count(b"\n") if path.exists() else 0


def kill_after(folder: Path, records: int, delay: float, *arguments: str) -> int:
    """Start a run, kill -9 it a moment after so many records are there; the records it left."""
    process = start(folder, *RUN, *arguments)
    path = folder / "killed" / "records.jsonl"
    deadline = time.monotonic() + 60
    while lines(path) < records and process.poll() is None and time.monotonic() < deadline:
        time.sleep(0.01)
    time.sleep(delay)
    process.send_signal(signal.SIGKILL)
    process.communicate()
    return lines(path)


def test_killed_three_times(tmp_path: Path, no_data: str) -> None:
    whole, killed = tmp_path / "whole", tmp_path / "killed"
    run_here(*RUN, f"run_dir='{whole}'", "workers=1")
    moments = random.Random(time.time_ns())
    left = []
    for attempt, (records, workers) in enumerate(((0, 1), (1, 2), (3, 1))):
        delay = moments.uniform(0.0, 1.5 if not records else 0.4)
        resume = f"resume={str(attempt > 0).lower()}"
        print(f"kill {attempt} {delay:.3f} s after {records} records")
        found = kill_after(tmp_path, records, delay, "run_dir=killed", resume, f"workers={workers}")
        left.append(found)
    assert left == sorted(left)
    assert left[0] < EPISODES
    run_here(*RUN, f"run_dir='{killed}'", "resume=true", "workers=1")
    assert (killed / "records.jsonl").read_bytes() == (whole / "records.jsonl").read_bytes()
    assert {path.name for path in killed.iterdir()} == FILES
    summaries = [json.loads((f / "summary.json").read_text()) for f in (whole, killed)]
    for key, value in summaries[0].items():
        if "seconds" not in key:
            assert summaries[1][key] == value, key
    timings = (killed / "timings.jsonl").read_text().splitlines()
    assert [json.loads(line)["episode"] for line in timings] == list(range(EPISODES))


@pytest.mark.parametrize("torn", ["records.jsonl", "timings.jsonl"])
def test_a_torn_last_line_is_dropped(tmp_path: Path, no_data: str, torn: str) -> None:
    out = tmp_path / "out"
    run = ("planner=random", "episodes=4", "logger=none", "workers=1", f"run_dir='{out}'")
    run_here(*run)
    whole = (out / "records.jsonl").read_bytes()
    path = out / torn
    path.write_bytes(path.read_bytes()[:-20])
    (out / "summary.json").unlink()
    if torn == "timings.jsonl":  # written before its record, so the record is not there either
        (out / "records.jsonl").write_bytes(b"".join(whole.splitlines(True)[:3]))
    run_here(*run, "resume=true")
    assert (out / "records.jsonl").read_bytes() == whole
    assert lines(out / "timings.jsonl") == 4


def test_only_the_same_run_is_resumed(
    tmp_path: Path, no_data: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Settings and items must be those that the records were made with."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "mine.csv").write_text(ITEMS, encoding="utf-8")
    own = ("env=custom", "env.domain=book", "env.items=mine.csv", "logger=none", "run_dir=out")
    run_here(*own, "planner=random", "episodes=2")
    message = "out/config.yaml is of another run"
    for change, name in (
        ("seed=1", "seed"),
        ("env.max_turns=5", "env.max_turns"),
        ("planner=oracle", "planner.name"),
    ):
        told = refused(*own, "planner=random", "episodes=2", "resume=true", change)
        assert f"{message} ({name} differ)" in told
    (tmp_path / "mine.csv").write_text(ITEMS + "d,New One,Comedy,Ada Lind\n", encoding="utf-8")
    told = refused(*own, "planner=random", "episodes=2", "resume=true")
    assert f"{message} (catalog.items differ)" in told


def test_a_run_is_resumed_with_more_episodes(
    tmp_path: Path, no_data: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    run = ("planner=random", "logger=tensorboard")
    run_here(*run, "episodes=5", "run_dir=whole")
    run_here(*run, "episodes=2", "run_dir=grown")
    run_here(*run, "episodes=5", "run_dir=grown", "resume=true", "workers=1")
    records = [(tmp_path / name / "records.jsonl").read_bytes() for name in ("whole", "grown")]
    assert records[0] == records[1]
    assert json.loads((tmp_path / "grown" / "summary.json").read_text())["episodes"] == 5
    assert "fewer" not in refused(*run, "episodes=4", "run_dir=grown", "resume=true")


def test_resume_needs_a_directory(no_data: str) -> None:
    assert "run_dir=DIR" in refused("planner=random", "resume=true")


def test_the_run_directory_is_enough(tmp_path: Path, no_data: str) -> None:
    """What is not stated again comes from the run's own ``config.yaml``."""
    run = tmp_path / "cut"
    train(tmp_path, "run_dir=cut", "planner=ask_all", "episodes=3", "seed=4", "logger=none")
    whole = (run / "records.jsonl").read_bytes()
    for name in ("records.jsonl", "timings.jsonl"):
        first = (run / name).read_bytes().splitlines(keepends=True)[0]
        (run / name).write_bytes(first)
    train(tmp_path, "run_dir=cut", "resume=true")
    assert (run / "records.jsonl").read_bytes() == whole
    assert not (run / "tensorboard").exists()


def test_a_directory_without_a_run_is_not_resumed(
    tmp_path: Path, no_data: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    for folder in ("typo", "mine"):
        words = [f"run_dir={folder}", "resume=true"]
        with pytest.raises(SystemExit, match=f"{folder} .*, so nothing tells what to continue"):
            run_experiment(composed(*words), words)
        (tmp_path / "mine").mkdir(exist_ok=True)
    assert not (tmp_path / "typo").exists()
    full = ("planner=random", "episodes=2", "logger=none", "workers=1", "resume=true")
    run_here(*full, "run_dir=mine")  # stopped before it had config.yaml
    (tmp_path / "mine" / "config.yaml").unlink()
    run_here(*full, "run_dir=mine")
    (tmp_path / "other").mkdir()
    (tmp_path / "other" / "thesis.tex").touch()
    assert "other holds no run (config.yaml)" in refused(*full, "run_dir=other")
    (tmp_path / "other" / "sweep.yaml").touch()
    told = refused(*full, "run_dir=other")
    assert "but a sweep: continue it with sweep_dir=other resume=true" in told
    assert sorted(path.name for path in (tmp_path / "other").iterdir()) == [
        "sweep.yaml", "thesis.tex",
    ]  # fmt: skip


@pytest.mark.parametrize("named", [["run_dir='a b'"], []])
def test_an_interruption_names_the_directory(
    named: list[str],
    tmp_path: Path,
    no_data: str,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    def interrupted(*_: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.chdir(tmp_path)
    run = ("planner=random", "episodes=2", "logger=none", "workers=1", *named)
    for where in ("conf.run.open_env", "conf.run.write_summary"):
        with monkeypatch.context() as patch:
            patch.setattr(where, interrupted)
            with pytest.raises(SystemExit) as ended:
                run_here(*run)
        assert ended.value.code == 130
        told = capsys.readouterr().err
        if where == "conf.run.open_env":
            assert told == "train.py: interrupted; before anything was kept; start it again\n"
    (word,) = (word for word in shlex.split(told) if word.startswith("run_dir="))
    assert "interrupted; resume=true " in told
    words = ["resume=true", word]
    run_experiment(composed(*words), words)
    (summary,) = tmp_path.rglob("summary.json")
    assert json.loads(summary.read_text())["episodes"] == 2


def test_a_damaged_record_is_named(
    tmp_path: Path, no_data: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    run = ("planner=random", "episodes=3", "logger=none", "workers=1", "run_dir=out")
    run_here(*run)
    path = tmp_path / "out" / "records.jsonl"
    rows = path.read_text().splitlines(keepends=True)
    record = json.loads(rows[1])
    del record["persona"]
    damaged = "".join([rows[0], f"{json.dumps(record)}\n", rows[2]])
    path.write_text(damaged)
    told = refused(*run, "resume=true")
    assert "out/records.jsonl, line 2: no complete dialogue (KeyError: 'persona')" in told
    assert path.read_text() == damaged
