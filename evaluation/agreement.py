"""How far a judge agrees with the exact labels (dreams Table 9)."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from typing import NamedTuple

from evaluation.elicitation import cge2, fge2
from evaluation.exploitation import pe2
from evaluation.judge import Judgement, TurnLabel
from evaluation.judgements import PREFIX
from evaluation.reading import is_ask, offer
from evaluation.records import Record
from evaluation.summary import Summary

JUDGED = ("cge2", "fge2", "pe2")
"""Metrics that a judge labels beside the exact ones."""


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
    known = sorted({label for pair in pairs for label in pair}, key=repr)
    codes = {label: code for code, label in enumerate(known)}
    first, second = [codes[a] for a, _ in pairs], [codes[b] for _, b in pairs]
    equal = sum(a == b for a, b in pairs)
    return Agreement(
        len(pairs), equal / len(pairs), _macro_f1(first, second), _alpha(first, second, len(known))
    )


def _macro_f1(exact: Sequence[int], judged: Sequence[int]) -> float:
    from sklearn.metrics import f1_score

    return float(f1_score(exact, judged, average="macro", zero_division=0.0))


def _alpha(first: Sequence[int], second: Sequence[int], labels: int) -> float | None:
    """Alpha for nominal labels; not defined where only one occurs."""
    if labels < 2:
        return None
    import krippendorff

    return float(krippendorff.alpha([first, second], level_of_measurement="nominal"))


def rank_correlation(exact: Sequence[float], judged: Sequence[float]) -> float | None:
    """Spearman's rho over dialogues; None where one of the two never varies."""
    if len(set(exact)) < 2 or len(set(judged)) < 2:
        return None
    from scipy import stats

    return float(stats.spearmanr([float(x) for x in exact], [float(x) for x in judged]).statistic)


def correlations(records: Sequence[Record], found: Sequence[Judgement]) -> dict[str, float | None]:
    """Spearman's rho over dialogues by metric, exact against judged; None where undefined.

    Of CGE2 the dialogues' shares of wrong turns are ranked, where both have one; of FGE2 and PE2
    whether the dialogue has the error, which is all that a judge says of them (dreams Eq. 10).
    """
    pairs = [
        (cge2(record), judgement.cge2_counts())
        for record, judgement in zip(records, found, strict=True)
    ]
    shares = [(e / n, w / m) for (e, n), (w, m) in pairs if n and m]
    return {
        "cge2": rank_correlation([a for a, _ in shares], [b for _, b in shares]),
        "fge2": rank_correlation([fge2(r)[0] > 0 for r in records], [j.fge2 for j in found]),
        "pe2": rank_correlation([pe2(r).error > 0 for r in records], [j.pe2 for j in found]),
    }


def agreement_summary(records: Sequence[Record], found: Sequence[Judgement]) -> Summary:
    """Agreement by metric as keys of ``summary.json``, null where it is not defined.

    ``judge_cge2_alpha``, ``judge_cge2_macro_f1`` and ``judge_cge2_spearman``, and so for ``fge2``
    and ``pe2``: of :func:`compare` and :func:`correlations`. ``judge_intent_alpha`` and
    ``judge_intent_macro_f1`` are of what turns are for, which has no rate to correlate.
    """
    agreed, rhos = compare(records, found), correlations(records, found)
    values: Summary = {}
    for name in (*JUDGED, "intent"):
        both = agreed[name]
        values[f"{PREFIX}{name}_alpha"] = None if both is None else both.alpha
        values[f"{PREFIX}{name}_macro_f1"] = None if both is None else both.macro_f1
    return values | {f"{PREFIX}{name}_spearman": rhos[name] for name in JUDGED}


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
        By what is compared: ``intent`` and ``cge2`` over all turns (the latter the four classes AT,
        AF, RT, RF of dreams Eq. 12-15, and ``other`` as a class of its own), ``fge2`` and ``pe2``
        over dialogues.
    """
    exact = [exact_turns(record) for record in records]
    pairs = [
        pair
        for ours, judged in zip(exact, found, strict=True)
        for pair in zip(ours, judged.turns, strict=True)
    ]
    return {
        "intent": agreement([a.intent for a, _ in pairs], [b.intent for _, b in pairs]),
        "cge2": agreement([_class(a) for a, _ in pairs], [_class(b) for _, b in pairs]),
        "fge2": agreement([fge2(record)[0] > 0 for record in records], [j.fge2 for j in found]),
        "pe2": agreement([pe2(record).error for record in records], [j.pe2 for j in found]),
    }


def _class(label: TurnLabel) -> Hashable:
    """The class of CGE2 that a turn is in.

    Turns that only one rater takes for a question or an offer count, as disagreement: left out, a
    judge who sees few of them would agree the better. Of ``other`` turns, retrieval means nothing.
    """
    return label if label.intent != "other" else label.intent
