"""Paired tests: known results, and what holds for all."""

import math
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

from evaluation.comparison.paired_tests import (
    FEW,
    LEVEL,
    PairedTest,
    holm,
    mcnemar,
    odds_ratio,
    rank_biserial,
    signed_ranks,
    wilcoxon,
)

counts = st.integers(0, 60)
differences = st.lists(st.integers(-5, 5), min_size=1, max_size=40).map(
    lambda values: np.array(values, dtype=np.float64)
)
BLANK = PairedTest(
    "success_rate", "Success", "a", "b", 10, "", 0, 0, 0.0, (0.0, 0.0), "", None, None, 1.0
)


@given(counts, counts)
def test_mcnemar_is_symmetric_and_a_probability(wins, losses):
    name, p = mcnemar(wins, losses)
    assert (name, p) == mcnemar(losses, wins)
    assert 0.0 <= p <= 1.0
    assert ("exact" in name) == (wins + losses < FEW)


@given(st.integers(0, FEW - 1))
def test_few_discordant_dialogues_are_tested_exactly(wins):
    for losses in range(FEW - wins):
        expected = stats.binomtest(wins, wins + losses).pvalue if wins + losses else 1.0
        assert mcnemar(wins, losses)[1] == pytest.approx(expected)


def test_many_are_tested_by_chi_square_with_continuity_correction():
    name, p = mcnemar(37, 53)
    assert name == "McNemar, χ²"
    assert p == pytest.approx(float(stats.chi2.sf((16 - 1) ** 2 / 90, 1)))


@given(counts, counts)
def test_odds_ratio(wins, losses):
    effect, bounds = odds_ratio(wins, losses)
    turned, turned_bounds = odds_ratio(losses, wins)
    if not wins + losses:
        assert effect is None
        assert bounds is None
        assert turned is None
        return
    assert effect is not None
    assert bounds is not None
    assert turned_bounds is not None
    assert effect == (math.inf if not losses else pytest.approx(wins / losses))
    assert bounds[0] <= effect <= bounds[1]
    assert bounds[0] == pytest.approx(1 / turned_bounds[1] if turned_bounds[1] else math.inf)


@settings(max_examples=30)
@given(differences)
def test_wilcoxon_is_symmetric_and_a_probability(values):
    _, p = wilcoxon(values)
    assert 0.0 <= p <= 1.0
    assert p == pytest.approx(wilcoxon(-values)[1])
    effect, turned = rank_biserial(values), rank_biserial(-values)
    if not values.any():
        assert p == 1.0
        assert effect is turned is None
    else:
        assert effect == pytest.approx(-(turned or 0.0))
        assert effect is not None
        assert -1.0 <= effect <= 1.0


def test_rank_biserial_by_hand():
    # Ranks of 1, 2, 3: the positive ones hold 1 and 3, the negative one 2.
    assert rank_biserial(np.array([1.0, -2.0, 4.0, 0.0])) == pytest.approx((1 + 3 - 2) / 6)
    assert rank_biserial(np.array([1.0, 2.0])) == 1.0


def test_signed_ranks_by_hand():
    ranks = signed_ranks(np.array([0.0, 3.0, -1.0, 1.0, 0.0]))
    assert ranks.tolist() == [0.0, 3.0, -1.5, 1.5, 0.0]
    assert not signed_ranks(np.zeros(3)).any()


@settings(max_examples=30)
@given(differences)
def test_signed_ranks_add_up_to_wilcoxons_statistic(values):
    ranks = signed_ranks(values)
    n = int((values != 0).sum())
    assert np.abs(ranks).sum() == pytest.approx(n * (n + 1) / 2)
    if n:
        statistic = stats.wilcoxon(values[values != 0], alternative="greater").statistic
        assert ranks[ranks > 0].sum() == pytest.approx(statistic)


@given(st.floats(0.0, 0.1), st.none() | st.floats(0.0, 0.1))
def test_both_p_must_be_small(p_holm, p_goals):
    test = replace(BLANK, p_value=0.0, p_holm=p_holm, p_goals=p_goals)
    assert test.significant == (max(p_holm, p_goals or 0.0) < LEVEL)


def test_wilcoxon_finds_a_shift():
    shift = np.random.default_rng(1).normal(0.5, 1.0, 200)
    assert wilcoxon(shift)[1] < 1e-6
    assert wilcoxon(shift)[1] == pytest.approx(float(stats.wilcoxon(shift).pvalue))


@settings(max_examples=30)
@given(st.lists(st.floats(0.0, 1.0), min_size=1, max_size=30))
def test_holm(ps):
    found = [test.p_holm for test in holm([replace(BLANK, p_value=p) for p in ps])]
    assert all(raw <= corrected <= 1.0 for raw, corrected in zip(ps, found, strict=True))
    order = np.argsort(ps, kind="stable")
    along = [found[k] for k in order]
    assert along == sorted(along)
    assert min(found) == pytest.approx(min(1.0, min(ps) * len(ps)))


def test_holm_by_hand():
    tests = [replace(BLANK, p_value=p) for p in (0.04, 0.01, 0.03)]
    assert [test.p_holm for test in holm(tests)] == pytest.approx([0.06, 0.03, 0.06])
    assert holm([]) == []
