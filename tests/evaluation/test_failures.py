"""Dialogues that fail for want of a model: their records, and that no rate counts them."""

import io
import json
from contextlib import suppress
from functools import partial
from pathlib import Path
from typing import Any

import pytest
from rich.console import Console

from evaluation.ahead import AHEAD_FILE
from evaluation.curves import EpisodeCurves, dialogue_text
from evaluation.failures import failure_line
from evaluation.metrics import tallies
from evaluation.published import rows_of_planner
from evaluation.records import RECORDS, SCHEMA, read_records, read_timings
from evaluation.runner import EvaluationError, evaluate
from evaluation.summary import summarize, write_summary
from evaluation.table import run_table
from language.llm.errors import DialogueFailed
from tests.evaluation.fakes import (
    FakeEnv,
    GuessPolicy,
    ModelPolicy,
    MuteEnv,
    ObserverPolicy,
    PlainEnv,
    record,
    timing,
    turn,
)
from tests.evaluation.test_metrics import RECORDS as WHOLE
from tests.evaluation.test_metrics import TIMINGS as WHOLE_TIMINGS

HOWS: list[dict[str, int]] = [{}, {"threads": 3}, {"workers": 2}]
LOST = record(
    turn("ItemRec", item="t"),
    episode=9,
    outcome="failed",
    failure={"reason": "context_overflow", "message": "user: too long"},
)


def run(run_dir: Path, policy: Any = ModelPolicy, env: Any = FakeEnv, **changes: Any) -> Any:
    settings: Any = {"episodes": 6, "seed": 3, "run_dir": run_dir} | changes
    return evaluate(env, policy, **settings)


@pytest.mark.parametrize("how", HOWS)
def test_a_failed_dialogue_is_recorded_and_the_others_stand(
    tmp_path: Path, how: dict[str, int]
) -> None:
    run(tmp_path / "whole")
    run(tmp_path / "some", partial(ModelPolicy, {2: "context_overflow"}), **how)
    whole, some = (read_records(tmp_path / name) for name in ("whole", "some"))
    assert [r for r in some if r["episode"] != 2] == [r for r in whole if r["episode"] != 2]
    assert (some[2]["outcome"], some[2]["success"]) == ("failed", False)
    assert some[2]["failure"] == {
        "reason": "context_overflow",
        "message": "the dialogue became longer than the model's context",
    }
    told = [timing.get("failure_message") for timing in read_timings(tmp_path / "some")]
    assert told[2] == "track: the endpoint did not answer (context_overflow)"
    assert told[:2] + told[3:] == [None] * 5
    assert some[2]["turns"] == whole[2]["turns"][:1]
    assert (some[2]["n_turns"], some[2]["persona"]) == (1, whole[2]["persona"])


def test_a_dialogue_without_an_opening_has_what_readers_need(tmp_path: Path) -> None:
    """And nothing of the dialogue before it, which the environment still holds."""
    done = run(tmp_path, GuessPolicy, partial(MuteEnv, (0, 3)))
    for lost in (done.records[0], done.records[3]):
        assert lost["turns"] == []
        assert lost["n_turns"] == lost["return"] == 0
        assert (lost["outcome"], lost["persona"], lost["seed"]) == ("failed", None, 3)
        assert lost["failure"]["reason"] == "unreachable"
        assert "failed: the model could not be reached" in dialogue_text(lost)
    assert [r["episode"] for r in done.records] == list(range(6))
    assert write_summary(tmp_path, None)["failed_dialogues"] == 2


def test_an_episode_of_a_plain_environment_can_fail(tmp_path: Path) -> None:
    class Lost(ObserverPolicy):
        def act(self, observation: Any, mask: Any, rng: Any) -> int:
            raise DialogueFailed("policy: rejected", "rejected")

    done = run(tmp_path, Lost, PlainEnv, episodes=1)
    assert done.timings[0]["failure_message"] == "policy: rejected"
    assert done.records[0] == {
        "schema": SCHEMA,
        "episode": 0,
        "seed": 3,
        "return": 0.0,
        "length": 0,
        "outcome": "failed",
        "success": False,
        "failure": {"reason": "rejected", "message": "the endpoint rejected a request"},
    }
    summary = write_summary(tmp_path, None)
    assert (summary["failed_dialogues"], summary["failed/rejected"]) == (1, 1)


def test_resume_keeps_failed_dialogues(tmp_path: Path) -> None:
    failing = partial(ModelPolicy, {1: "rejected"})
    run(tmp_path / "whole", failing)
    run(tmp_path / "cut", failing, episodes=3)
    assert run(tmp_path / "cut", resume=True).resumed == 3
    whole, cut = ((tmp_path / name / RECORDS).read_bytes() for name in ("whole", "cut"))
    assert whole == cut


@pytest.mark.parametrize("how", HOWS)
def test_a_model_that_is_not_there_stops_the_run(tmp_path: Path, how: dict[str, int]) -> None:
    reasons = dict.fromkeys((0, 1, 3, 4, 5), "unreachable") | {2: "context_overflow"}
    with pytest.raises(EvaluationError) as caught:
        run(tmp_path, partial(ModelPolicy, reasons), episodes=40, **how)
    for part in ("3 dialogues in a row", "did not answer (unreachable)", "resume=true holds them"):
        assert part in str(caught.value)
    assert [r["episode"] for r in read_records(tmp_path)] == list(range(6))
    ahead = (tmp_path / AHEAD_FILE).read_bytes() if (tmp_path / AHEAD_FILE).exists() else b""
    assert b'"unreachable"' not in ahead  # it would be held again anyway
    assert run(tmp_path, resume=True, episodes=8).resumed == 3


@pytest.mark.parametrize("lost", [(3, 4, 5), (5,), (0, 1, 2, 3, 4, 5), (0, 1)])
def test_resume_holds_again_what_was_not_reached_at_the_end(
    tmp_path: Path, lost: tuple[int, ...]
) -> None:
    """Also where the run had come to its end; an unreached dialogue in the middle stays."""
    failing = partial(ModelPolicy, dict.fromkeys(lost, "unreachable"))
    run(tmp_path / "whole")
    with suppress(EvaluationError):
        run(tmp_path / "cut", failing)
    again = run(tmp_path / "cut", resume=True)
    whole, cut = (read_records(tmp_path / name) for name in ("whole", "cut"))
    assert again.resumed == (6 if lost == (0, 1) else lost[0])
    assert cut[again.resumed :] == whole[again.resumed :]
    assert [r["outcome"] == "failed" for r in cut[:2]] == [lost == (0, 1)] * 2
    assert [t["episode"] for t in read_timings(tmp_path / "cut")] == list(range(6))


def test_other_failures_in_a_row_stop_nothing(tmp_path: Path) -> None:
    done = run(tmp_path, partial(ModelPolicy, dict.fromkeys(range(6), "context_overflow")))
    assert len(done.records) == 6
    summary = write_summary(tmp_path, None)
    assert (summary["failed_dialogues"], summary["success_rate"]) == (6, None)
    assert printed(run_table("dreams", summary))


def test_no_rate_and_no_mean_counts_them() -> None:
    plain = summarize(WHOLE, WHOLE_TIMINGS, None)
    mixed = summarize([LOST, *WHOLE], [timing(9, policy=99.0), *WHOLE_TIMINGS], None)
    assert plain["failed_dialogues"] == 0
    assert (mixed["failed_dialogues"], mixed["failed/context_overflow"]) == (1, 1)
    assert mixed["episodes"] == 5
    for key in plain.keys() - {"episodes", "failed_dialogues"}:
        assert mixed[key] == plain[key], key
    assert {len(tally) for tally in tallies([LOST, *WHOLE], [timing(9), *WHOLE_TIMINGS]).values()}


def printed(table: object) -> str:
    file = io.StringIO()
    Console(file=file, width=200).print(table)
    return file.getvalue()


def test_tables_say_that_they_are_left_out() -> None:
    summary = summarize([LOST, *WHOLE], [timing(9), *WHOLE_TIMINGS], None)
    text = printed(run_table("dreams", summary, rows_of_planner("redial", "dreams")))
    assert "5 episodes, 1 of them failed and left out" in text
    assert any("Failed dialogues" in line and " 1 " in line for line in text.splitlines())
    assert failure_line(summary) == (
        "1 of 5 dialogues failed (context_overflow 1); they are left out of every rate and mean."
    )
    whole = summarize(WHOLE, WHOLE_TIMINGS, None)
    assert failure_line(whole) is None
    assert "ailed" not in printed(run_table("dreams", whole))


def test_curves_leave_them_out() -> None:
    plain, mixed = EpisodeCurves(), EpisodeCurves()
    wanted = [plain.add(entry) for entry in WHOLE]
    assert mixed.add(LOST) == {"evaluation/failed_dialogues": 1.0}
    assert [mixed.add(entry) for entry in WHOLE] == wanted
    assert mixed.add(LOST) == {"evaluation/failed_dialogues": 2.0}
    assert "failed: user: too long" in dialogue_text(LOST)


def test_a_failed_record_is_a_line_like_others(tmp_path: Path) -> None:
    run(tmp_path, GuessPolicy, partial(MuteEnv, (0,)), episodes=2)
    first, second = (tmp_path / RECORDS).read_text(encoding="utf-8").splitlines()
    wanted = set(json.loads(second)) - {"facets"} | {"failure"}
    assert set(json.loads(first)) == wanted


def test_an_endpoint_that_rejects_everything_stops_the_run(tmp_path: Path) -> None:
    reasons = dict.fromkeys(range(9), "rejected")
    with pytest.raises(EvaluationError, match="an endpoint rejects what it is asked"):
        run(tmp_path, partial(ModelPolicy, reasons), episodes=9)
    assert run(tmp_path, resume=True, episodes=4).resumed == 0
