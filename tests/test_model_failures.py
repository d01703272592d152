"""Whole runs against an endpoint that fails: what ends, what is recorded, what is said."""

import socket
from pathlib import Path
from typing import Any

import pytest

from serving.background import running
from serving.settings import ServingSettings
from tests.command_line import train
from tests.model_runs import Record, plain, refusal, rows, run, samples, summary_of

__all__ = ["samples"]  # a fixture

RUN = ("env=opendialkg_book", "planner=prior_only", "episodes=4", "llm.parallel=1")
Whole = tuple[list[Record], list[int]]


@pytest.fixture(scope="module")
def whole(samples: None, tmp_path_factory: pytest.TempPathFactory) -> Whole:
    """The records without faults, and the requests of each dialogue."""
    folder = tmp_path_factory.mktemp("whole")
    with running() as address:
        records = run(folder, *RUN, "llm=server", f"llm.base_url={address}")
    return records, [timing["calls"] for timing in rows(folder / "timings.jsonl")]


def script(before: int, *kinds: str) -> ServingSettings:
    """An endpoint that answers so many requests well before the faults."""
    return ServingSettings(script=("",) * before + kinds)


@pytest.mark.parametrize(
    ("fault", "told"),
    [
        ("auth", "the key is refused (HTTP 401); check the variable that llm.api_key_env names"),
        ("no_model", "HTTP 404 (The model does not exist"),
    ],
)
def test_what_nothing_can_mend_ends_the_run(
    fault: str, told: str, whole: Whole, tmp_path: Path
) -> None:
    records, calls = whole
    with running(script(calls[0] + 2, fault)) as address:
        served = (*RUN, "llm=server", f"llm.base_url={address}")
        assert told in refusal(tmp_path / "out", *served)
        assert rows(tmp_path / "out" / "records.jsonl") == records[:1]
        assert len(rows(tmp_path / "out" / "timings.jsonl")) == 1
        assert not (tmp_path / "out" / "summary.json").exists()
        patient = ("llm.timeout_s=9", "llm.roles.user.timeout_s=8", "llm.max_attempts=7")
        assert run(tmp_path / "out", *served, *patient, "resume=true") == records


def test_it_ends_with_one_line_and_exit_code_1(tmp_path: Path) -> None:
    with running(script(5, "auth")) as address:
        served = ("llm=server", f"llm.base_url={address}", "planner=ask_all", "logger=none")
        printed = train(tmp_path, *served, "episodes=40", "run_dir=out", code=1)
    *_, last = printed.strip().splitlines()
    assert last.startswith("train.py: embedded-roles at server for the role ")
    assert "the key is refused (HTTP 401)" in last
    assert "Traceback" not in printed


@pytest.mark.parametrize("place", ["opening", "middle", "last"])
def test_a_dialogue_that_outgrows_the_model_fails_alone(
    place: str, whole: Whole, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    records, calls = whole
    before = {"opening": 0, "middle": calls[1] // 2, "last": calls[1] - 1}[place]
    with running(script(calls[0] + before, "overflow")) as address:
        found = run(tmp_path / "out", *RUN, "llm=server", f"llm.base_url={address}")
    lost = found.pop(1)
    assert found == [records[0], *records[2:]]
    assert (lost["episode"], lost["outcome"], lost["success"]) == (1, "failed", False)
    assert lost["failure"]["reason"] == "context_overflow"
    assert "longer than the model's context" in lost["failure"]["message"]
    kept = lost["turns"]
    assert plain([{"turns": kept}]) == plain([{"turns": records[1]["turns"][: len(kept)]}])
    assert len(kept) < len(records[1]["turns"])
    summary = summary_of(tmp_path / "out")
    assert summary["failed_dialogues"] == summary["failed/context_overflow"] == 1
    assert summary["success_rate"] == sum(record["success"] for record in found) / 3
    assert "1 of 4 dialogues failed (context_overflow 1)" in capsys.readouterr().out


def test_all_dialogues_may_fail(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    with running(ServingSettings(faults={"overflow": 1.0})) as address:
        told = refusal(tmp_path / "out", *RUN, "llm=server", f"llm.base_url={address}")
    assert "no dialogue could be finished" in told
    found = rows(tmp_path / "out" / "records.jsonl")
    assert [record["outcome"] for record in found] == ["failed"] * 4
    summary = summary_of(tmp_path / "out")
    assert summary["success_rate"] is None
    assert "4 of 4 dialogues failed" in capsys.readouterr().out


def test_nobody_listens(whole: Whole, tmp_path: Path) -> None:
    """Three dialogues are lost, and held again when somebody does."""
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
    served = ("llm=server", f"llm.base_url=http://127.0.0.1:{port}/v1")
    waits = ("llm.max_attempts=2", "llm.backoff_s=0.01")
    told = refusal(tmp_path / "out", *RUN, *served, *waits)
    assert "3 dialogues in a row failed because a model could not be reached" in told
    assert f"http://127.0.0.1:{port}/v1" in told
    assert "2 attempts are used up. Check that the endpoint is up" in told
    assert "resume=true holds them again" in told
    found = rows(tmp_path / "out" / "records.jsonl")
    assert [record["failure"]["reason"] for record in found] == ["unreachable"] * 3
    assert str(port) not in (tmp_path / "out" / "records.jsonl").read_text()
    assert str(port) in rows(tmp_path / "out" / "timings.jsonl")[0]["failure_message"]
    with running() as address:  # somewhere else: it is the same model
        again = ("llm=server", f"llm.base_url={address}", "resume=true")
        assert run(tmp_path / "out", *RUN, *again) == whole[0]
    assert summary_of(tmp_path / "out")["failed_dialogues"] == 0


TRANSIENT = {
    "rate_limit": "rate_limit",
    "server_error": "server_error",
    "drop": "connection",
    "hang": "timeout",
}
BAD_ANSWER = {"broken_json": "malformed", "truncated": "truncated", "empty": "empty"}


def test_every_fault_is_met_and_counted(whole: Whole, tmp_path: Path) -> None:
    """One of each kind, spread over the run: nothing changes but the accounts."""
    kinds = [*TRANSIENT, *BAD_ANSWER]
    settings = ServingSettings(
        script=tuple(kind for each in kinds for kind in (each, "")), retry_after_s=0.01
    )
    with running(settings) as address:
        served = ("llm=server", f"llm.base_url={address}", "llm.timeout_s=2")
        found = run(tmp_path / "out", *RUN, *served, "llm.backoff_s=0.01")
    assert found == whole[0]
    summary = summary_of(tmp_path / "out")
    met = {key.partition("/")[2]: n for key, n in summary.items() if key.startswith("llm_faults/")}
    assert {kind for kind, count in met.items() if count} == {
        *TRANSIENT.values(),
        *BAD_ANSWER.values(),
    }
    assert set(met.values()) == {0, 1}
    assert (summary["llm_retries"], summary["llm_repairs"], summary["llm_fallbacks"]) == (4, 3, 0)
    assert summary["llm_calls"] == sum(whole[1]) + 3


def test_a_refusal_is_not_asked_again(whole: Whole, tmp_path: Path) -> None:
    with running(script(0, "refusal", "", "refusal")) as address:
        found = run(tmp_path / "out", *RUN, "llm=server", f"llm.base_url={address}")
    assert plain(found) == plain(whole[0])
    summary = summary_of(tmp_path / "out")
    assert (summary["llm_repairs"], summary["llm_fallbacks"]) == (0, 2)
    assert summary["llm_faults/refusal"] == 2
    assert summary["llm_calls"] == sum(whole[1])
    fallbacks: list[Any] = [t["fallbacks"] for t in rows(tmp_path / "out" / "timings.jsonl")]
    assert [entry["fault"] for entry in fallbacks[0]] == ["refusal"] * 2
    assert fallbacks[1:] == [[], [], []]


@pytest.mark.parametrize(
    "supports",
    [{"json_schema": False}, {"json_schema": False, "json_object": False}],
    ids=["json_object", "neither"],
)
def test_what_an_endpoint_does_not_support(
    supports: dict[str, bool], whole: Whole, tmp_path: Path
) -> None:
    with running(ServingSettings(**supports)) as address:  # type: ignore[arg-type]
        found = run(tmp_path / "out", *RUN, "llm=server", f"llm.base_url={address}")
    assert found == whole[0]
    summary = summary_of(tmp_path / "out")
    assert (summary["llm_retries"], summary["llm_repairs"], summary["llm_fallbacks"]) == (0, 0, 0)
