"""Whole dialogues whose vectors are noise, or are none: what ends, and what is counted."""

import json
from collections.abc import Callable, Iterator
from pathlib import Path
from random import Random
from typing import Any

import pytest

from tests.language.llm.fake_endpoint import FakeEndpoint, Reply, Seen
from tests.model_runs import Record, plain, refusal, rows, run, samples, summary_of
from tests.test_model_outcomes import check_outcome, hostile_items

__all__ = ["samples"]  # a fixture
pytestmark = pytest.mark.usefixtures("samples")

EPISODES = 6
DIMENSIONS = 5


@pytest.fixture
def endpoint() -> Iterator[FakeEndpoint]:
    fake = FakeEndpoint()
    yield fake
    fake.close()


@pytest.fixture
def setting(endpoint: FakeEndpoint, tmp_path: Path) -> tuple[str, ...]:
    """Dense retrieval on vectors of an endpoint; everybody else is embedded."""
    items = tmp_path / "items.csv"
    items.write_text(hostile_items())
    embed = "llm.roles.embed"
    return (
        "env=custom", "env.domain=book", f"env.items={items}", "env.retrieval=dense",
        "planner=prior_only", f"episodes={EPISODES}", "workers=1", "llm.parallel=1",
        "retrieval.encoder=openai", f"{embed}.backend=openai",
        f"{embed}.base_url={endpoint.base_url}", f"llm.record={tmp_path / 'answers.jsonl'}",
        "llm.backoff_s=0.001", "llm.max_attempts=2",
    )  # fmt: skip


def vectors(make: Callable[[str], Any]) -> Callable[[Seen], Reply]:
    """An endpoint that makes a vector of each text."""

    def answer(seen: Seen) -> Reply:
        found = [{"index": n, "embedding": make(text)} for n, text in enumerate(seen.body["input"])]
        return Reply(json.dumps({"data": found}).encode())

    return answer


def good(text: str) -> list[float]:
    random = Random(text)
    return [random.uniform(-1.0, 1.0) for _ in range(DIMENSIONS)]


NOISE: dict[str, Callable[[str], list[float]]] = {
    "random": good,
    "all alike": lambda text: [1.0] * DIMENSIONS,
    "nothing": lambda text: [0.0] * DIMENSIONS,
    "huge": lambda text: [x * 1e18 for x in good(text)],
    "tiny": lambda text: [x * 1e-45 for x in good(text)],
}


@pytest.mark.parametrize("kind", NOISE)
def test_whatever_vectors_say_the_dialogue_ends_by_the_rules(
    kind: str, setting: tuple[str, ...], endpoint: FakeEndpoint, tmp_path: Path
) -> None:
    """They decide what is offered, and the catalogue what is a success."""
    endpoint.script = vectors(NOISE[kind])
    records = run(tmp_path / "out", *setting)
    assert [record["outcome"] == "failed" for record in records] == [False] * EPISODES
    for record in plain(records):
        check_outcome(record)
        offered = [turn["item"] for turn in record["turns"] if turn["action"] == "ItemRec"]
        assert len(set(offered)) == len(offered)
    summary = summary_of(tmp_path / "out")
    assert summary["success_rate"] == sum(r["success"] for r in records) / EPISODES
    assert summary["llm_calls/embed"] > 0


BROKEN: dict[str, Any] = {
    "none": None,
    "empty": [],
    "texts": ["a"] * DIMENSIONS,
    "infinite": [float("inf")] * DIMENSIONS,
    "of objects": [{}] * DIMENSIONS,
    "no base64": "///",
}


@pytest.mark.parametrize("kind", BROKEN)
def test_a_dialogue_without_vectors_fails_and_is_not_counted(
    kind: str, setting: tuple[str, ...], endpoint: FakeEndpoint, tmp_path: Path
) -> None:
    """The items have vectors; one thing that is said in the middle of the run has none."""
    endpoint.script = vectors(good)
    whole = run(tmp_path / "whole", *setting)
    asked = {text for seen in endpoint.seen for text in seen.body["input"]}
    items = {text for text in asked if text in endpoint.seen[0].body["input"]}
    later = [text for seen in endpoint.seen for text in seen.body["input"] if text not in items]
    lost = {later[len(later) // 2]}
    endpoint.script = vectors(lambda text: BROKEN[kind] if text in lost else good(text))
    again = tuple(o for o in setting if not o.startswith("llm.record"))
    records = run(tmp_path / "out", *again, f"llm.record={tmp_path / 'again.jsonl'}")
    failed = [record["outcome"] == "failed" for record in records]
    assert any(failed)
    assert not all(failed)
    for record, right, bad in zip(records, whole, failed, strict=True):
        if bad:
            assert not record["success"]
            assert record["failure"]["reason"] == "unreachable"
            assert same_turns(record, right)
        else:
            assert record == right
    summary = summary_of(tmp_path / "out")
    assert summary["failed_dialogues"] == sum(failed)
    kept = [record["success"] for record, bad in zip(records, failed, strict=True) if not bad]
    assert summary["success_rate"] == sum(kept) / len(kept)
    assert summary["llm_retries/embed"] == sum(failed)


def same_turns(record: Record, right: Record) -> bool:
    """Whether a dialogue went as the other one did, up to where it failed."""
    count = len(record["turns"])
    return count < len(right["turns"]) and record["turns"] == right["turns"][:count]


def test_vectors_of_another_length_end_the_run(
    setting: tuple[str, ...], endpoint: FakeEndpoint, tmp_path: Path
) -> None:
    calls: list[str] = []

    def make(text: str) -> list[float]:
        calls.append(text)
        return good(text)[: DIMENSIONS if len(calls) <= 24 else 2]

    endpoint.script = vectors(make)
    assert "resume=true" in refusal(tmp_path / "out", *setting)
    assert rows(tmp_path / "out" / "records.jsonl") == []
