"""``summary.json``: a run's metrics as flat keys, computed from its two files."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import gymnasium as gym

from evaluation.account import ByRole, read_account, unfinished
from evaluation.failures import counted, failure_counts
from evaluation.groups import by_goal, by_persona
from evaluation.metrics import tallies
from evaluation.model_usage import usage_summary
from evaluation.reading import is_dialogue
from evaluation.records import Record, Timing, read_records, read_timings
from evaluation.run_dir import write_whole
from evaluation.statistics import bootstrap_interval, chi_square

SUMMARY = "summary.json"
Summary = dict[str, Any]
JUDGE_KEYS = "judge_"
"""With which a judge's keys begin."""


@dataclass(frozen=True, slots=True)
class CatalogFacts:
    """What a summary says about the items.

    Attributes:
        items: Number of items.
        source: Where they come from, in a few words.
    """

    items: int
    source: str


def catalog_facts(env: gym.Env[Any, Any]) -> CatalogFacts | None:
    """Facts of an environment's catalogue, None for an environment without one."""
    catalog = getattr(env.unwrapped, "catalog", None)
    return None if catalog is None else CatalogFacts(len(catalog), str(catalog.source))


def summarize(
    records: Sequence[Record],
    timings: Sequence[Timing],
    facts: CatalogFacts | None,
    account: ByRole | None = None,
) -> Summary:
    """Summarise a run as flat keys.

    Each metric of :func:`evaluation.metrics.tallies` is a key, with its 95 % bootstrap interval
    ``[low, high]`` as ``<key>_ci``; null where nothing counts (a policy that never searches has
    no ``search_changed_decision``). Rates are in [0, 1], times in seconds, rewards weighted.
    ``pe2_eligible`` is a share of all dialogues, ``pe2_eligible_dialogues`` their number.
    Success by group is ``success_rate/persona/<name>`` and ``success_rate/goal/<index>``, with
    the chi-square test across personas as ``personas_chi_square`` and ``personas_p``.

    ``episodes`` counts all dialogues; those of ``failed_dialogues`` (by reason
    ``failed/<reason>``) are left out of everything else but the totals of
    :func:`evaluation.model_usage.usage_summary`, which a run with models has. What it paid for
    beside the dialogues that count there is ``llm_calls_unfinished`` and its like, 0 unless the run
    was stopped and resumed.

    Args:
        records: Completed records.
        timings: One per record, same order.
        facts: Of the catalogue, if the environment has one.
        account: What models were paid for in all (:func:`evaluation.account.read_account`).
    """
    summary: Summary = {"episodes": len(records), **failure_counts(records)}
    if facts is not None:
        summary |= {"catalog_items": facts.items, "catalog_source": facts.source}
    for key, tally in tallies(records, timings).items():
        interval = bootstrap_interval(tally)
        summary[key] = tally.value
        summary[f"{key}_ci"] = None if interval is None else list(interval)
    kept = counted(records)
    if kept and all(is_dialogue(record) for record in kept):
        summary["pe2_eligible_dialogues"] = round(summary["pe2_eligible"] * len(kept))
        summary |= _groups(kept)
    usage = usage_summary(records, timings)
    paid = unfinished(account or {}, timings) if "llm_calls" in usage else {}
    return summary | usage | paid


def _groups(records: Sequence[Record]) -> Summary:
    personas = by_persona(records)
    test = chi_square(personas)
    found: Summary = {"personas_chi_square": test.statistic, "personas_p": test.p_value}
    for name, group in personas.items():
        found[f"success_rate/persona/{name}"] = group.rate
        found[f"episodes/persona/{name}"] = group.episodes
    for index, group in by_goal(records).items():
        found[f"success_rate/goal/{index}"] = group.rate
        found[f"episodes/goal/{index}"] = group.episodes
    return found


def write_summary(run_dir: Path, facts: CatalogFacts | None) -> Summary:
    """Compute the summary of a run directory and write it, whole or not at all.

    What a judge has said of the same dialogues (keys ``judge_...``) stays.

    Raises:
        RecordError: The run's files cannot be used.
    """
    account = read_account(run_dir)
    summary = summarize(read_records(run_dir), read_timings(run_dir), facts, account)
    summary |= _judged(run_dir, summary)
    text = json.dumps(summary, indent=1, ensure_ascii=True, allow_nan=False)
    write_whole(run_dir / SUMMARY, text + "\n")
    return summary


def _judged(run_dir: Path, summary: Summary) -> Summary:
    """A judge's keys of an earlier summary of as many dialogues."""
    try:
        earlier = read_summary(run_dir)
        same = all(earlier[key] == summary[key] for key in ("episodes", "failed_dialogues"))
    except (FileNotFoundError, ValueError, KeyError, TypeError, RecursionError):  # none, or broken
        return {}
    return {key: earlier[key] for key in earlier if key.startswith(JUDGE_KEYS)} if same else {}


def read_summary(run_dir: Path) -> Summary:
    """Read a summary back.

    Raises:
        FileNotFoundError: The run is not finished; the message says how to finish it.
    """
    path = run_dir / SUMMARY
    if not path.exists():
        raise FileNotFoundError(f"{path} is not there; finish the run with resume=true")
    summary: Summary = json.loads(path.read_text(encoding="utf-8"))
    return summary
