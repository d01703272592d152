"""Judging a run from the command line."""

import json
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import gymnasium as gym
import pytest
import yaml

from baselines.references import AskAll
from catalogs.sources import open_catalog
from evaluation.judge import EmbeddedJudge, Judgement
from evaluation.judge_run import _settings, judge_dialogues, judge_run, main
from evaluation.judgements import JUDGEMENTS, PART
from evaluation.runner import evaluate
from evaluation.summary import catalog_facts, write_summary
from evaluation.transcript import Lines
from language.llm.errors import DialogueFailed, RunStopped
from language.llm.request import Answer, ChatRequest
from language.llm.roles import Roles
from tests.model_runs import rows

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
    assert 0.0 < once[0]["judge_cge2_alpha"] <= 1.0
    assert 0.0 < once[0]["judge_cge2_macro_f1"] <= 1.0
    assert -1.0 <= once[0]["judge_cge2_spearman"] <= 1.0
    assert len(rows(run_dir / JUDGEMENTS)) == EPISODES
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
    assert len(rows(run_dir / JUDGEMENTS)) == EPISODES - 1


MODEL = ["backend=openai", "base_url=http://127.0.0.1:9/v1", "model=judge-model", "concurrency=1"]


class Judge:
    """A model behind no endpoint: it answers so many requests, then the key is refused."""

    def __init__(self, answers: int) -> None:
        self.left = answers
        self.requests = 0

    def chat(self, request: ChatRequest) -> Answer:
        self.requests += 1
        if not self.left:
            raise RunStopped("the key is refused (HTTP 401)")
        self.left -= 1
        data = json.loads(request.messages[1]["content"])
        turns = [
            {"turn": turn["turn"], "intent": "ask", "retrieval": bool(turn["turn"] % 2)}
            for turn in data["turns"]
        ]
        text = json.dumps({"turns": turns, "fge2": False, "pe2": True})
        return Answer(text, tokens_in=100, tokens_out=20)

    def close(self) -> None:
        pass


@pytest.fixture
def judged_by(monkeypatch: pytest.MonkeyPatch) -> Any:
    """Makes every endpoint a judge; what is open in the end."""
    opened: list[Roles] = []
    made = Roles.__init__

    def init(self: Roles, *args: Any, **more: Any) -> None:
        made(self, *args, **more)
        opened.append(self)

    def use(answers: int) -> Judge:
        judge = Judge(answers)
        monkeypatch.setattr(Roles, "_connect", lambda self, role: judge)
        return judge

    monkeypatch.setattr(Roles, "__init__", init)
    yield use
    assert opened
    assert all(roles.closed for roles in opened)


def test_an_interrupted_judging_is_continued(
    run_dir: Path, judged_by: Any, capsys: pytest.CaptureFixture[str]
) -> None:
    before = summary_of(run_dir)
    first = judged_by(2)
    with pytest.raises(SystemExit, match="the key is refused"):
        main([str(run_dir), *MODEL])
    assert f"2 of {EPISODES} dialogues are judged; the same command" in capsys.readouterr().err
    assert first.requests <= 2 + 2  # one more in each thread: the rest is not tried
    assert summary_of(run_dir) == before
    assert not (run_dir / JUDGEMENTS).exists()
    second = judged_by(100)
    main([str(run_dir), *MODEL])
    assert f"2 of {EPISODES} dialogues are judged already" in capsys.readouterr().err
    assert second.requests == EPISODES - 2
    found = summary_of(run_dir)
    assert (found["judge_model"], found["judge_pe2"]) == ("judge-model", 1.0)
    assert found["judge_llm_calls"] == EPISODES  # in both starts
    assert found["judge_llm_tokens_in"] == 100 * EPISODES
    assert not (run_dir / PART).exists()
    assert len(rows(run_dir / JUDGEMENTS)) == EPISODES


def test_another_judge_that_fails_leaves_the_judgements(run_dir: Path, judged_by: Any) -> None:
    judged_by(100)
    judge_run(run_dir, MODEL)
    whole = (run_dir / JUDGEMENTS).read_bytes(), summary_of(run_dir)
    judged_by(2)
    with pytest.raises(RunStopped):
        judge_run(run_dir, [*MODEL, "model=another"])
    assert ((run_dir / JUDGEMENTS).read_bytes(), summary_of(run_dir)) == whole
    third = judged_by(100)
    judge_run(run_dir, [*MODEL, "model=another"])
    assert third.requests == EPISODES - 2
    assert summary_of(run_dir)["judge_model"] == "another"


def test_only_what_could_not_be_judged_is_judged_again(run_dir: Path, judged_by: Any) -> None:
    judge = judged_by(100)
    chat: Callable[[ChatRequest], Answer] = judge.chat

    def overflows(request: ChatRequest) -> Answer:
        if judge.requests == 0:
            judge.requests += 1
            raise DialogueFailed("too long", "context_overflow")
        return chat(request)

    judge.chat = overflows
    assert judge_run(run_dir, MODEL)["judge_failed_dialogues"] == 1
    again = judged_by(100)
    assert judge_run(run_dir, MODEL)["judge_failed_dialogues"] == 0
    assert again.requests == 1


def test_a_budget_holds_for_the_run_and_all_starts_of_its_judging(
    run_dir: Path, judged_by: Any
) -> None:
    """As at the end of a run with ``judge=true``, whose budget is the run's."""
    spent = {"calls": 2, "cost_usd": 0.0, "faults": {}}
    (run_dir / "spent.json").write_text(json.dumps({"schema": 1, "roles": {"user": spent}}))
    settings = {
        "backend": "openai", "base_url": "http://127.0.0.1:9/v1", "model": "judge-model",
        "concurrency": 1, "max_calls": 4,
    }  # fmt: skip
    catalog = open_catalog("redial")
    asked = []
    for _ in range(2):
        judge = judged_by(100)
        with pytest.raises(RunStopped, match="max_calls"):
            judge_dialogues(run_dir, catalog, settings)
        asked.append(judge.requests)
    assert asked == [2, 0]
    judge = judged_by(100)
    values = judge_dialogues(run_dir, catalog, settings | {"max_calls": 2 + EPISODES})
    assert judge.requests == EPISODES - 2
    assert values["judge_llm_calls"] == EPISODES
    assert summary_of(run_dir)["judge_cge2_macro_f1"] == values["judge_cge2_macro_f1"]
