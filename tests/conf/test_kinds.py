"""Kinds of runs: judged ones and prefixes, from configuration to files."""

import json
from pathlib import Path
from typing import Any

import pytest

from conf.kinds import PREFIXES, settle_kind
from conf.run_errors import RunError
from tests.command_line import composed, refused, run_here
from tests.model_runs import rows, summary_of

TABLE_8 = (
    "next_action_accuracy", "useful_ask", "redundant_question", "premature_recommendation",
)  # fmt: skip
QUIET = ("logger=none", "planner=ask_all")


@pytest.fixture(autouse=True)
def samples(no_data: str) -> None:
    """The bundled items."""


def test_a_run_is_judged_at_its_end(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    plain, judged = tmp_path / "plain", tmp_path / "judged"
    run_here(*QUIET, "episodes=8", f"run_dir={plain}")
    run_here(*QUIET, "episodes=8", f"run_dir={judged}", "judge=true")
    assert (plain / "records.jsonl").read_bytes() == (judged / "records.jsonl").read_bytes()
    summary = summary_of(judged)
    assert summary["judge_model"] == "embedded"
    for metric in ("cge2", "fge2", "pe2"):
        assert 0.0 <= summary[f"judge_{metric}"] <= 1.0
        assert {f"judge_{metric}_{k}" for k in ("alpha", "macro_f1", "spearman")} <= set(summary)
    assert len(rows(judged / "judgements.jsonl")) == 8
    printed = capsys.readouterr().out
    assert "CGE2 by the judge" in printed
    assert "Krippendorff's α" in printed
    before = {path.name: path.read_bytes() for path in judged.iterdir()}
    run_here(*QUIET, "episodes=8", f"run_dir={judged}", "judge=true", "resume=true")
    assert {path.name: path.read_bytes() for path in judged.iterdir()} == before
    run_here(*QUIET, "episodes=8", f"run_dir={judged}", "resume=true")
    assert summary_of(judged) == summary  # what the judge said is still there
    # A finished run is judged when it is continued with judge=true.
    run_here(*QUIET, "episodes=8", f"run_dir={plain}", "judge=true", "resume=true")
    found = {k: v for k, v in summary_of(plain).items() if k.startswith("judge_")}
    assert found == {k: v for k, v in summary.items() if k.startswith("judge_")}


def test_a_judge_gets_text_alone(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from evaluation.judge import EmbeddedJudge

    judge, given = EmbeddedJudge.judge, []

    def listen(self: EmbeddedJudge, *args: Any) -> Any:
        given.append(args)
        return judge(self, *args)

    monkeypatch.setattr(EmbeddedJudge, "judge", listen)
    run_here(*QUIET, "episodes=2", f"run_dir={tmp_path / 'out'}", "judge=true")
    assert len(given) == 2
    for (lines,) in given:
        assert all(who in ("system", "user") and isinstance(text, str) for who, text in lines)


def test_what_cannot_be_judged_is_refused_before_anything_is_run(tmp_path: Path) -> None:
    message = refused("judge=true", "env.id=CartPole-v1", "planner=ppo", f"run_dir={tmp_path}/out")
    assert "has none; leave judge=false" in message
    assert not (tmp_path / "out").exists()


def test_prefixes_are_scored(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    out = tmp_path / "out"
    run_here("planner=prior_only", "logger=none", "prefixes=true", f"run_dir={out}", "workers=2")
    summary = summary_of(out)
    assert summary["episodes"] == 140
    for name in TABLE_8:
        low, high = summary[f"{name}_ci"]
        assert low <= summary[name] <= high
    lines = rows(out / PREFIXES)
    assert [line["prefix"] for line in lines] == [f"p{k:03}" for k in range(140)]
    right = sum(line["right"] for line in lines)
    assert summary["next_action_accuracy"] == pytest.approx(right / 140)
    assert "success_rate" not in summary
    assert "Next action is right" in capsys.readouterr().out
    alone = tmp_path / "alone"
    run_here("planner=prior_only", "logger=none", "prefixes=true", f"run_dir={alone}", "workers=1")
    assert (alone / PREFIXES).read_bytes() == (out / PREFIXES).read_bytes()


def test_prefixes_are_resumed(tmp_path: Path) -> None:
    out, whole = tmp_path / "out", tmp_path / "whole"
    run_here(*QUIET, "prefixes=true", "episodes=9", f"run_dir={out}")
    run_here(*QUIET, "prefixes=true", "episodes=140", f"run_dir={out}", "resume=true")
    run_here(*QUIET, "prefixes=true", f"run_dir={whole}")
    for name in ("records.jsonl", PREFIXES):
        assert (out / name).read_bytes() == (whole / name).read_bytes()


@pytest.mark.parametrize("algorithm", ["maskable_ppo", "recurrent_ppo"])
def test_agents_are_scored_too(algorithm: str, tmp_path: Path) -> None:
    out = tmp_path / "out"
    small = [f"planner={algorithm}", "planner.total_timesteps=512", "planner.n_envs=2"]
    small += ["planner.hyperparameters.n_steps=64", "logger=none"]
    run_here(*small, "prefixes=true", f"run_dir={out}")
    assert summary_of(out)["episodes"] == len(rows(out / PREFIXES)) == 140
    assert (out / "agent.zip").exists()


def test_the_published_row_stands_beside(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COLUMNS", "150")
    settings = ("planner=dreams", "planner.n_el=5", "logger=none", "workers=1", "episodes=3")
    run_here(*settings, "prefixes=true", f"run_dir={tmp_path / 'out'}")
    assert "0.758 (Table 8)" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("overrides", "words"),
    [
        (("prefixes=maybe",), "prefixes must be true or false"),
        (("judge=maybe",), "judge must be true or false"),
        (("prefixes=true", "judge=true"), "judge=true has no place"),
        (("prefixes=true", "simulator=human"), "simulator=human has no place"),
        (("prefixes=true", "split=train"), "split=test"),
        (("prefixes=true", "env=opendialkg_book"), "bundled films"),
    ],
)
def test_what_does_not_go_together(overrides: tuple[str, ...], words: str) -> None:
    with pytest.raises(RunError, match=words):
        settle_kind(composed(*overrides))


def test_more_prefixes_than_there_are(tmp_path: Path) -> None:
    message = refused(*QUIET, "prefixes=true", "episodes=141", f"run_dir={tmp_path / 'out'}")
    assert "there are 140 prefixes" in message


def test_an_unfinished_run_of_prefixes_says_that_it_is_one(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """So that a comparison does not take its records for dialogues."""
    out = tmp_path / "out"

    def stop(*args: Any, **more: Any) -> None:
        raise RunError("stopped")

    monkeypatch.setattr("conf.run.evaluate", stop)
    assert "stopped" in refused(*QUIET, "prefixes=true", f"run_dir={out}")
    assert (out / PREFIXES).read_text() == ""
    assert json.loads(json.dumps(composed("prefixes=true")["prefixes"])) is True


@pytest.mark.parametrize("stream", ["sys.stdin", "sys.stdout"])
def test_a_person_needs_an_input_and_an_output(
    stream: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    config = composed("simulator=human", *QUIET)
    with monkeypatch.context() as patch:
        patch.setattr(stream, None)
        with pytest.raises(RunError, match="one of them is closed"):
            settle_kind(config)
