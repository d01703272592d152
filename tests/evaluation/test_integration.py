"""The real environment under the runner: same bytes everywhere, a summary with every key."""

from functools import partial
from typing import Any

import gymnasium as gym
import pytest

from baselines.references import AskAll, Oracle, RandomPolicy
from evaluation.metrics import tallies
from evaluation.records import RECORDS
from evaluation.runner import EvaluationError, evaluate
from evaluation.summary import catalog_facts, write_summary
from tests.evaluation.test_summary import REQUIRED

MAKE = partial(gym.make, "envs:CRS/Redial-v0", split="test")


@pytest.fixture(autouse=True)
def bundled_sample(monkeypatch, tmp_path):
    """The same catalogue on every machine."""
    monkeypatch.setenv("CRS_DATA", str(tmp_path / "no data here"))


def test_one_process_and_two_workers_write_the_same_bytes(tmp_path):
    files = []
    for workers in (1, 2):
        folder = tmp_path / str(workers)
        evaluate(MAKE, RandomPolicy, episodes=12, seed=7, run_dir=folder, workers=workers)
        files.append((folder / RECORDS).read_bytes())
    assert files[0] == files[1]


def test_a_summary_of_real_dialogues(tmp_path):
    done = evaluate(MAKE, AskAll, episodes=20, seed=0, run_dir=tmp_path)
    summary = write_summary(tmp_path, catalog_facts(MAKE()))
    assert set(summary) >= REQUIRED
    assert summary["catalog_items"] > 700
    assert summary["average_turns"] >= 3
    terms = ("explore", "retrieve", "attitude", "cost", "accept")
    assert sum(summary[f"reward_{term}"] for term in terms) == pytest.approx(summary["return"])
    assert tallies(done.records, done.timings)["cge2"].denominator.min() >= 3


def test_the_oracle_is_the_ceiling(tmp_path):
    done = evaluate(MAKE, Oracle, episodes=20, seed=0, run_dir=tmp_path)
    assert tallies(done.records, done.timings)["success_rate"].value == 1.0


class Peeking(RandomPolicy):
    """Reaches for the goal through the environment it smuggled in."""

    env: Any = None

    def decide(self, view, rng):
        return self.env.unwrapped.conversation.user.goal


def test_the_real_goal_is_sealed(tmp_path):
    env = MAKE()
    policy = Peeking()
    policy.env = env
    with pytest.raises(EvaluationError, match="HiddenError"):
        evaluate(lambda: env, lambda: policy, episodes=1, seed=0, run_dir=tmp_path)
