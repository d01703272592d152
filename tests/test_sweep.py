"""Sweeps: all jobs run, failures do no harm, and what was interrupted is continued."""

import errno
import json
import os
import shutil
import signal
import time
from pathlib import Path
from typing import Any

import pytest
import yaml

from conf.sweep import run_sweep
from evaluation.summary import write_summary
from tests.command_line import FILES, run_here, start, train

SHORT = ("episodes=3", "logger=none")
COMPARISON = {"comparison.md", "comparison.csv", "comparison.tex", "comparison.html"}


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, no_data: str, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty working directory without data sets."""
    monkeypatch.chdir(tmp_path)
    return tmp_path


def failed(*arguments: str) -> str:
    """The message with which a sweep ends whose code is 1."""
    with pytest.raises(SystemExit) as ended:
        run_sweep(arguments)
    message = ended.value.code
    assert isinstance(message, str)
    assert message.startswith("train.py: ")
    return message


def contents(folder: Path) -> dict[str, bytes]:
    return {
        str(path.relative_to(folder)): path.read_bytes()
        for path in sorted(folder.rglob("*"))
        if path.is_file() and path.name in ("records.jsonl", "config.yaml", "timings.jsonl")
    }


def test_a_sweep_and_its_comparison(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    run_sweep(["-m", "planner=ask_all,random", "seed=0,1", *SHORT, "sweep_dir=all"])
    told = capsys.readouterr().out
    runs = {f"redial-{name}-seed{seed}" for name in ("ask_all", "random") for seed in (0, 1)}
    assert "Sweep: 4 runs below all" in told
    assert "job 1 of 4: redial, ask_all, seed 0" in told
    assert "job 4 of 4: redial, random, seed 1" in told
    assert "ask_all" in told.split("Comparison in all")[0].rpartition("job 4 of 4")[2]
    inside = {path.name for path in Path("all").iterdir()}
    assert inside == runs | COMPARISON | {"comparison_tests.csv", "sweep.yaml"}
    for name in runs:
        assert {path.name for path in (Path("all") / name).iterdir()} == FILES
    assert {path.name for path in folder.iterdir()} <= {"all", "no data here"}
    run_here("planner=random", "seed=1", *SHORT, "run_dir=alone")
    alone, one = Path("alone/records.jsonl"), Path("all/redial-random-seed1/records.jsonl")
    assert one.read_bytes() == alone.read_bytes()
    kept = yaml.safe_load((Path("all") / "sweep.yaml").read_text(encoding="utf-8"))
    assert kept["arguments"] == ["-m", "planner=ask_all,random", "seed=0,1", *SHORT]
    assert set(kept["jobs"]) == runs


def test_the_reference_is_named(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    names = "label=a,b,c", "planner=random"
    run_sweep(["-m", *names, *SHORT, "sweep.against=b", "sweep_dir=all"])
    assert "Against b, on the same dialogues" in capsys.readouterr().out
    assert "against the reference, which was named" in Path("all/comparison.md").read_text()
    run_sweep(["sweep_dir=all", "resume=true"])
    assert "Against b, on the same dialogues" in capsys.readouterr().out
    assert "no method of the sweep" in failed("-m", *names, "sweep.against=d", "sweep_dir=new")
    assert not Path("new").exists()


def test_a_reference_that_is_not_there_is_told(
    folder: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def broken(run_dir: Path, facts: Any) -> Any:
        if "random" in run_dir.name:
            raise ZeroDivisionError("a bug")
        return write_summary(run_dir, facts)

    told = "The reference is not {} but the best method: {}."
    with monkeypatch.context() as patch:
        patch.setattr("conf.run.write_summary", broken)
        lists = ("planner=random,ask_all,always_recommend", "sweep.against=random")
        assert "1 of 3 jobs failed" in failed("-m", *lists, *SHORT, "sweep_dir=all")
    out = " ".join(capsys.readouterr().out.split())
    assert told.format("random", "none of its runs is finished") in out
    assert Path("all/comparison.md").exists()
    run_sweep(["-m", "planner.n_el=1,2", *SHORT, "sweep.against=dreams", "sweep_dir=two"])
    out = " ".join(capsys.readouterr().out.split())
    assert told.format("dreams", "several methods have that name") in out


def test_a_job_can_be_continued_as_a_run(folder: Path) -> None:
    run_sweep(["-m", "planner=random", "seed=0,1", *SHORT, "sweep_dir=all"])
    run_here("planner=random", "seed=1", *SHORT, "run_dir=all/redial-random-seed1", "resume=true")


def test_failures_are_told_and_others_go_on(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    message = failed("-m", "planner=random", "episodes=0,2,x", "logger=none", "sweep_dir=all")
    told = capsys.readouterr().out
    assert "2 of 3 jobs failed" in message
    assert "episodes must be a whole number of at least 1, not 0" in message
    assert "sweep_dir=all resume=true" in message
    assert told.count("  failed: ") == 2
    assert (Path("all") / "redial-random-episodes-2-seed0" / "summary.json").exists()
    assert (Path("all") / "comparison.md").exists()


def test_a_bug_in_one_job_shows_its_trace(
    folder: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def broken(run_dir: Path, facts: Any) -> Any:
        if "seed0" in run_dir.name:
            raise ZeroDivisionError("a bug")
        return write_summary(run_dir, facts)

    arguments = ("-m", "planner=random", "seed=0,1", *SHORT, "sweep_dir=all")
    with monkeypatch.context() as patch:
        patch.setattr("conf.run.write_summary", broken)
        message = failed(*arguments)
    assert "1 of 2 jobs failed (redial-random-seed0: ZeroDivisionError: a bug)" in message
    assert "Traceback" in capsys.readouterr().err
    run_sweep(["sweep_dir=all", "resume=true"])
    assert (Path("all") / "redial-random-seed0" / "summary.json").exists()


def test_nothing_is_begun_where_something_is_wrong(folder: Path) -> None:
    assert "did you mean planner=dreams" in failed("-m", "planner=ask_all,drems", "sweep_dir=all")
    assert not Path("all").exists()
    Path("all").mkdir()
    Path("all/thesis.tex").write_text("years of work")
    assert "is not empty (thesis.tex)" in failed("-m", "planner=random", "sweep_dir=all")
    assert "nothing tells what the sweep is" in failed("sweep_dir=all", "resume=true")
    Path("all/sweep.yaml").write_text("[: {")
    assert "state the sweep again" in failed("sweep_dir=all", "resume=true")
    assert "say which with sweep_dir=DIR" in failed("-m", "planner=random", "resume=true")


def test_what_is_finished_is_not_done_again(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    arguments = ["-m", "planner=random", "seed=0,1", *SHORT, "sweep_dir=all"]
    run_sweep(arguments)
    before = contents(Path("all"))
    shutil.rmtree("all/redial-random-seed1")
    capsys.readouterr()
    run_sweep([*arguments, "resume=true"])
    told = capsys.readouterr().out
    assert "job 1 of 2: redial, random, seed 0 (finished before)" in told
    assert "job 2 of 2: redial, random, seed 1\n" in told
    after = contents(Path("all"))
    assert after.keys() == before.keys()
    changed = {name for name in before if before[name] != after[name]}
    assert changed <= {"redial-random-seed1/timings.jsonl", "redial-random-seed1/config.yaml"}
    # A sweep may be continued with more.
    run_sweep(["-m", "planner=random", "seed=0,1,2", *SHORT, "sweep_dir=all", "resume=true"])
    assert json.loads(Path("all/redial-random-seed2/summary.json").read_text())["episodes"] == 3


def test_what_is_finished_cannot_be_left_out(folder: Path) -> None:
    run_sweep(["-m", "planner=random", "seed=0,1", *SHORT, "sweep_dir=all"])
    kept = Path("all/sweep.yaml").read_bytes()
    other = ["-m", "planner=ask_all", "seed=0", *SHORT, "sweep_dir=all", "resume=true"]
    message = failed(*other)
    assert "2 finished runs of the sweep in all are not in this one" in message
    assert "redial-random-seed0, redial-random-seed1" in message
    assert Path("all/sweep.yaml").read_bytes() == kept
    assert not Path("all/redial-ask_all-seed0").exists()
    # What failed, or never ran, may be dropped.
    shutil.rmtree("all/redial-random-seed1")
    run_sweep(["-m", "planner=random,ask_all", "seed=0", *SHORT, "sweep_dir=all", "resume=true"])
    assert set(yaml.safe_load(Path("all/sweep.yaml").read_text())["jobs"]) == {
        "redial-random-seed0",
        "redial-ask_all-seed0",
    }


def test_other_settings_are_refused_on_resume(folder: Path) -> None:
    arguments = ["-m", "planner=dreams", "planner.n_el=5", "seed=0,1", *SHORT, "sweep_dir=all"]
    run_sweep(arguments)
    before = contents(Path("all"))
    changed = [word.replace("n_el=5", "n_el=6") for word in arguments]
    kept = Path("all/sweep.yaml").read_bytes()
    message = failed(*changed, "resume=true")
    assert message.count("config.yaml is of another run (planner.n_el differ)") == 1
    assert "and so are 1 more" in message
    assert "\n" not in message
    assert contents(Path("all")) == before
    assert Path("all/sweep.yaml").read_bytes() == kept
    run_sweep(["sweep_dir=all", "resume=True", "workers=1"])
    assert contents(Path("all")) == before


def test_an_unfinished_sweep_is_continued_with_other_workers(folder: Path) -> None:
    run_sweep(["-m", "planner=random", "seed=0,1", *SHORT, "sweep_dir=all"])
    before = contents(Path("all"))
    shutil.rmtree("all/redial-random-seed1")
    assert "would make another sweep" in failed("sweep_dir=all", "resume=true", "seed=4")
    run_sweep(["resume=true", "sweep_dir=all", "workers=1"])
    assert contents(Path("all")).keys() == before.keys()
    assert json.loads(Path("all/redial-random-seed1/summary.json").read_text())["episodes"] == 3


def test_a_directory_of_a_sweep_that_cannot_be_written_to(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def read_only(path: Path, _: str) -> None:
        raise PermissionError(errno.EACCES, os.strerror(errno.EACCES), str(path))

    monkeypatch.setattr("conf.sweep_file.write_whole", read_only)
    told = failed("-m", "planner=random", *SHORT, "sweep_dir=all")
    assert f"cannot be written ({Path('all/sweep.yaml')}): Permission denied" in told
    assert "give another sweep_dir" in told


def test_a_comparison_for_each_catalogue(folder: Path) -> None:
    envs = "env=redial,opendialkg_book"
    run_sweep(["-m", "planner=random,ask_all", envs, *SHORT, "sweep_dir=all"])
    assert not COMPARISON & {path.name for path in Path("all").iterdir()}
    for name in ("redial", "opendialkg_book"):
        assert {path.name for path in (Path("all") / name).iterdir()} >= COMPARISON


def test_trained_agents_are_not_trained_again(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    small = ["planner=dqn", "planner.total_timesteps=300", "planner.n_envs=1", "seed=0", *SHORT]
    run_sweep(["-m", *small, "sweep_dir=all"])
    run_dir = Path("all/redial-dqn-seed0")
    records = (run_dir / "records.jsonl").read_bytes()
    for name in ("records.jsonl", "timings.jsonl", "summary.json"):
        (run_dir / name).unlink()

    def trained(*arguments: Any, **more: Any) -> None:
        raise AssertionError("the agent was trained before")

    monkeypatch.setattr("baselines.sb3_training.train_agent", trained)
    run_sweep(["sweep_dir=all", "resume=true"])
    assert (run_dir / "records.jsonl").read_bytes() == records


@pytest.mark.slow
def test_killed_and_interrupted(folder: Path) -> None:
    run = ["-m", "planner=dreams", "planner.n_el=100", "seed=0,1", "episodes=4", "logger=none"]
    run += ["workers=1"]
    run_sweep([*run, "sweep_dir=whole"])
    for attempt, sent in enumerate((signal.SIGKILL, signal.SIGINT)):
        more = ["sweep_dir=cut", f"resume={str(attempt > 0).lower()}"]
        process = start(folder, *run, *more)
        _wait_for(Path("cut") / f"redial-dreams-seed{attempt}" / "records.jsonl", process)
        process.send_signal(sent)
        out, err = process.communicate(timeout=60)
        if sent is signal.SIGINT:
            assert process.returncode == 130, err
            assert "sweep_dir=cut resume=true continues the sweep" in err
            assert "Traceback" not in err
            assert "job 1 of 2: redial, dreams, seed 0" in out
    told = train(folder, "sweep_dir=cut", "resume=true")
    assert "(finished before)" in told
    for seed in (0, 1):
        name = f"redial-dreams-seed{seed}/records.jsonl"
        assert (Path("cut") / name).read_bytes() == (Path("whole") / name).read_bytes()


@pytest.mark.parametrize(
    ("where", "told"),
    [
        ("conf.sweep.plan", "interrupted, before the sweep had begun"),
        ("conf.sweep._compare", "2 jobs are finished; sweep_dir=all resume=true continues"),
    ],
)
def test_interrupted_while_no_job_runs(
    where: str,
    told: str,
    folder: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    def interrupted(*_: Any) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(where, interrupted)
    with pytest.raises(SystemExit) as ended:
        run_sweep(["-m", "planner=random", "seed=0,1", *SHORT, "sweep_dir=all"])
    assert ended.value.code == 130
    assert told in capsys.readouterr().err


def _wait_for(path: Path, process: Any) -> None:
    deadline = time.monotonic() + 120
    while time.monotonic() < deadline and process.poll() is None:
        if path.exists() and path.read_bytes().count(b"\n"):
            return
        time.sleep(0.02)
    raise AssertionError(f"{path} did not come: {process.communicate()}")
