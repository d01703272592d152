"""Judging whole runs with a model: through the endpoint, and by answers that are noise."""

import json
from collections.abc import Iterator
from pathlib import Path
from random import Random
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from envs.worlds import open_world
from evaluation.judge import EmbeddedJudge, Judgement, ModelJudge
from evaluation.judge_run import judge_run
from evaluation.judgements import JUDGEMENTS, judgement_of
from evaluation.transcript import Lines, Listener, lines_of
from language.llm import usage
from language.llm.request import ChatRequest
from language.llm.roles import Roles
from serving.background import running
from tests.model_runs import FunctionEndpoint, Record, played_by, rows, run, samples, summary_of
from tests.test_model_noise import Break, breaks, fitting

__all__ = ["samples"]  # a fixture

RUNS = {
    "redial": ("env=redial", "planner=prior_only"),
    "opendialkg_book": ("env=opendialkg_book", "planner=inter_crs"),
}
EPISODES = 6
OF_MODELS = ("judge", "prompt", "llm")
"""Keys of a judgement that tell who made it."""


@pytest.fixture(scope="module")
def held(samples: None, tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    """Finished runs."""
    folder = tmp_path_factory.mktemp("runs")
    for name, overrides in RUNS.items():
        run(folder / name, *overrides, f"episodes={EPISODES}", "workers=1")
    return {name: folder / name for name in RUNS}


@pytest.mark.parametrize("name", RUNS)
def test_judging_through_the_endpoint_is_the_embedded_judging(
    name: str, held: dict[str, Path]
) -> None:
    judge_run(held[name])
    embedded, rates = rows(held[name] / JUDGEMENTS), judged(held[name])
    assert {line["judge"] for line in embedded} == {"embedded"}
    with running() as address:
        judge_run(held[name], ["backend=server", f"base_url={address}"])
    served = rows(held[name] / JUDGEMENTS)
    assert {line["judge"] for line in served} == {"embedded-roles"}
    assert [without(line) for line in served] == [without(line) for line in embedded]
    assert judged(held[name]) == rates
    summary = summary_of(held[name])
    assert summary["judge_llm_calls"] == EPISODES
    assert summary["judge_llm_repairs"] == summary["judge_llm_fallbacks"] == 0


def without(line: Record) -> Record:
    return {key: value for key, value in line.items() if key not in OF_MODELS}


def judged(run_dir: Path) -> dict[str, Any]:
    """The judge's rates with their intervals."""
    summary = summary_of(run_dir)
    names = ("judge_cge2", "judge_fge2", "judge_pe2")
    return {key: summary[key] for name in names for key in (name, f"{name}_ci")}


class Bench:
    """A model judge whose answers a test gives, beside the embedded one."""

    def __init__(self, endpoint: FunctionEndpoint, records: list[Record]) -> None:
        catalog = open_world("redial").catalog
        listener = Listener(catalog)
        self.endpoint = endpoint
        self.dialogues: list[Lines] = [lines_of(record) for record in records]
        self.embedded = EmbeddedJudge(catalog, listener)
        self.roles = Roles({"backend": "server", "max_attempts": 1})
        self.model = ModelJudge(catalog, self.embedded, self.roles, listener)
        self.right = [self.embedded.judge(lines) for lines in self.dialogues]

    def judge(self, give: Any) -> tuple[list[Judgement], dict[str, Any]]:
        """All dialogues, with what was counted."""
        self.endpoint.spoil = give
        with usage.collect() as counted:
            found = [self.model.judge(lines) for lines in self.dialogues]
        return found, counted.by_role()["judge"]


@pytest.fixture(scope="module")
def bench(held: dict[str, Path]) -> Iterator[Bench]:
    with played_by(lambda role, right, request: right) as endpoint:
        found = Bench(endpoint, rows(held["redial"] / "records.jsonl"))
        yield found
        found.roles.close()


@given(ways=st.lists(breaks(), min_size=1, max_size=6), seed=st.integers(0, 99))
@settings(max_examples=30, deadline=None)
def test_noise_leaves_the_embedded_judgements(ways: list[Break], seed: int, bench: Bench) -> None:
    def give(role: str, right: dict[str, Any], request: ChatRequest) -> str:
        return Random(f"{seed} {request.messages}").choice(ways)(json.dumps(right), right)

    found, counts = bench.judge(give)
    assert found == bench.right
    assert counts["calls"] == 2 * counts["repairs"] == 2 * counts["fallbacks"] == 2 * EPISODES
    assert sum(counts["faults"].values()) == counts["calls"]


@given(seed=st.integers(0, 10**6))
@settings(max_examples=30, deadline=None)
def test_whatever_a_judge_says_each_turn_has_one_label(seed: int, bench: Bench) -> None:
    """An answer that fits its shape and labels other turns is not believed."""

    def give(role: str, right: dict[str, Any], request: ChatRequest) -> str:
        random = Random(f"{seed} {request.messages}")
        noise = fitting(request.result, random)
        if random.random() < 0.5:
            noise["turns"] = [{**turn, "intent": "other"} for turn in right["turns"]]
        return json.dumps(noise)

    found, counts = bench.judge(give)
    for judgement, right in zip(found, bench.right, strict=True):
        assert len(judgement.turns) == len(right.turns)
        errors, total = judgement.cge2_counts()
        assert 0 <= errors <= total <= len(right.turns)
    believed = sum(j.cge2_counts() == (0, 0) for j in found)
    assert counts["fallbacks"] == EPISODES - believed
    assert counts["fallbacks"] <= counts["repairs"]


def judgements_of(run_dir: Path) -> list[Judgement]:
    return [judgement_of(line) for line in rows(run_dir / JUDGEMENTS)]


def test_a_run_judged_by_noise_alone_says_so(held: dict[str, Path]) -> None:
    run_dir = held["opendialkg_book"]
    judge_run(run_dir)
    right = judgements_of(run_dir)
    with played_by(lambda role, result, request: "I would rather not"):
        judge_run(run_dir, ["backend=server", "base_url=http://127.0.0.1:9/v1", "model=noisy"])
    assert judgements_of(run_dir) == right
    summary = summary_of(run_dir)
    assert summary["judge_model"] == "noisy"
    assert summary["judge_llm_fallbacks"] == summary["judge_llm_repairs"] == EPISODES
