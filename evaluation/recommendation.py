"""Recommendation metrics: success, turns and recall (dreams §3.1, Tables 1 and 2)."""

from __future__ import annotations

from evaluation.reading import offer
from evaluation.records import Record


def succeeded(record: Record) -> bool:
    """Whether a target was offered and accepted (dreams §A.10: the user then ends the dialogue).

    Decided by the last offer and the verified targets, whatever the user says about them. A target
    that was offered but left undecided, because the user's question about it was not answered, is
    no success; :func:`offered` counts it.
    """
    last = next((found for turn in reversed(record["turns"]) if (found := offer(turn))), None)
    return record["outcome"] == "accepted" and last in set(record["targets"])


def offered(record: Record) -> bool:
    """Whether a target was ever offered, accepted or not."""
    targets = set(record["targets"])
    return any(offer(turn) in targets for turn in record["turns"])


def recall_last_ranking(record: Record, k: int) -> bool:
    """Whether a target is among the first k of the last ranking of the dialogue (dreams Table 2).

    False without any ranking.
    """
    rankings = [turn["ranking"] for turn in record["turns"] if turn["ranking"]]
    return bool(rankings) and _hit(rankings[-1], record, k)


def recall_last_turn(record: Record, k: int) -> bool:
    """Recall@k at the last system turn: False when that turn ranks nothing.

    Public evaluations differ in which ranking they take; this is the stricter reading.
    """
    turns = record["turns"]
    return bool(turns) and _hit(turns[-1]["ranking"], record, k)


def _hit(ranking: list[str], record: Record, k: int) -> bool:
    return not set(record["targets"]).isdisjoint(ranking[:k])
