"""Accounts of models: from a dialogue to its timing, to the summary, to what is printed."""

import io
from functools import partial
from pathlib import Path
from typing import Any

import pytest
from rich.console import Console

from evaluation.curves import summary_scalars
from evaluation.model_usage import NAMES, OVERRULED, usage_lines, usage_summary
from evaluation.records import read_timings
from evaluation.runner import evaluate
from evaluation.summary import summarize, write_summary
from evaluation.table import run_table
from language.llm.usage import FAULTS, Usage
from tests.evaluation.fakes import FakeEnv, GuessPolicy, ModelPolicy, record, timing, turn


def run(run_dir: Path, policy: Any = ModelPolicy, **changes: Any) -> Any:
    settings: Any = {"episodes": 6, "seed": 3, "run_dir": run_dir} | changes
    return evaluate(FakeEnv, policy, **settings)


def booked(**roles: dict[str, float]) -> dict[str, dict[str, Any]]:
    """Counts by role, as a usage reports them."""
    usage = Usage()
    for role, counts in roles.items():
        usage.add(role, **counts)
    return usage.by_role()


@pytest.mark.parametrize("how", [{}, {"threads": 4}, {"workers": 2}])
def test_each_dialogue_has_its_own_account(tmp_path: Path, how: dict[str, int]) -> None:
    done = run(tmp_path, **how)
    for talk, line in zip(done.records, read_timings(tmp_path), strict=True):
        turns = talk["n_turns"]
        assert (line["calls"], line["tokens"], line["retries"]) == (turns, 12 * turns, turns)
        assert line["cost"] == 0.25 * turns
        assert set(line["llm"]) == {"score"}
        assert line["llm"]["score"]["calls"] == turns
        assert line["llm"]["score"]["faults"] == {"refusal": 1}
        assert line["fallbacks"] == [{"turn": 1, "role": "score", "fault": "refusal"}]


def test_without_models_there_are_no_accounts(tmp_path: Path) -> None:
    line = run(tmp_path, GuessPolicy, episodes=1).timings[0]
    assert not {"llm", "fallbacks"} & set(line)
    summary = write_summary(tmp_path, None)
    assert not [key for key in summary if key.startswith(("llm_", "simulator_"))]
    assert summary["failed_dialogues"] == 0
    assert usage_lines(summary) == []


def test_the_summary_of_a_run(tmp_path: Path) -> None:
    done = run(tmp_path, partial(ModelPolicy, {1: "rejected"}))
    summary = write_summary(tmp_path, None)
    whole = [talk["n_turns"] for talk in done.records if talk["outcome"] != "failed"]
    calls = sum(whole) + 1
    assert summary["llm_calls"] == summary["llm_calls/score"] == calls
    assert (summary["llm_tokens_in"], summary["llm_tokens_out"]) == (10 * calls, 2 * calls)
    assert summary["llm_cost_usd"] == 0.25 * calls
    assert summary["llm_calls/track"] == summary["llm_cached"] == summary["llm_repairs"] == 0
    assert summary["llm_fallbacks"] == summary["llm_fallbacks/score"] == 6
    assert summary["llm_faults/refusal"] == 6
    assert summary["llm_faults/connection"] == 1
    assert {f"llm_faults/{kind}" for kind in FAULTS} <= set(summary)
    assert summary["llm_calls_per_dialogue"] == sum(whole) / 5
    assert summary["llm_tokens_per_dialogue"] == 12 * sum(whole) / 5
    assert set(NAMES.values()) <= set(summary)
    scalars = summary_scalars(summary)
    assert scalars["summary/llm_calls"] == calls
    assert scalars["summary/failed_dialogues"] == 1.0


def test_roles_and_dialogues_add_up() -> None:
    lines = [
        timing(0) | {"llm": booked(user={"calls": 2, "cached": 3}, track={"calls": 1})},
        timing(1),
        timing(2) | {"llm": booked(user={"calls": 5, "cost_usd": 0.5})},
    ]
    found = usage_summary([record(episode=k) for k in range(3)], lines)
    assert (found["llm_calls"], found["llm_calls/user"], found["llm_calls/track"]) == (8, 7, 1)
    assert (found["llm_cached"], found["llm_cached/user"]) == (3, 3)
    assert found["llm_cost_usd"] == 0.5


def test_a_user_that_is_overruled_is_counted() -> None:
    said = record(
        turn("GenreInquiry", overruled=["empty_reply"]),
        turn("ItemRec", item="a", overruled=["false_accept", "early_leave"]),
        turn("ItemRec", item="t", overruled=["false_accept"]),
    )
    found = summarize([said], [timing() | {"llm": booked(user={"calls": 3})}], None)
    counts = {key: found[key] for key in OVERRULED.values()}
    assert counts == {
        "simulator_false_accepts": 2,
        "simulator_missed_accepts": 0,
        "simulator_early_leaves": 1,
        "simulator_late_leaves": 0,
        "simulator_empty_replies": 1,
    }


def test_zero_differs_from_no_model_user() -> None:
    planner = summarize([record()], [timing() | {"llm": booked(score={"calls": 1})}], None)
    assert "simulator_false_accepts" not in planner
    head = {"user": {"model": "some", "prompt": "user/1"}}
    assert summarize([record(llm=head)], [timing()], None)["simulator_false_accepts"] == 0


def test_that_nothing_was_paid_is_not_that_no_price_is_known() -> None:
    """As of a repeated run whose answers were all kept."""
    lines = [timing() | {"llm": booked(user={"cached": 4}, score={"cached": 2})}]
    summary = {"episodes": 1, **usage_summary([record()], lines)}
    assert usage_lines(summary, ["judge"])[0].endswith("0.0000 USD (0.0000 per dialogue)")
    (told,) = usage_lines(summary, ["user"])
    assert told.endswith("0.0000 USD (0.0000 per dialogue; no price known of user)")
    assert usage_lines(summary, ["user", "score"])[0].endswith("no price known")


def test_what_is_printed(tmp_path: Path) -> None:
    run(tmp_path, episodes=2)
    summary = write_summary(tmp_path, None)
    calls = summary["llm_calls"]
    lines = usage_lines(summary)
    assert lines[0].startswith(f"Models: {calls} calls ({calls / 2:.1f} per dialogue)")
    assert f"{0.25 * calls:.4f} USD ({0.25 * calls / 2:.4f} per dialogue)" in lines[0]
    assert lines[1].endswith("(fallbacks): score 2")
    free = usage_lines(summary | {"llm_cost_usd": 0.0, "llm_fallbacks/score": 0}, ["score"])
    assert len(free) == 1
    assert free[0].endswith("no price known")
    file = io.StringIO()
    Console(file=file, width=120).print(run_table("dreams", summary))
    rows = {
        line.split("│")[1].strip(): line.split("│")[2].strip()
        for line in file.getvalue().splitlines()
        if line.count("│") > 2
    }
    assert rows["Model calls"] == str(calls)
    assert rows["cost in USD (of the whole run)"] == f"{0.25 * calls:.3f}"
    assert rows["fallbacks to embedded roles"] == "2"
    assert "Failed dialogues (left out above)" not in rows
