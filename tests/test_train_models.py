"""Runs with language models: budgets, failures, what is printed, and that no file has the key."""

import json
import signal
import socket
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from baselines.references import AskAll
from dialogue.view import DialogueView
from language.llm.errors import DialogueFailed, RunStopped
from language.llm.usage import current
from tests.command_line import refused, run_here, start, train

KEY = "sk-test-0123456789-never-to-be-seen"
MODEL = ("llm.roles.policy.backend=openai",)
"""A run with a model that no dialogue asks: the policies below book calls of their own."""
RUN = ("planner=ask_all", "episodes=4", "logger=none", "llm.parallel=1", *MODEL)
NOWHERE = ("llm.base_url=http://127.0.0.1:9/v1", "llm.max_attempts=1", "llm.timeout_s=2")


class Booking(AskAll):
    """Books a call per decision; the run may spend so many in this start."""

    left = 10**9

    def decide(self, view: DialogueView, rng: np.random.Generator) -> Any:
        if not Booking.left:
            raise RunStopped("the budget is spent: llm.max_calls=9; raise it, then resume=true")
        Booking.left -= 1
        current().add("policy", calls=1, tokens_in=100, tokens_out=20, cost_usd=0.5)
        return super().decide(view, rng)


class Asking(Booking):
    """Says what it asks."""

    asks = ("policy",)


class Losing(Booking):
    """One dialogue outgrows the model, and one answer is replaced."""

    talks = 0

    def reset(self, view: DialogueView, rng: np.random.Generator) -> None:
        super().reset(view, rng)
        Losing.talks += 1

    def decide(self, view: DialogueView, rng: np.random.Generator) -> Any:
        if Losing.talks == 2:
            raise DialogueFailed("policy: the dialogue is too long", "context_overflow")
        if Losing.talks == 1 and view.turn == 0:
            current().fallback("policy", "refusal", 1)
        return super().decide(view, rng)


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, no_data: str, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty working directory, a key, and booking policies."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("OPENAI_API_KEY", KEY)
    monkeypatch.setattr("conf.run.policy_factory", lambda *_: Booking)
    monkeypatch.setattr(Booking, "left", 10**9)
    monkeypatch.setattr(Losing, "talks", 0)
    return tmp_path


@pytest.fixture
def charged(monkeypatch: pytest.MonkeyPatch) -> list[tuple[int, float]]:
    """What budgets are charged with when a run starts."""
    found: list[tuple[int, float]] = []

    class Fake:
        def __init__(self, settings: Any) -> None:
            pass

        def totals(self) -> dict[str, Any]:
            return {}

        def spent(self, calls: int, cost: float) -> None:
            found.append((calls, cost))

        def close(self) -> None:
            pass

    monkeypatch.setattr("conf.models.open_roles", Fake)
    return found


def test_a_spent_budget_ends_with_one_line_and_the_run_resumes(
    folder: Path, monkeypatch: pytest.MonkeyPatch, charged: list[tuple[int, float]]
) -> None:
    run_here(*RUN, "run_dir=whole")
    monkeypatch.setattr(Booking, "left", 15)
    told = refused(*RUN, "run_dir=cut", "llm.max_calls=15")
    assert told == "train.py: the budget is spent: llm.max_calls=9; raise it, then resume=true"
    lines = [
        json.loads(line) for line in (folder / "cut" / "timings.jsonl").read_text().splitlines()
    ]
    assert 0 < len(lines) < 4
    monkeypatch.setattr(Booking, "left", 10**9)
    assert charged == [(0, 0.0)] * 2
    run_here(*RUN, "run_dir=cut", "llm.max_calls=90", "llm.parallel=2", "resume=true")
    calls = sum(line["calls"] for line in lines)
    assert charged[2:] == [(calls, 0.5 * calls)]
    whole, cut = ((folder / name / "records.jsonl").read_bytes() for name in ("whole", "cut"))
    assert whole == cut


def test_what_is_printed_and_summarised(
    folder: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr("conf.run.policy_factory", lambda *_: Losing)
    run_here(*RUN, "run_dir=out")
    printed = capsys.readouterr().out
    summary = json.loads((folder / "out" / "summary.json").read_text())
    assert summary["failed_dialogues"] == summary["failed/context_overflow"] == 1
    assert summary["llm_calls"] == summary["llm_calls/policy"] > 0
    assert f"Models: {summary['llm_calls']} calls (" in printed
    assert "(fallbacks): policy 1" in printed
    assert "1 of 4 dialogues failed (context_overflow 1); they are left out" in printed
    assert "4 episodes, 1 of them failed and left out" in " ".join(printed.split())


def test_workers_are_not_for_models(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    seen: list[dict[str, Any]] = []

    def evaluate(*factories: Any, **settings: Any) -> None:
        seen.append(settings)
        raise RunStopped("enough")

    monkeypatch.setattr("conf.run.evaluate", evaluate)
    plain = ("planner=ask_all", "episodes=4", "logger=none", "llm.parallel=5")
    for name, more in (
        ("one", ("workers=2",)),
        ("two", (*MODEL, "workers=1")),
        ("three", (*MODEL, "workers=auto")),
    ):
        assert refused(*plain, *more, f"run_dir={name}") == "train.py: enough"
    assert [(s["workers"], s["threads"]) for s in seen] == [(2, 1), (1, 5), (1, 5)]
    told = refused(*plain, *MODEL, "workers=4", "run_dir=four")
    assert "workers=4 is for embedded runs" in told
    assert "set llm.parallel=4" in told
    assert not (folder / "four").exists()


def test_a_missing_key_is_found_before_anything_is_written(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Of a role that the policy asks, too; the judge comes later, and may have none."""
    monkeypatch.delenv("OPENAI_API_KEY")
    run = ("planner=ask_all", "episodes=4", "logger=none", "run_dir=out")
    told = refused(*run, "llm=openai")
    assert "export OPENAI_API_KEY=" in told
    run_here(*run, "llm.roles.judge.backend=openai", *MODEL)
    assert (folder / "out").exists()
    monkeypatch.setattr("conf.run.check_policy", lambda *_: Asking())
    told = refused(*run[:-1], *MODEL, "run_dir=again")
    assert "the role policy" in told
    assert "export OPENAI_API_KEY=" in told
    assert not (folder / "again").exists()


def test_records_name_the_models_that_are_asked(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("conf.run.check_policy", lambda *_: Asking())
    monkeypatch.setattr("conf.run.policy_factory", lambda *_: Asking)
    for name, policy in (("one", "openai"), ("two", "embedded")):
        run_here(
            "planner=ask_all", "episodes=2", "logger=none", f"run_dir={name}",
            "llm.roles.score.backend=openai", f"llm.roles.policy.backend={policy}",
        )  # fmt: skip
    one, two = (rows(folder / name / "records.jsonl") for name in ("one", "two"))
    assert {tuple(record["llm"]) for record in one} == {("policy",)}
    assert one[0]["llm"]["policy"]["model"] == "gpt-4o-mini"
    assert all("llm" not in record for record in two)


@pytest.mark.parametrize(
    ("override", "told"),
    [("llm.parallel=0", "llm.parallel"), ("llm.backend=opnai", "did you mean 'openai'")],
)
def test_impossible_settings_are_named(folder: Path, override: str, told: str) -> None:
    assert told in refused(*RUN, "run_dir=out", override)
    assert not (folder / "out").exists()


def rows(path: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]


def holding(run_dir: Path, text: str) -> list[str]:
    """Files of a directory that hold a text, anywhere in their bytes."""
    files = [path for path in run_dir.rglob("*") if path.is_file()]
    assert {"config.yaml", "records.jsonl"} <= {path.name for path in files}
    return [str(path) for path in files if text.encode() in path.read_bytes()]


def test_no_file_of_a_run_has_the_key(
    folder: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """Neither has what is printed; the name of its variable is in all of them."""
    named = ("llm.roles.policy.api_key_env=OPENAI_API_KEY", "logger=tensorboard")
    run_here(*RUN, *named, "run_dir=out")
    assert holding(folder / "out", KEY) == []
    found = holding(folder / "out", "OPENAI_API_KEY")
    assert any("tensorboard" in name for name in found)
    assert any("config.yaml" in name for name in found)
    printed = capsys.readouterr()
    assert KEY not in printed.out + printed.err


def test_no_file_of_a_failed_run_has_the_key(folder: Path) -> None:
    """Nobody listens at the address: three dialogues fail, and the run says so and stops."""
    run = ("llm=openai", *NOWHERE, "planner=ask_all", "episodes=5", "logger=tensorboard")
    told = refused(*run, "run_dir=out")
    assert "3 dialogues in a row failed because a model could not be reached" in told
    assert "resume=true holds them again" in told
    assert KEY not in told
    assert holding(folder / "out", KEY) == []
    records = [
        json.loads(line) for line in (folder / "out" / "records.jsonl").read_text().splitlines()
    ]
    assert [record["failure"]["reason"] for record in records] == ["unreachable"] * 3


def test_ctrl_c_does_not_wait_for_a_model(folder: Path) -> None:
    """The address accepts a call and never answers; the configured wait is five minutes."""
    with socket.create_server(("127.0.0.1", 0)) as silent:
        silent.settimeout(60)
        url = f"http://127.0.0.1:{silent.getsockname()[1]}/v1"
        run = ("llm=openai", f"llm.base_url={url}", "llm.timeout_s=300", "llm.parallel=2")
        embedded = (f"llm.roles.{role}.backend=embedded" for role in ("user", "track", "reply"))
        process = start(
            folder, *run, *embedded, "planner=dreams", "logger=none", "run_dir=out",
            OPENAI_API_KEY=KEY,
        )  # fmt: skip
        call, _ = silent.accept()
        with call:
            call.settimeout(60)
            assert call.recv(10)
            process.send_signal(signal.SIGINT)
            _, told = process.communicate(timeout=30)
    assert process.returncode == 130
    assert "train.py: interrupted; resume=true" in told
    assert "Traceback" not in told


@pytest.mark.slow
def test_nothing_that_is_logged_or_printed_has_the_key(folder: Path) -> None:
    """In a process of its own, with Weights & Biases offline and the whole trace of Hydra."""
    run = ("llm=openai", *NOWHERE, "planner=ask_all", "episodes=4", "logger=both", "run_dir=out")
    printed = train(folder, *run, code=1, OPENAI_API_KEY=KEY, HYDRA_FULL_ERROR="1")
    assert "could not be reached" in printed
    assert KEY not in printed
    assert any(path.suffix == ".wandb" for path in (folder / "out").rglob("*"))
    assert holding(folder / "out", KEY) == []
