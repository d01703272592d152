"""Runs whose answers are kept: a cache, a recording, a replay, and a budget that runs out."""

import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from serving.background import running
from tests.command_line import start
from tests.model_runs import plain, refusal, requests, rows, run, samples, summary_of

__all__ = ["samples"]  # a fixture

RUN = ("env=redial", "planner=dreams", "planner.n_el=3", "episodes=3", "llm.parallel=3")
SHORT = ("env=opendialkg_book", "planner=prior_only", "episodes=4")


@pytest.fixture(scope="module")
def address(samples: None) -> Iterator[str]:
    with running() as base_url:
        yield base_url


@pytest.fixture
def served(address: str) -> tuple[str, ...]:
    return "llm=server", f"llm.base_url={address}"


def lines_of(run_dir: Path) -> bytes:
    return (run_dir / "records.jsonl").read_bytes()


def calls_of(run_dir: Path) -> list[int]:
    """Model calls of each dialogue."""
    return [timing["calls"] for timing in rows(run_dir / "timings.jsonl")]


def spent_calls(run_dir: Path) -> int:
    """Model calls of all starts of a run."""
    roles = json.loads((run_dir / "spent.json").read_text())["roles"].values()
    return sum(role["calls"] for role in roles)


def test_a_repeated_run_makes_no_call(
    served: tuple[str, ...], address: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    cached = (*RUN, *served, f"llm.cache={tmp_path / 'answers'}")
    run(tmp_path / "first", *cached)
    before = requests(address)
    capsys.readouterr()
    run(tmp_path / "second", *cached)
    assert requests(address) == before
    assert lines_of(tmp_path / "second") == lines_of(tmp_path / "first")
    first, second = (summary_of(tmp_path / name) for name in ("first", "second"))
    assert (second["llm_calls"], second["llm_tokens_in"], second["llm_cost_usd"]) == (0, 0, 0.0)
    assert second["llm_cached"] == first["llm_calls"] + first["llm_cached"] > 0
    assert second["success_rate"] == first["success_rate"]
    told = " ".join(capsys.readouterr().out.split())
    assert "no price known" in told
    capsys.readouterr()
    priced = ("llm.price_in=1", "llm.price_out=2")
    run(tmp_path / "third", *cached, *priced)
    assert requests(address) == before
    assert "0.0000 USD" in capsys.readouterr().out
    assert f"0 calls (0.0 per dialogue), {second['llm_cached']} answers from the cache" in told


def test_a_recorded_run_is_replayed_without_an_endpoint(
    served: tuple[str, ...], address: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Also with another data root and number of threads; nobody is asked, none is started."""
    file = tmp_path / "answers.jsonl"
    run(tmp_path / "recorded", *RUN, *served, f"llm.record={file}")
    before, kept = requests(address), file.read_bytes()
    monkeypatch.setenv("CRS_DATA", str(tmp_path / "another root"))
    replay = ("llm=server", f"llm.replay={file}", "llm.parallel=1")
    run(tmp_path / "replayed", *RUN, *replay)
    assert lines_of(tmp_path / "replayed") == lines_of(tmp_path / "recorded")
    assert (requests(address), file.read_bytes()) == (before, kept)


def test_a_replay_that_lacks_an_answer_stops(served: tuple[str, ...], tmp_path: Path) -> None:
    """Wherever the missing one is: what is finished before it is kept."""
    file, cut = tmp_path / "answers.jsonl", tmp_path / "cut.jsonl"
    whole = run(tmp_path / "recorded", *SHORT, *served, "llm.parallel=1", f"llm.record={file}")
    kept = file.read_text().splitlines(keepends=True)
    for place in (0, len(kept) // 2, len(kept) - 1):
        cut.write_text("".join(kept[:place] + kept[place + 1 :]))
        run_dir = tmp_path / f"without {place}"
        told = refusal(run_dir, *SHORT, "llm=server", f"llm.replay={cut}")
        role = json.loads(kept[place])["role"]
        assert f"llm.replay: {cut} has no answer to a request of the role {role}" in told
        assert "record it again" in told
        found = rows(run_dir / "records.jsonl")
        assert found == whole[: len(found)]
        assert len(found) < len(whole)
        assert all(record["outcome"] != "failed" for record in found)


def test_a_resumed_recording_is_whole(served: tuple[str, ...], tmp_path: Path) -> None:
    file = tmp_path / "answers.jsonl"
    recorded = (*SHORT, *served, f"llm.record={file}")
    run(tmp_path / "out", *recorded, "episodes=2")
    run(tmp_path / "out", *recorded, "resume=true")
    run(tmp_path / "again", *SHORT, "llm=server", f"llm.replay={file}")
    assert lines_of(tmp_path / "again") == lines_of(tmp_path / "out")


def test_two_processes_share_a_cache(
    served: tuple[str, ...], address: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """They run at the same time, and both ask for every answer that is not there yet."""
    shared = (*SHORT, *served, f"llm.cache={tmp_path / 'answers'}")
    before = requests(address)
    both = [start(tmp_path, *shared, "logger=none", f"run_dir={name}") for name in ("one", "two")]
    for process in both:
        out, err = process.communicate(timeout=200)
        assert process.returncode == 0, out + err
    asked = requests(address) - before
    assert asked == sum(calls_of(tmp_path / "one") + calls_of(tmp_path / "two")) > 0
    monkeypatch.setenv("CRS_DATA", str(tmp_path / "no data here"))  # as those two had it
    run(tmp_path / "three", *shared)
    assert requests(address) == before + asked
    assert lines_of(tmp_path / "one") == lines_of(tmp_path / "two") == lines_of(tmp_path / "three")


def test_calls_that_run_out(served: tuple[str, ...], address: str, tmp_path: Path) -> None:
    """The budget is never exceeded; raised, the run ends as if nothing had happened."""
    whole = run(tmp_path / "whole", *SHORT, *served)
    calls = calls_of(tmp_path / "whole")
    limit = sum(calls[:2]) + calls[2] // 2
    for threads in (4, 1):
        before = requests(address)
        cut = (*SHORT, *served, f"llm.parallel={threads}")
        told = refusal(tmp_path / f"cut {threads}", *cut, f"llm.max_calls={limit}")
        assert f"the budget is spent: {limit} calls" in told
        assert f"could exceed llm.max_calls={limit}; raise the limit" in told
        assert requests(address) - before == limit
        found = rows(tmp_path / f"cut {threads}" / "records.jsonl")
        assert found == whole[: len(found)]
    (tmp_path / "cut 1").rename(tmp_path / "cut")
    kept = rows(tmp_path / "cut" / "records.jsonl")
    assert kept == whole[: len(kept)]
    assert 0 < len(kept) < len(whole)
    # All that was taken counts again, that of the unfinished dialogue too: nothing is left.
    before = requests(address)
    again = refusal(tmp_path / "cut", *cut, "resume=true", f"llm.max_calls={limit}")
    assert f"the budget is spent: {limit} calls" in again
    assert requests(address) == before
    lost = limit - sum(calls_of(tmp_path / "cut"))
    enough = ("resume=true", f"llm.max_calls={sum(calls) + lost}", "llm.parallel=2")
    run(tmp_path / "cut", *cut, *enough)
    assert lines_of(tmp_path / "cut") == lines_of(tmp_path / "whole")
    assert calls_of(tmp_path / "cut") == calls
    assert requests(address) == before + sum(calls) + lost - limit
    assert spent_calls(tmp_path / "cut") == sum(calls) + lost
    summary = summary_of(tmp_path / "cut")
    assert (summary["llm_calls"], summary["llm_calls_unfinished"]) == (sum(calls), lost)
    assert summary["llm_tokens_unfinished"] > 0
    assert summary_of(tmp_path / "whole")["llm_calls_unfinished"] == 0
    assert spent_calls(tmp_path / "whole") == sum(calls)


def test_what_is_finished_ahead_is_not_held_again(
    served: tuple[str, ...], address: str, tmp_path: Path
) -> None:
    """The first dialogue is the longest, so the others wait for it when the budget is spent."""
    run(tmp_path / "whole", *SHORT, *served)
    calls = calls_of(tmp_path / "whole")
    assert calls[0] == max(calls)
    cut, before = tmp_path / "cut", requests(address)
    limit = sum(calls) - 2
    refusal(cut, *SHORT, *served, "llm.parallel=4", f"llm.max_calls={limit}")
    assert requests(address) - before == spent_calls(cut) == limit
    assert rows(cut / "records.jsonl") == []
    kept = {line["episode"] for line in rows(cut / "ahead.jsonl")}
    assert kept
    left = sum(count for episode, count in enumerate(calls) if episode not in kept)
    enough = f"llm.max_calls={limit + left}"
    run(cut, *SHORT, *served, "llm.parallel=4", "resume=true", enough)
    assert requests(address) - before == spent_calls(cut) == limit + left
    assert lines_of(cut) == lines_of(tmp_path / "whole")
    assert calls_of(cut) == calls
    assert not (cut / "ahead.jsonl").exists()
    summary = summary_of(cut)
    assert summary["llm_calls"] + summary["llm_calls_unfinished"] == limit + left


def test_an_account_that_was_changed(served: tuple[str, ...], tmp_path: Path) -> None:
    """Without one, as after a kill, the finished dialogues count."""
    cut = (*SHORT, *served, "llm.parallel=1")
    refusal(tmp_path, *cut, "llm.max_calls=25")
    account = tmp_path / "spent.json"
    assert spent_calls(tmp_path) == 25
    account.write_text("25 calls")
    told = refusal(tmp_path, *cut, "llm.max_calls=30", "resume=true")
    assert "spent.json cannot be read, which counts the calls of the run" in told
    account.unlink()
    finished = sum(calls_of(tmp_path))
    told = refusal(tmp_path, *cut, f"llm.max_calls={finished + 2}", "resume=true")
    assert f"{finished + 2} calls" in told


def test_money_that_runs_out(served: tuple[str, ...], tmp_path: Path) -> None:
    prices = ("llm.price_in=100", "llm.price_out=400")
    whole = run(tmp_path / "whole", *SHORT, *served, *prices, "llm.parallel=1")
    costs = [timing["cost"] for timing in rows(tmp_path / "whole" / "timings.jsonl")]
    assert summary_of(tmp_path / "whole")["llm_cost_usd"] == pytest.approx(sum(costs))
    assert min(costs) > 0
    # A request reserves the most that it can cost, which is several times what it does cost.
    limit = round(sum(costs[:2]) + 1.5, 4)
    cut = (*SHORT, *served, *prices, "llm.parallel=1")
    told = refusal(tmp_path / "cut", *cut, f"llm.max_cost_usd={limit}")
    assert f"could exceed llm.max_cost_usd={limit:g}; raise the limit" in told
    kept = rows(tmp_path / "cut" / "records.jsonl")
    assert kept == whole[: len(kept)]
    assert 0 < len(kept) < len(whole)
    assert sum(t["cost"] for t in rows(tmp_path / "cut" / "timings.jsonl")) <= limit
    run(tmp_path / "cut", *cut, "resume=true", "llm.max_cost_usd=1000")
    assert lines_of(tmp_path / "cut") == lines_of(tmp_path / "whole")


def test_money_needs_prices(served: tuple[str, ...], tmp_path: Path) -> None:
    told = refusal(tmp_path / "out", *SHORT, *served, "llm.max_cost_usd=5")
    assert "llm.max_cost_usd=5.0 needs the prices of embedded-roles for the role track" in told
    assert "set llm.price_in and llm.price_out" in told
    assert not (tmp_path / "out").exists()


def test_what_cannot_be_kept_stops_before_anything_is_asked(
    served: tuple[str, ...], address: str, tmp_path: Path
) -> None:
    before = requests(address)
    (tmp_path / "file").write_text("no recording\n")
    for name, told in (
        ("llm.replay", "cannot read"),
        ("llm.cache", "cannot be used"),
        ("llm.record", "is no recorded answer"),
    ):
        place = {"llm.replay": "missing", "llm.cache": "file/answers", "llm.record": "file"}[name]
        message = refusal(tmp_path / "out", *SHORT, *served, f"{name}={tmp_path / place}")
        assert name in message
        assert told in message
        assert not (tmp_path / "out").exists()
    assert requests(address) == before


def test_records_do_not_tell_where_the_endpoint_was(
    served: tuple[str, ...], tmp_path: Path
) -> None:
    run(tmp_path / "one", *SHORT, *served)
    with running() as other:
        run(tmp_path / "two", *SHORT, "llm=server", f"llm.base_url={other}")
    assert lines_of(tmp_path / "one") == lines_of(tmp_path / "two")
    assert plain(rows(tmp_path / "one" / "records.jsonl"))[0]["outcome"] != "failed"
