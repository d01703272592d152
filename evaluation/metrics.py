"""All metrics of a run, each as a tally with two numbers per dialogue, from its two files alone."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial

from evaluation.elicitation import cge2, fge2
from evaluation.exploitation import pe2, pe2_loose
from evaluation.failures import is_failed
from evaluation.prefixes.scoring import is_prefix, prefix_tallies
from evaluation.reading import is_dialogue
from evaluation.recommendation import offered, recall_last_ranking, recall_last_turn, succeeded
from evaluation.records import Record, RecordError, Timing
from evaluation.tally import Tally

REWARD_TERMS = ("explore", "retrieve", "attitude", "cost", "accept")
CUTOFFS = (1, 5, 10)

Tallies = dict[str, Tally]


def tallies(records: Sequence[Record], timings: Sequence[Timing]) -> Tallies:
    """Every metric by its key in ``summary.json``.

    Dialogues have all metrics; episodes of environments without records have success (if the
    environment reports it), return, turns and seconds; prefixes have those of dreams Table 8
    (:mod:`evaluation.prefixes.scoring`) and seconds. Failed dialogues are left out.

    Args:
        records: Completed records of one run.
        timings: One per record, same order.

    Raises:
        RecordError: The lengths differ, or dialogues and other episodes are mixed.
    """
    if len(records) != len(timings):
        raise RecordError(f"{len(records)} records but {len(timings)} timings; each needs one")
    kept = [k for k, record in enumerate(records) if not is_failed(record)]
    records, timings = [records[k] for k in kept], [timings[k] for k in kept]
    talks = {is_dialogue(record) for record in records}
    if len(talks) > 1:
        raise RecordError("dialogues and other episodes are mixed; evaluate them in two runs")
    if records and all(is_prefix(record) for record in records):
        return prefix_tallies(records) | _seconds(records, timings)
    if talks == {False}:
        return _generic(records) | _seconds(records, timings)
    return (
        _outcomes(records)
        | _rewards(records)
        | _elicitation(records)
        | _exploitation(records)
        | _search(records)
        | _seconds(records, timings)
    )


def turns_of(record: Record) -> int:
    """Number of system turns, or of steps where there are no turns."""
    return int(record["n_turns"] if is_dialogue(record) else record["length"])


def _outcomes(records: Sequence[Record]) -> Tallies:
    """Success (dreams Table 2), turns and recall; and the user's verified acceptance."""
    found = {
        "success_rate": _rate(records, succeeded),
        "target_offered_rate": _rate(records, offered),
        "average_turns": Tally.mean_of(turns_of(record) for record in records),
    }
    for k in CUTOFFS:
        found[f"recall@{k}"] = _rate(records, partial(recall_last_ranking, k=k))
        found[f"recall@{k}_last_turn"] = _rate(records, partial(recall_last_turn, k=k))
    return found


def _rewards(records: Sequence[Record]) -> Tallies:
    """Undiscounted return and the sum of each weighted reward term (dreams §A.4, Eq. 6-7)."""
    found = {"return": Tally.mean_of(record["return"] for record in records)}
    extra = {term for r in records for turn in r["turns"] for term in turn["rewards"]}
    for term in (*REWARD_TERMS, *sorted(extra - set(REWARD_TERMS))):
        found[f"reward_{term}"] = Tally.mean_of(reward_sum(record, term) for record in records)
    return found


def reward_sum(record: Record, term: str) -> float:
    """A reward term summed over a dialogue; 0 where the configuration has no such term."""
    return float(sum(turn["rewards"].get(term, 0.0) for turn in record["turns"]))


def _elicitation(records: Sequence[Record]) -> Tallies:
    """CGE2 pooled over turns (dreams Eq. 20); FGE2 by dialogue (Eq. 10), pooled, as in Table 7."""
    fine = [fge2(record) for record in records]
    return {
        "cge2": Tally.of(cge2(record) for record in records),
        "cge2_top5": Tally.of(cge2(record, 5) for record in records),
        "fge2": Tally.mean_of(float(errors > 0) for errors, _ in fine),
        "fge2_turns": Tally.of(fine),
        "fge2_dialogue_share": Tally.of((e / n, 1.0) if n else (0.0, 0.0) for e, n in fine),
    }


def _exploitation(records: Sequence[Record]) -> Tallies:
    """PE2 over all dialogues (dreams Eq. 10), how many are eligible, and the rate among those."""
    found: Tallies = {}
    for name, labels in (
        ("pe2", [pe2(record) for record in records]),
        ("pe2_loose", [pe2_loose(record) for record in records]),
    ):
        found[name] = Tally.mean_of(label.error for label in labels)
        found[f"{name}_eligible"] = Tally.mean_of(label.eligible for label in labels)
        found[f"{name}_among_eligible"] = Tally.of((e.error, e.eligible) for e in labels)
    return found


def _search(records: Sequence[Record]) -> Tallies:
    """Share of searched decisions that differ from the prior's, pooled over decisions."""
    changed = [[turn["search_changed"] for turn in record["turns"]] for record in records]
    return {
        "search_changed_decision": Tally.of(
            (sum(c is True for c in turns), sum(c is not None for c in turns)) for turns in changed
        )
    }


def _seconds(records: Sequence[Record], timings: Sequence[Timing]) -> Tallies:
    """Seconds per system turn of the policy (dreams Table 10) and, apart, of the environment."""
    turns = [turns_of(record) for record in records]
    return {
        "seconds_per_turn": Tally.of(
            (timing["seconds_policy"], n) for timing, n in zip(timings, turns, strict=True)
        ),
        "environment_seconds_per_turn": Tally.of(
            (timing["seconds_environment"], n) for timing, n in zip(timings, turns, strict=True)
        ),
    }


def _generic(records: Sequence[Record]) -> Tallies:
    known = [record["success"] for record in records]
    found = {
        "average_turns": Tally.mean_of(turns_of(record) for record in records),
        "return": Tally.mean_of(record["return"] for record in records),
    }
    if any(success is not None for success in known):
        found["success_rate"] = Tally.of((s is True, s is not None) for s in known)
    return found


def _rate(records: Sequence[Record], holds: Callable[[Record], bool]) -> Tally:
    return Tally.mean_of(float(holds(record)) for record in records)
