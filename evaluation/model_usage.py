"""What language models did in a run: calls, tokens, cost, and where they were not trusted.

A line of ``timings.jsonl`` has the totals of a dialogue (``calls``, ``tokens``, ``retries``,
``cost``), zeros without a model; where one was used also ``llm``, the counts by role as in
:class:`language.llm.usage.RoleUsage`, and ``fallbacks``, each with turn, role and fault.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from evaluation.failures import is_failed
from evaluation.records import Record, Timing
from language.llm.usage import FAULTS, Usage

Counts = dict[str, Any]

NAMES = {
    "calls": "llm_calls",
    "cached": "llm_cached",
    "retries": "llm_retries",
    "repairs": "llm_repairs",
    "fallbacks": "llm_fallbacks",
    "tokens_in": "llm_tokens_in",
    "tokens_out": "llm_tokens_out",
    "cost_usd": "llm_cost_usd",
}
"""Names of the counts of a role, and of their totals in ``summary.json``."""

OVERRULED = {
    "false_accept": "simulator_false_accepts",
    "missed_accept": "simulator_missed_accepts",
    "early_leave": "simulator_early_leaves",
    "late_leave": "simulator_late_leaves",
    "empty_reply": "simulator_empty_replies",
}
"""What a model that plays the user may do against the verified facts, and its summary key."""


def usage_counts(usage: Usage) -> Counts:
    """The counts of a dialogue for its line of ``timings.jsonl``."""
    roles = usage.by_role()
    totals: Counts = {
        "calls": _total(roles, "calls"),
        "tokens": _total(roles, "tokens_in") + _total(roles, "tokens_out"),
        "retries": _total(roles, "retries"),
        "cost": float(_total(roles, "cost_usd")),
    }
    return totals | {"llm": roles, "fallbacks": usage.fallbacks()} if roles else totals


def spent(timings: Iterable[Timing]) -> tuple[int, float]:
    """Calls and USD that finished dialogues took, for the budget of the run that continues."""
    known = list(timings)
    return (
        sum(int(timing.get("calls", 0)) for timing in known),
        sum(float(timing.get("cost", 0.0)) for timing in known),
    )


def usage_summary(records: Sequence[Record], timings: Sequence[Timing]) -> Counts:
    """The keys of ``summary.json`` about models; empty for a run without any.

    Totals are over all dialogues, failed ones included (they were paid for); the two means
    ``..._per_dialogue`` leave failed dialogues out, as every mean does. ``<key>/<role>`` is a
    role's share of a total. ``llm_faults/<kind>`` counts each kind of fault, met or not. Where a
    model played the user, ``simulator_...`` count what the environment did not let it decide.

    Args:
        records: Completed records of one run.
        timings: One per record, same order.
    """
    roles = _by_role(timings)
    if not roles and not any(record.get("llm") for record in records):
        return {}
    found: Counts = {key: _total(roles, name) for name, key in NAMES.items()}
    found["llm_cost_usd"] = float(found["llm_cost_usd"])
    for role, counts in roles.items():
        found |= {f"{key}/{role}": counts[name] for name, key in NAMES.items()}
    for kind in FAULTS:
        found[f"llm_faults/{kind}"] = sum(c["faults"].get(kind, 0) for c in roles.values())
    return found | _means(records, timings) | _overruled(records, "user" in roles)


def usage_lines(summary: Mapping[str, Any]) -> list[str]:
    """What to print after a run with models, in at most two plain lines."""
    if "llm_calls" not in summary:
        return []
    dialogues = max(1, summary["episodes"])
    tokens = summary["llm_tokens_in"] + summary["llm_tokens_out"]
    cost = summary["llm_cost_usd"]
    prices = f"{cost:.4f} USD ({cost / dialogues:.4f} per dialogue)" if cost else "no price known"
    per = [_mean(summary[f"llm_{name}_per_dialogue"]) for name in ("calls", "tokens")]
    lines = [
        f"Models: {summary['llm_calls']:,} calls ({per[0]} per dialogue), "
        f"{summary['llm_cached']:,} answers from the cache, {tokens:,} tokens ({per[1]}), {prices}"
    ]
    prefix = "llm_fallbacks/"
    by_role = {k.removeprefix(prefix): n for k, n in summary.items() if k.startswith(prefix) and n}
    if by_role:
        listed = ", ".join(f"{role} {count:,}" for role, count in by_role.items())
        lines.append(f"Answered by the embedded role instead of the model (fallbacks): {listed}")
    return lines


def _by_role(timings: Iterable[Timing]) -> dict[str, Counts]:
    """Counts of each role over a run, sorted by name."""
    sums: dict[str, Counts] = {}
    for timing in timings:
        for role, counts in timing.get("llm", {}).items():
            total = sums.setdefault(role, {**dict.fromkeys(NAMES, 0), "faults": {}})
            for name in NAMES:
                total[name] += counts.get(name, 0)
            for kind, count in counts.get("faults", {}).items():
                total["faults"][kind] = total["faults"].get(kind, 0) + count
    return {role: sums[role] for role in sorted(sums)}


def _means(records: Sequence[Record], timings: Sequence[Timing]) -> Counts:
    pairs = zip(records, timings, strict=True)
    known = [timing for record, timing in pairs if not is_failed(record)]
    return {
        f"llm_{name}_per_dialogue": sum(t.get(name, 0) for t in known) / len(known)
        if known
        else None
        for name in ("calls", "tokens")
    }


def _overruled(records: Sequence[Record], called: bool) -> Counts:
    turns = [turn for record in records for turn in record.get("turns", ())]
    turns += [record["opening"] for record in records if record.get("opening")]
    played = called or any("user" in (record.get("llm") or {}) for record in records)
    if not played and not any("overruled" in turn for turn in turns):
        return {}
    met = [kind for turn in turns for kind in turn.get("overruled", ())]
    return {key: met.count(kind) for kind, key in OVERRULED.items()}


def _total(roles: Mapping[str, Mapping[str, Any]], name: str) -> Any:
    return sum(counts[name] for counts in roles.values())


def _mean(value: float | None) -> str:
    return "–" if value is None else f"{value:,.1f}"
