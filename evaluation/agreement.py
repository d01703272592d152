"""How far a judge agrees with the exact labels (dreams Table 9)."""

from __future__ import annotations

from collections import Counter
from collections.abc import Hashable, Sequence
from typing import NamedTuple

from evaluation.elicitation import cge2, fge2
from evaluation.exploitation import pe2
from evaluation.judge import Judgement, TurnLabel
from evaluation.reading import is_ask, offer
from evaluation.records import Record


class Agreement(NamedTuple):
    """Agreement of two raters over the same units.

    Attributes:
        units: Number of units.
        accuracy: Share of equal labels.
        macro_f1: Mean over the labels of the F1 of the second rater against the first.
        alpha: Krippendorff's alpha for nominal labels; None when only one label occurs.
    """

    units: int
    accuracy: float
    macro_f1: float
    alpha: float | None


def agreement(exact: Sequence[Hashable], judged: Sequence[Hashable]) -> Agreement | None:
    """Compare two sequences of labels; None for empty ones.

    Raises:
        ValueError: The lengths differ.
    """
    pairs = list(zip(exact, judged, strict=True))
    if not pairs:
        return None
    equal = sum(a == b for a, b in pairs)
    labels = sorted({label for pair in pairs for label in pair}, key=repr)
    scores = [_f1(pairs, label) for label in labels]
    return Agreement(
        len(pairs), equal / len(pairs), sum(scores) / len(scores), _alpha(pairs, equal)
    )


def _f1(pairs: Sequence[tuple[Hashable, Hashable]], label: Hashable) -> float:
    both = sum(a == label == b for a, b in pairs)
    either = sum(a == label for a, _ in pairs) + sum(b == label for _, b in pairs)
    return 2.0 * both / either


def _alpha(pairs: Sequence[tuple[Hashable, Hashable]], equal: int) -> float | None:
    """1 - observed / expected disagreement, where expected pairs any two of the 2n labels."""
    counts = Counter(label for pair in pairs for label in pair)
    total = 2 * len(pairs)
    expected = total * total - sum(count * count for count in counts.values())
    if not expected:
        return None
    observed = (len(pairs) - equal) / len(pairs)
    return 1.0 - observed * total * (total - 1) / expected


def rank_correlation(exact: Sequence[float], judged: Sequence[float]) -> float | None:
    """Spearman's rho over dialogues; None where one of the two never varies."""
    if len(set(exact)) < 2 or len(set(judged)) < 2:
        return None
    from scipy import stats

    return float(stats.spearmanr(exact, judged).statistic)


def cge2_correlation(records: Sequence[Record], found: Sequence[Judgement]) -> float | None:
    """Spearman's rho of the dialogues' CGE2, exact and judged, where both have one."""
    exact, judged = [], []
    for record, judgement in zip(records, found, strict=True):
        (errors, turns), (wrong, labelled) = cge2(record), judgement.cge2_counts()
        if turns and labelled:
            exact.append(errors / turns)
            judged.append(wrong / labelled)
    return rank_correlation(exact, judged)


def exact_turns(record: Record) -> tuple[TurnLabel, ...]:
    """The exact labels of a completed record's turns, as in ``evaluation.elicitation.cge2``.

    Of turns that neither ask nor recommend, ``retrieval`` is that of an ask turn.
    """
    targets = set(record["targets"])
    labels = []
    for turn in record["turns"]:
        item = offer(turn)
        if item is not None:
            right = not targets.isdisjoint((turn["ranking"] or [item])[:1])
            labels.append(TurnLabel("recommend", right))
            continue
        right = not targets.isdisjoint(turn["retrieved"][:1])
        labels.append(TurnLabel("ask" if is_ask(record, turn) else "other", right))
    return tuple(labels)


def compare(records: Sequence[Record], found: Sequence[Judgement]) -> dict[str, Agreement | None]:
    """Agreement of judgements with the exact labels of the same completed records.

    Returns:
        By what is compared: ``intent`` and ``cge2`` over turns (the latter the four classes AT,
        AF, RT, RF of Eq. 12-15 where both see one of them), ``fge2`` and ``pe2`` over dialogues.
    """
    exact = [exact_turns(record) for record in records]
    pairs = [
        pair
        for ours, judged in zip(exact, found, strict=True)
        for pair in zip(ours, judged.turns, strict=True)
    ]
    classed = [(a, b) for a, b in pairs if "other" not in (a.intent, b.intent)]
    return {
        "intent": agreement([a.intent for a, _ in pairs], [b.intent for _, b in pairs]),
        "cge2": agreement([a for a, _ in classed], [b for _, b in classed]),
        "fge2": agreement([fge2(record)[0] > 0 for record in records], [j.fge2 for j in found]),
        "pe2": agreement([pe2(record).error for record in records], [j.pe2 for j in found]),
    }
