"""``train.py`` from end to end: what a run leaves behind, and how fast it starts."""

import json
import re
import resource
import subprocess
import sys
from pathlib import Path

import pytest

from conf.overrides import check_overrides, options
from tests.command_line import FILES, ROOT, TRAIN, process_env, train
from train import main

RATES = {
    *("success_rate", "recall@1", "recall@5", "recall@10", "average_turns", "return"),
    *("reward_explore", "reward_retrieve", "reward_attitude", "reward_cost", "reward_accept"),
    *("cge2", "fge2", "pe2", "pe2_eligible", "search_changed_decision", "seconds_per_turn"),
}
FACTS = {"episodes", "catalog_items", "catalog_source"}
DREAMS = ("planner=dreams", "planner.n_el=12", "planner.goals=30", "planner.trace=true")
HEAVY = ("torch", "wandb", "tensorboard", "sklearn", "stable_baselines3")


@pytest.fixture(scope="module")
def one_run(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, str]:
    """A small run of Dreams in one process, and what it printed."""
    folder = tmp_path_factory.mktemp("one run")
    return folder, train(folder, *DREAMS, "episodes=6", "workers=1", "run_dir=out")


def test_the_files_of_a_run(one_run: tuple[Path, str]) -> None:
    folder, printed = one_run
    out = folder / "out"
    assert {path.name for path in out.iterdir()} == {*FILES, "tensorboard"}
    for name in ("records.jsonl", "timings.jsonl"):
        lines = (out / name).read_text(encoding="utf-8").splitlines()
        assert [json.loads(line)["episode"] for line in lines] == list(range(6))
    assert "bundled sample of films" in printed
    assert "Published" in printed
    assert "summary.json" in printed
    assert "tensorboard --logdir" in printed


def test_nothing_else_is_left_behind(one_run: tuple[Path, str]) -> None:
    folder, _ = one_run
    assert {path.name for path in folder.iterdir()} == {"out"}
    assert not (ROOT / "outputs").exists()


def test_the_summary(one_run: tuple[Path, str]) -> None:
    summary = json.loads((one_run[0] / "out" / "summary.json").read_text(encoding="utf-8"))
    assert RATES | FACTS | {f"{key}_ci" for key in RATES} <= set(summary)
    assert all(not isinstance(value, dict) for value in summary.values())
    assert summary["episodes"] == 6
    assert summary["catalog_source"] == "sample_movie"
    assert summary["catalog_items"] >= 800
    for key in RATES:
        if summary[key] is not None:
            low, high = summary[f"{key}_ci"]
            assert low <= summary[key] <= high
    rewards = sum(summary[key] for key in RATES if key.startswith("reward_"))
    assert rewards == pytest.approx(summary["return"])
    assert 0 < summary["search_changed_decision"] < 1


def test_every_turn_is_traced(one_run: tuple[Path, str]) -> None:
    for line in (one_run[0] / "out" / "records.jsonl").read_text(encoding="utf-8").splitlines():
        for turn in json.loads(line)["turns"]:
            assert turn["trace"]["elicitation"]["simulations"] == 12
            assert turn["trace"]["exploitation"]["tree"]["strategy"] == "raw"


def test_two_workers_write_the_same_records(one_run: tuple[Path, str]) -> None:
    """And so does another PYTHONHASHSEED, in the same run."""
    folder, _ = one_run
    train(
        folder,
        *DREAMS,
        "episodes=6",
        "workers=2",
        "run_dir=two",
        "logger=none",
        PYTHONHASHSEED="4711",
    )
    records = [(folder / name / "records.jsonl").read_bytes() for name in ("out", "two")]
    assert records[0] == records[1]
    assert {path.name for path in (folder / "two").iterdir()} == FILES


def test_a_non_empty_directory_is_refused(one_run: tuple[Path, str]) -> None:
    folder, _ = one_run
    before = snapshot(folder / "out")
    printed = train(folder, *DREAMS, "episodes=6", "run_dir=out", code=1)
    assert "train.py: out is not empty" in printed
    assert "resume=true" in printed
    assert "Traceback" not in printed
    assert snapshot(folder / "out") == before


def test_a_finished_run_just_prints_its_table(one_run: tuple[Path, str]) -> None:
    folder, first = one_run
    before = snapshot(folder / "out")
    again = train(folder, *DREAMS, "episodes=6", "workers=1", "run_dir=out", "resume=true")
    assert snapshot(folder / "out") == before
    table = first.index("Metric"), first.index("Files in")
    assert first[table[0] : table[1]] in again


def snapshot(folder: Path) -> dict[str, bytes]:
    """Every file's bytes, by name."""
    return {
        str(path.relative_to(folder)): path.read_bytes()
        for path in sorted(folder.rglob("*"))
        if path.is_file()
    }


# Starting up


def seconds(*command: str) -> float:
    """Seconds of the processor that a command needs; those of the clock depend on who shares it."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    subprocess.run(command, cwd=ROOT, env=process_env(Path("none")), check=True)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def test_help_is_fast(capfd: pytest.CaptureFixture[str]) -> None:
    assert seconds(sys.executable, str(TRAIN), "--help") < 2.0
    printed, complaints = capfd.readouterr()
    assert complaints == ""
    for group in ("env", "planner", "logger", "experiment", "reward"):
        assert f"{group}: {', '.join(options(group))}" in printed
    for key in ("seed:", "episodes:", "split:", "workers:", "run_dir:", "resume:", "n_el: auto"):
        assert key in printed
    told = printed[printed.rindex("Change a group") :]
    for way in ("-m planner=", "experiment=table3", "resume=true", "simulator=human", "judge=true",
                "prefixes=true", "runner=ray", "experience.users", "compare.py"):  # fmt: skip
        assert way in told
    commands = re.findall(r"python train\.py (.*?)(?:  .*)?\n", told)
    assert len(commands) > 10
    for command in commands:
        check_overrides([word for word in command.split() if word != "-m"])


def test_settings_of_a_sweep_are_not_shown(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "argv", ["train.py", "-m", "planner=dreams", "--cfg", "job"])
    with pytest.raises(SystemExit, match="leave out -m"):
        main()


LISTING = f"import sys, {{}}; print(*sorted(set({HEAVY!r}) & set(sys.modules)))"


def test_importing_envs_is_fast_and_silent(capfd: pytest.CaptureFixture[str]) -> None:
    code = LISTING.format("envs")
    assert seconds(sys.executable, "-W", "error", "-c", code) < 2.0
    assert tuple(map(str.strip, capfd.readouterr())) == ("", "")


def test_the_command_line_imports_nothing_heavy(capfd: pytest.CaptureFixture[str]) -> None:
    """Neither does making an environment: only training and logging need the heavy ones."""
    code = LISTING.format("train, conf.run, conf.policies, envs.crs, planners.dreams")
    seconds(sys.executable, "-W", "error", "-c", code)
    assert tuple(map(str.strip, capfd.readouterr())) == ("", "")
