"""Judging a run from the command line."""

import json
from functools import partial
from pathlib import Path
from typing import Any

import gymnasium as gym
import pytest
import yaml

from baselines.references import AskAll
from evaluation.judge import EmbeddedJudge, Judgement
from evaluation.judge_run import _settings, judge_run, main
from evaluation.judgements import JUDGEMENTS, read_judgements
from evaluation.runner import evaluate
from evaluation.summary import catalog_facts, write_summary
from evaluation.transcript import Lines
from language.llm.errors import DialogueFailed

EPISODES = 6


@pytest.fixture
def run_dir(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A finished run over the bundled films, with the parts of its configuration that count."""
    monkeypatch.setenv("CRS_DATA", str(tmp_path / "no data here"))
    run_dir = tmp_path / "run"
    env = partial(gym.make, "envs:CRS/Redial-v0", split="test")
    evaluate(env, AskAll, episodes=EPISODES, seed=0, run_dir=run_dir, workers=1)
    facts = catalog_facts(env())
    assert facts is not None
    write_summary(run_dir, facts)
    config = {
        "env": {"name": "redial", "domain": None, "items": None},
        "data": {"dir": None, "strict": True},
        "catalog": {"items": facts.items, "source": facts.source},
        "llm": {"backend": "embedded", "max_calls": 3},
    }
    (run_dir / "config.yaml").write_text(yaml.safe_dump(config))
    return run_dir


def summary_of(run_dir: Path) -> dict[str, Any]:
    found: dict[str, Any] = json.loads((run_dir / "summary.json").read_text())
    return found


def test_judging_twice_is_judging_once(run_dir: Path, capsys: pytest.CaptureFixture[str]) -> None:
    before = summary_of(run_dir)
    judge_run(run_dir)
    once = summary_of(run_dir), (run_dir / JUDGEMENTS).read_bytes()
    judge_run(run_dir, ["roles.judge.backend=embedded"])
    assert (summary_of(run_dir), (run_dir / JUDGEMENTS).read_bytes()) == once
    assert {key: once[0][key] for key in before} == before
    assert once[0]["judge_model"] == "embedded"
    assert 0.0 <= once[0]["judge_cge2"] <= 1.0
    assert len(read_judgements(run_dir)) == EPISODES
    assert "fge2" in capsys.readouterr().out


def test_problems_are_one_line(run_dir: Path) -> None:
    for arguments, words in (
        ([str(run_dir), "backend"], "key=value"),
        ([str(run_dir), "modle=x"], "model"),
        ([str(run_dir / "none")], "config.yaml"),
        ([], "RUN_DIR"),
    ):
        with pytest.raises(SystemExit, match=words):
            main(arguments)
    config = yaml.safe_load((run_dir / "config.yaml").read_text())
    config["catalog"]["items"] += 1
    (run_dir / "config.yaml").write_text(yaml.safe_dump(config))
    with pytest.raises(SystemExit, match="CRS_DATA"):
        main([str(run_dir)])
    (run_dir / "records.jsonl").write_text("")
    with pytest.raises(SystemExit, match="nothing to judge"):
        main([str(run_dir)])


def test_settings_are_the_runs_with_overrides_and_without_its_budget() -> None:
    of_run = {"backend": "openai", "max_calls": 3, "roles": {"judge": {"model": "a"}, "user": None}}
    found = _settings(of_run, ["llm.roles.judge.timeout_s=2", "roles.user.model=b", "model=null"])
    assert found == {
        "backend": "openai",
        "model": None,
        "roles": {"judge": {"model": "a", "timeout_s": 2}, "user": {"model": "b"}},
    }
    assert of_run["roles"] == {"judge": {"model": "a"}, "user": None}


def test_a_model_that_cannot_judge_leaves_the_run_as_it_was(
    run_dir: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    before = summary_of(run_dir)

    def refuse(self: EmbeddedJudge, lines: object) -> Judgement:
        raise DialogueFailed("the endpoint is not there", "unreachable")

    monkeypatch.setattr(EmbeddedJudge, "judge", refuse)
    with pytest.raises(SystemExit, match="nothing was written"):
        main([str(run_dir)])
    assert summary_of(run_dir) == before
    assert not (run_dir / JUDGEMENTS).exists()
    assert f"{EPISODES} of {EPISODES} dialogues are not judged: the endpoint" in (
        capsys.readouterr().err
    )


def test_what_a_model_could_not_judge_is_left_out_and_counted(
    run_dir: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    judge = EmbeddedJudge.judge
    calls: list[object] = []

    def first_fails(self: EmbeddedJudge, lines: Lines) -> Judgement:
        calls.append(lines)
        if len(calls) == 1:
            raise DialogueFailed("too long", "context_overflow")
        return judge(self, lines)

    monkeypatch.setattr(EmbeddedJudge, "judge", first_fails)
    assert judge_run(run_dir)["judge_failed_dialogues"] == 1
    assert len(read_judgements(run_dir)) == EPISODES - 1
