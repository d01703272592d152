"""The benchmark is worth learning: where the references lie on the real ReDial catalogue."""

from collections import defaultdict
from collections.abc import Callable
from functools import cache

import numpy as np
import pytest
from scipy.stats import chi2_contingency

from baselines.references import AlwaysRecommend, AskAll, Oracle, RandomPolicy
from dialogue.policy import Policy
from envs.crs import CRSEnv
from tests.dialogues import Outcome, hold_many

pytestmark = [pytest.mark.data, pytest.mark.slow]
POLICIES: dict[str, Callable[[], Policy]] = {
    "random": RandomPolicy,
    "always": AlwaysRecommend,
    "ask_all": AskAll,
    "oracle": Oracle,
}
SEEDS = (0, 1, 2)


@cache
def outcomes(root: str, name: str, seeds: tuple[int, ...] = SEEDS) -> list[Outcome]:
    """150 test dialogues for each seed."""
    env = CRSEnv("redial", channel="text", split="test", data_dir=root)
    assert env.catalog.source == "redial"
    return hold_many(env, POLICIES[name](), seeds, 150)


@pytest.mark.parametrize(
    ("name", "low", "high"),
    [
        ("random", 0.0, 0.25),
        ("always", 0.0, 0.35),
        ("ask_all", 0.35, 0.70),
        ("oracle", 0.97, 1.0),
    ],
)
def test_success_lies_in_its_band(real_redial: str, name: str, low: float, high: float) -> None:
    success = [outcome.success for outcome in outcomes(real_redial, name)]
    assert len(success) == 450
    assert low <= np.mean(success) <= high


def test_personas_differ_for_ask_all(real_redial: str) -> None:
    """Chi-square over ten personas, at least a hundred dialogues each."""
    table: dict[str, list[int]] = defaultdict(lambda: [0, 0])
    for outcome in outcomes(real_redial, "ask_all", tuple(range(7))):
        table[outcome.persona][outcome.success] += 1
    counts = np.array(list(table.values()))
    assert counts.shape == (10, 2)
    assert counts.sum(axis=1).min() >= 100
    assert chi2_contingency(counts).pvalue < 0.01


def test_return_orders_the_references_as_success_does(real_redial: str) -> None:
    means = {
        name: (
            np.mean([o.success for o in outcomes(real_redial, name)]),
            np.mean([o.earned for o in outcomes(real_redial, name)]),
        )
        for name in POLICIES
    }
    assert means["oracle"][1] > means["ask_all"][1] > max(means["random"][1], means["always"][1])
    assert means["oracle"][0] > means["ask_all"][0] > max(means["random"][0], means["always"][0])
