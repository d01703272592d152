"""Agreement of judges with exact labels."""

from collections import Counter

import pytest

from evaluation.agreement import (
    agreement,
    agreement_summary,
    compare,
    correlations,
    exact_turns,
    rank_correlation,
)
from evaluation.elicitation import cge2
from evaluation.judge import Judgement, TurnLabel
from tests.evaluation.fakes import record, turn


def test_known_values() -> None:
    # Krippendorff's example of two observers and binary data: alpha is .095.
    first = [0, 1, 0, 0, 0, 0, 0, 0, 1, 0]
    second = [1, 1, 1, 0, 0, 1, 0, 0, 0, 0]
    found = agreement(first, second)
    assert found is not None
    assert found.accuracy == 0.6
    assert found.alpha == pytest.approx(0.095, abs=5e-4)
    assert found.macro_f1 == pytest.approx((2 * 5 / 14 + 2 / 6) / 2)


def test_equal_labels_agree() -> None:
    found = agreement(["a", "b", "b"], ["a", "b", "b"])
    assert found == (3, 1.0, 1.0, 1.0)
    only_one = agreement([True, True], [True, True])
    assert only_one is not None
    assert only_one.alpha is None
    assert agreement([], []) is None
    with pytest.raises(ValueError, match=r"shorter|longer"):
        agreement([1], [])


def test_rank_correlation() -> None:
    assert rank_correlation([0.0, 0.5, 1.0], [0.1, 0.2, 0.9]) == pytest.approx(1.0)
    assert rank_correlation([0.0, 0.0], [0.1, 0.2]) is None


def test_exact_labels_are_those_of_cge2() -> None:
    dialogue = record(
        turn("GenreInquiry", retrieved=["t"]),
        turn("StarInquiry", retrieved=["x", "t"]),
        turn("ItemRec", item="x", retrieved=["t"]),
        turn("ItemExplanation", item="x", retrieved=["t"]),
        turn("FailureReflection", retrieved=["t"]),
        turn("ItemRec", item="t"),
    )
    labels = exact_turns(dialogue)
    assert [(label.intent, label.retrieval) for label in labels] == [
        ("ask", True), ("ask", False), ("recommend", False), ("other", True), ("ask", True),
        ("recommend", True),
    ]  # fmt: skip
    assert Judgement(labels, False, False).cge2_counts() == cge2(dialogue) == (3, 5)
    same = [Judgement(labels, False, False)]
    found = compare([dialogue], same)
    assert all(entry is not None and entry.accuracy == 1.0 for entry in found.values())
    assert found["cge2"] is not None
    assert found["cge2"].units == 5
    wrong = Judgement((TurnLabel("other", True), *labels[1:]), True, True)
    found = compare([dialogue], [wrong])
    assert [entry and entry.accuracy for entry in found.values()] == [5 / 6, 1.0, 0.0, 0.0]
    assert correlations([dialogue], same) == {"cge2": None, "fge2": None, "pe2": None}


def test_the_library_agrees_with_the_formula() -> None:
    """Krippendorff's alpha for two raters and nominal labels, worked out by hand."""
    first, second = list("aabbccabcab"), list("aabbcccbcbb")
    found = agreement(first, second)
    assert found is not None
    pairs, total = list(zip(first, second, strict=True)), 2 * len(first)
    counts = Counter(first + second)
    observed = sum(a != b for a, b in pairs) / len(pairs)
    expected = sum(n * (total - n) for n in counts.values()) / (total * (total - 1))
    assert found.alpha == pytest.approx(1.0 - observed / expected)


def test_the_summary_has_three_figures_for_each_metric() -> None:
    right = record(turn("GenreInquiry", retrieved=["x"]), turn("ItemRec", item="t"))
    wrong = record(turn("GenreInquiry", retrieved=["t"]), turn("ItemRec", item="x"))
    records = [right, wrong, right]
    same = [Judgement(exact_turns(r), False, False) for r in records]
    found = agreement_summary(records, same)
    assert set(found) == {
        f"judge_{metric}_{figure}"
        for metric in ("cge2", "fge2", "pe2")
        for figure in ("alpha", "macro_f1", "spearman")
    }
    assert found["judge_cge2_alpha"] == found["judge_cge2_macro_f1"] == 1.0
    assert found["judge_cge2_spearman"] == pytest.approx(1.0)
    # No dialogue has the other errors, by either rater: equal, but alpha and rho say nothing.
    assert found["judge_fge2_macro_f1"] == 1.0
    assert found["judge_fge2_alpha"] is None
    assert found["judge_fge2_spearman"] is None
    blind = [Judgement(j.turns, k == 0, True) for k, j in enumerate(same)]
    found = agreement_summary(records, blind)
    assert found["judge_pe2_macro_f1"] == 0.0
    assert found["judge_pe2_alpha"] < 0.0
    assert found["judge_fge2_spearman"] is None  # the exact labels never vary
