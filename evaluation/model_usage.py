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
    "cost_reserved_usd": "llm_cost_reserved_usd",
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


def by_role(timings: Iterable[Timing]) -> dict[str, Counts]:
    """Counts of each role over finished dialogues, sorted by name."""
    return sum_by_role(timing.get("llm", {}) for timing in timings)


def sum_by_role(accounts: Iterable[Mapping[str, Mapping[str, Any]]]) -> dict[str, Counts]:
    """Sums of counts by role, sorted by name; each has all of :data:`NAMES`, and ``faults``."""
    sums: dict[str, Counts] = {}
    for account in accounts:
        for role, counts in account.items():
            total = sums.setdefault(role, {**dict.fromkeys(NAMES, 0), "faults": {}})
            for name in NAMES:
                total[name] += counts.get(name, 0)
            for kind, count in counts.get("faults", {}).items():
                total["faults"][kind] = total["faults"].get(kind, 0) + count
    return {role: sums[role] for role in sorted(sums)}


def usage_summary(records: Sequence[Record], timings: Sequence[Timing]) -> Counts:
    """The keys of ``summary.json`` about models; none for a run without any.

    Totals are over all dialogues, failed ones included (they were paid for); the two means
    ``..._per_dialogue`` leave failed dialogues out, as every mean does. ``<key>/<role>`` is a
    role's share of a total. ``llm_faults/<kind>`` counts each kind of fault, met or not. Where a
    model or a person played the user, ``simulator_...`` count what the environment did not let it
    decide.

    Args:
        records: Completed records of one run.
        timings: One per record, same order.
    """
    roles = by_role(timings)
    if not roles and not any(record.get("llm") for record in records):
        return _overruled(records, False)  # a person may have played the user
    found: Counts = {key: _total(roles, name) for name, key in NAMES.items()}
    for key in ("llm_cost_usd", "llm_cost_reserved_usd"):
        found[key] = float(found[key])
    for role, counts in roles.items():
        found |= {f"{key}/{role}": counts[name] for name, key in NAMES.items()}
    for kind in FAULTS:
        found[f"llm_faults/{kind}"] = sum(c["faults"].get(kind, 0) for c in roles.values())
    return found | _means(records, timings) | _overruled(records, "user" in roles)


def usage_lines(summary: Mapping[str, Any], unpriced: Sequence[str] = ()) -> list[str]:
    """What to print after a run with models, in at most three plain lines.

    Args:
        summary: Of the run.
        unpriced: Roles whose model's price is not known.
    """
    if "llm_calls" not in summary:
        return []
    tokens = summary["llm_tokens_in"] + summary["llm_tokens_out"]
    per = [_mean(summary[f"llm_{name}_per_dialogue"]) for name in ("calls", "tokens")]
    lines = [
        f"Models: {summary['llm_calls']:,} calls ({per[0]} per dialogue), "
        f"{summary['llm_cached']:,} answers from the cache, {tokens:,} tokens ({per[1]}), "
        f"{_prices(summary, unpriced)}"
    ]
    lost = summary.get("llm_calls_unfinished", 0)
    if lost:
        cost = summary["llm_cost_usd_unfinished"]
        lines.append(
            f"Beside these, {lost:,} calls ({summary['llm_tokens_unfinished']:,} tokens, "
            f"{cost:.4f} USD) in dialogues that a stop of the run cut short"
        )
    fallbacks = _of_roles(summary, "llm_fallbacks")
    if any(fallbacks.values()):
        listed = ", ".join(f"{role} {count:,}" for role, count in fallbacks.items() if count)
        lines.append(f"Answered by the embedded role instead of the model (fallbacks): {listed}")
    return lines


def _prices(summary: Mapping[str, Any], unpriced: Sequence[str]) -> str:
    """The cost in words. That nothing was paid differs from that no price is known."""
    asked = _of_roles(summary, "llm_calls")
    unknown = [role for role in asked if role in unpriced]
    cost, dialogues = summary["llm_cost_usd"], max(1, summary["episodes"])
    if not cost and asked and len(unknown) == len(asked):
        return "no price known"
    told = f"{cost:.4f} USD ({cost / dialogues:.4f} per dialogue"
    return f"{told}; no price known of {', '.join(unknown)})" if unknown else f"{told})"


def _of_roles(summary: Mapping[str, Any], key: str) -> dict[str, Any]:
    """A count of each role that was asked."""
    prefix = f"{key}/"
    return {k.removeprefix(prefix): n for k, n in summary.items() if k.startswith(prefix)}


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
