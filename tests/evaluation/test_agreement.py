"""Agreement of judges with exact labels."""

from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st

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

INTENTS = st.sampled_from(("ask", "recommend", "other"))
PLAYED = {
    (intent, right): turn(action, item=item, retrieved=["t" if right else "x"])
    for right in (True, False)
    for intent, action, item in (
        ("ask", "GenreInquiry", None),
        ("recommend", "ItemRec", "t" if right else "x"),
        ("other", "ItemExplanation", "x"),
    )
}
"""A turn of each intent, with retrieval on target or not."""


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
    assert found["cge2"].units == 6
    wrong = Judgement((TurnLabel("other", True), *labels[1:]), True, True)
    found = compare([dialogue], [wrong])
    assert [entry and entry.accuracy for entry in found.values()] == [5 / 6, 5 / 6, 0.0, 0.0]
    assert correlations([dialogue], same) == {"cge2": None, "fge2": None, "pe2": None}


def test_a_judge_that_sees_few_classes_pays_for_it() -> None:
    """It is right wherever it sees a question or an offer, and says ``other`` of half the turns."""
    dialogue = record(
        *(turn("GenreInquiry", retrieved=["t" if k % 2 else "x"]) for k in range(4)),
        *(turn("ItemRec", item="x") for _ in range(4)),
    )
    labels = exact_turns(dialogue)
    blind = tuple(
        label if k % 4 < 2 else TurnLabel("other", k % 3 == 0) for k, label in enumerate(labels)
    )
    found = compare([dialogue], [Judgement(blind, False, False)])
    for key in ("cge2", "intent"):
        both = found[key]
        assert both is not None
        assert both.alpha is not None
        assert (both.units, both.accuracy) == (8, 0.5)
        assert both.alpha < 0.5


@given(st.lists(st.tuples(*2 * [st.tuples(INTENTS, st.booleans())]), min_size=1, max_size=20))
def test_classes_agree_no_better_than_intents(pairs) -> None:
    """Which class a turn has says what it is for, and of ``other`` turns nothing more."""
    dialogue = record(*(PLAYED[intent, right] for (intent, right), _ in pairs))
    judged = Judgement(tuple(TurnLabel(*label) for _, label in pairs), False, False)
    found = compare([dialogue], [judged])
    intent, cge2 = found["intent"], found["cge2"]
    assert intent is not None
    assert cge2 is not None
    assert cge2.units == intent.units == len(pairs)
    assert cge2.accuracy <= intent.accuracy
    same = sum(a[0] == b[0] and (a[0] == "other" or a == b) for a, b in pairs)
    assert cge2.accuracy == pytest.approx(same / len(pairs))


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


def test_the_summary_has_figures_for_each_metric_and_for_intents() -> None:
    right = record(turn("GenreInquiry", retrieved=["x"]), turn("ItemRec", item="t"))
    wrong = record(turn("GenreInquiry", retrieved=["t"]), turn("ItemRec", item="x"))
    records = [right, wrong, right]
    same = [Judgement(exact_turns(r), False, False) for r in records]
    found = agreement_summary(records, same)
    assert set(found) == {
        f"judge_{metric}_{figure}"
        for metric in ("cge2", "fge2", "pe2")
        for figure in ("alpha", "macro_f1", "spearman")
    } | {"judge_intent_alpha", "judge_intent_macro_f1"}
    assert found["judge_intent_alpha"] == 1.0
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
