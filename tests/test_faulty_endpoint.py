"""Dreams against an endpoint that fails often: nothing is lost, every fault is accounted for."""

from collections import Counter
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from serving.background import running
from serving.faults import COUNTED_AS
from serving.settings import ServingSettings
from tests.model_runs import Record, rows, run, samples, stats, summary_of

__all__ = ["samples"]  # a fixture

DIALOGUES = 10
FAULTS = {
    "rate_limit": 0.08,
    "server_error": 0.08,
    "hang": 0.01,
    "drop": 0.03,
    "broken_json": 0.1,
    "truncated": 0.06,
    "empty": 0.05,
    "refusal": 0.03,
}
TRANSPORT = ("rate_limit", "server_error", "timeout", "connection")
RUN = (
    "planner=dreams", "planner.n_el=2", "planner.k_el=2", f"episodes={DIALOGUES}", "llm=server",
    "llm.parallel=4", "llm.backoff_s=0.01", "llm.timeout_s=3.0",
    "llm.max_attempts=20",  # one request in five fails; with the usual 8 a dialogue may be lost
)  # fmt: skip


@dataclass(frozen=True)
class Held:
    """A run through an endpoint of its own, and what that counted."""

    records: list[Record]
    timings: list[dict[str, Any]]
    summary: dict[str, Any]
    served: dict[str, Any]

    def total(self, name: str) -> int:
        """Sum of a count of every role over the dialogues."""
        return sum(role[name] for timing in self.timings for role in timing["llm"].values())


def hold(run_dir: Path, faults: dict[str, float]) -> Held:
    with running(ServingSettings(faults=faults, seed=3, retry_after_s=0.01)) as base_url:
        records = run(run_dir, *RUN, f"llm.base_url={base_url}")
        served = stats(base_url)
    return Held(records, rows(run_dir / "timings.jsonl"), summary_of(run_dir), served)


@pytest.fixture(scope="module")
def smooth(samples: None, tmp_path_factory: pytest.TempPathFactory) -> Held:
    """The run without faults."""
    return hold(tmp_path_factory.mktemp("smooth"), {})


@pytest.fixture(scope="module")
def rough(samples: None, tmp_path_factory: pytest.TempPathFactory) -> Held:
    """The run with faults, which meets every kind of them."""
    found = hold(tmp_path_factory.mktemp("rough"), FAULTS)
    assert set(found.served["faults"]) == set(FAULTS)
    return found


def test_without_faults_none_is_counted(smooth: Held) -> None:
    assert smooth.served["faults"] == {}
    assert smooth.total("calls") == sum(smooth.served["requests"].values())
    for name in ("retries", "repairs", "fallbacks"):
        assert smooth.total(name) == smooth.summary[f"llm_{name}"] == 0


def test_no_dialogue_is_lost_and_none_is_another(smooth: Held, rough: Held) -> None:
    """What the endpoint serves is what stands in for it, so not even a reply may differ."""
    assert len(rough.records) == DIALOGUES
    assert rough.summary["failed_dialogues"] == 0
    assert rough.records == smooth.records


def test_what_is_counted_is_what_was_injected(rough: Held) -> None:
    injected = {COUNTED_AS[kind]: n for kind, n in rough.served["faults"].items()}
    met: Counter[str] = Counter()
    for timing in rough.timings:
        for role in timing["llm"].values():
            met.update(role["faults"])
    assert dict(met) == injected
    for kind, count in injected.items():
        assert rough.summary[f"llm_faults/{kind}"] == count
    assert rough.summary["llm_faults/schema"] == 0


def test_every_fault_of_transport_is_retried(rough: Held) -> None:
    faults = rough.summary
    assert rough.total("retries") == sum(faults[f"llm_faults/{kind}"] for kind in TRANSPORT)
    arrived = sum(rough.served["requests"].values())
    assert arrived == rough.total("calls") + rough.total("retries")


def test_every_unusable_answer_is_mended_or_replaced(rough: Held) -> None:
    """A refusal is replaced at once, anything else when the repair is no better."""
    injected = rough.served["faults"]
    replaced = Counter(each["fault"] for timing in rough.timings for each in timing["fallbacks"])
    assert replaced["refusal"] == injected["refusal"]
    assert replaced.total() == rough.total("fallbacks") == rough.summary["llm_fallbacks"]
    spoilt = sum(injected[kind] for kind in ("broken_json", "truncated", "empty"))
    in_vain = replaced.total() - replaced["refusal"]
    assert rough.total("repairs") + in_vain == spoilt
    assert in_vain


def test_spoilt_answers_are_paid_for(rough: Held) -> None:
    assert rough.total("calls") == sum(rough.served["answered"].values())
    for name in ("tokens_in", "tokens_out"):
        assert rough.total(name) == rough.served[name] == rough.summary[f"llm_{name}"]
