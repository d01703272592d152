"""What models were paid for in all starts of a run, and what of it got lost."""

import json
import time
from pathlib import Path
from typing import Any

import pytest

from evaluation.account import SPENT, Account, charge, read_account, unfinished
from evaluation.model_usage import NAMES, usage_lines
from evaluation.records import RecordError, Timing
from evaluation.summary import summarize
from language.llm.usage import Usage
from tests.evaluation.fakes import record, timing


class Models:
    """Stands for what a start of a run asks."""

    def __init__(self) -> None:
        self.usage = Usage()

    def ask(self, role: str, calls: int, **more: float) -> None:
        self.usage.add(
            role, calls=calls, tokens_in=10 * calls, tokens_out=calls, cost_usd=0.1 * calls, **more
        )


def line(episode: int, role: str = "user", calls: int = 1) -> Timing:
    """The timing of a dialogue that asked a role."""
    models = Models()
    models.ask(role, calls)
    return timing(episode) | {"llm": models.usage.by_role()}


def test_starts_add_up(tmp_path: Path) -> None:
    for start in range(1, 4):
        models = Models()
        account = Account(tmp_path, [], models.usage.by_role)
        assert account.earlier == pytest.approx((3 * (start - 1), 0.3 * (start - 1)))
        with account.kept():
            models.ask("user", 2)
            models.ask("track", 1)
        found = read_account(tmp_path)
        assert (found["user"]["calls"], found["track"]["calls"]) == (2 * start, start)
        assert found["user"]["tokens_in"] == 20 * start
    assert set(found) == {"track", "user"}
    assert set(found["user"]) == {*NAMES, "faults"}


@pytest.mark.parametrize("error", [KeyboardInterrupt, RuntimeError])
def test_it_is_written_however_the_run_ends(tmp_path: Path, error: type[BaseException]) -> None:
    models = Models()

    def asks_and_ends() -> None:
        with Account(tmp_path, [], models.usage.by_role).kept():
            models.ask("user", 4)
            raise error

    with pytest.raises(error):
        asks_and_ends()
    assert read_account(tmp_path)["user"]["calls"] == 4


def test_it_is_written_meanwhile(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """With every dialogue, and without one now and then; a full disk does not end the clock."""
    models = Models()
    account = Account(tmp_path, [], models.usage.by_role)
    models.ask("user", 1)
    account.on_dialogue({}, {})
    assert read_account(tmp_path)["user"]["calls"] == 1
    monkeypatch.setattr("evaluation.account.PERIOD_S", 0.01)
    (tmp_path / SPENT).unlink()
    (tmp_path / f"{SPENT}.part").mkdir()  # where a file is to be written
    with account.kept():
        time.sleep(0.05)
        (tmp_path / f"{SPENT}.part").rmdir()
        deadline = time.monotonic() + 10
        while not (tmp_path / SPENT).exists():
            assert time.monotonic() < deadline
            time.sleep(0.01)


def test_the_larger_of_file_and_timings_counts(tmp_path: Path) -> None:
    """A run that was killed: the file lags behind in one role, and the timings lack a dialogue."""
    models = Models()
    models.ask("user", 3)
    models.ask("track", 9)
    Account(tmp_path, [], models.usage.by_role).write()
    lines = [line(0, calls=5), line(1, "track", 4), line(2, "reply", 1), timing(3)]
    account = Account(tmp_path, lines, Models().usage.by_role)
    assert account.earlier == pytest.approx((5 + 9 + 1, 1.5))
    account.write()
    assert {role: c["calls"] for role, c in read_account(tmp_path).items()} == {
        "reply": 1, "track": 9, "user": 5,
    }  # fmt: skip
    assert Account(tmp_path / "none", lines, dict).earlier == pytest.approx((10, 1.0))


def test_what_may_have_been_paid_counts_against_the_budget() -> None:
    models = Models()
    models.ask("user", 3, cost_reserved_usd=0.25)
    for fault in ("timeout", "timeout", "server_error"):
        models.usage.fault("user", fault)
    found = Account(Path(), [timing() | {"llm": models.usage.by_role()}], dict).earlier
    assert found == pytest.approx((5, 0.55))
    assert charge({}) == (0, 0.0)


@pytest.mark.parametrize("text", ["", "[]", "25 calls", '{"roles": {"user": 3}}', '{"roles": 5}'])
def test_a_changed_file_is_refused(tmp_path: Path, text: str) -> None:
    (tmp_path / SPENT).write_text(text)
    with pytest.raises(RecordError, match=r"spent\.json cannot be read, which counts the calls"):
        read_account(tmp_path)


def totals(*lines: Timing) -> Any:
    usage = Usage()
    for each in lines:
        for role, counts in each.get("llm", {}).items():
            usage.add(role, **{name: counts[name] for name in ("calls", "tokens_in", "tokens_out")})
            usage.add(role, cost_usd=counts["cost_usd"])
    return usage.by_role()


def test_unfinished_is_what_is_in_no_dialogue(tmp_path: Path) -> None:
    lines = [line(k, role, 1 + k) for k in range(7) for role in ("user",)]
    lost = [line(8, "user", 2), line(8, "track", 3)]
    account = Account(tmp_path, [], lambda: totals(*lines, *lost))
    account.write()
    found = unfinished(read_account(tmp_path), lines)
    assert found == {
        "llm_calls_unfinished": 5,
        "llm_tokens_unfinished": 55,
        "llm_cost_usd_unfinished": 0.5,
    }
    summary = summarize([record(episode=k) for k in range(7)], lines, None, read_account(tmp_path))
    assert summary["llm_calls"] == 28
    assert summary | found == summary
    assert "Beside these, 5 calls (55 tokens, 0.5000 USD)" in usage_lines(summary)[1]


def test_normally_nothing_is_unfinished(tmp_path: Path) -> None:
    lines = [line(k, calls=k + 1) for k in range(9)]
    Account(tmp_path, [], lambda: totals(*reversed(lines))).write()
    assert set(unfinished(read_account(tmp_path), lines).values()) == {0}
    summary = summarize([record(episode=k) for k in range(9)], lines, None)
    assert summary["llm_calls_unfinished"] == summary["llm_cost_usd_unfinished"] == 0
    assert len(usage_lines(summary)) == 1
    assert "llm_calls_unfinished" not in summarize([record()], [timing()], None)


def test_the_file_is_plain(tmp_path: Path) -> None:
    models = Models()
    models.ask("user", 1)
    Account(tmp_path, [], models.usage.by_role).write()
    raw = json.loads((tmp_path / SPENT).read_text())
    assert raw.keys() == {"schema", "roles"}
    assert raw["roles"]["user"]["calls"] == 1
