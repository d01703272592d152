"""``spent.json``: what models were paid for in all starts of a run, unfinished dialogues included.

``timings.jsonl`` knows finished dialogues only. Those that a stop cut short were paid for as well:
a run that is resumed must know of them, or it would spend its budget twice.
"""

from __future__ import annotations

import json
import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from evaluation.model_usage import NAMES, Counts, by_role, sum_by_role
from evaluation.records import SCHEMA, Record, RecordError, Timing
from evaluation.run_dir import write_whole

SPENT = "spent.json"
PERIOD_S = 10.0
"""Longest time that the file lags behind, for runs that are killed."""

ByRole = dict[str, Counts]


class Account:
    """Keeps ``spent.json`` of a run up to date.

    Args:
        run_dir: The run's directory.
        timings: Of the dialogues that earlier starts of the run finished. The file is not believed
            where they know of more.
        now: Counts by role of everything that this start has asked so far.

    Raises:
        RecordError: The file was changed by hand.
    """

    def __init__(
        self,
        run_dir: Path,
        timings: Sequence[Timing],
        now: Callable[[], Mapping[str, Mapping[str, Any]]],
    ) -> None:
        self._path = run_dir / SPENT
        self._earlier = _larger(read_account(run_dir), by_role(timings))
        self._now = now
        self._lock = threading.Lock()

    @property
    def earlier(self) -> tuple[int, float]:
        """Calls and USD that earlier starts count against the budget with."""
        return charge(self._earlier)

    def on_dialogue(self, record: Record, timing: Timing) -> None:
        """Write the file; give it to ``evaluate`` as ``on_dialogue``."""
        self.write()

    def write(self) -> None:
        """Write the file, whole or not at all."""
        with self._lock:
            roles = sum_by_role([self._earlier, self._now()])
            text = json.dumps({"schema": SCHEMA, "roles": roles}, indent=1)
            write_whole(self._path, text + "\n")

    @contextmanager
    def kept(self) -> Iterator[None]:
        """Write the file now and then during the block, and when it ends, however it does."""
        ended = threading.Event()
        timer = threading.Thread(target=self._tick, args=(ended,), name="account", daemon=True)
        timer.start()
        try:
            yield
        finally:
            ended.set()
            timer.join()
            self.write()

    def _tick(self, ended: threading.Event) -> None:
        while not ended.wait(PERIOD_S):
            try:
                self.write()
            except OSError:  # of a disk that stays full, the run itself will tell
                continue


def charge(roles: Mapping[str, Mapping[str, Any]]) -> tuple[int, float]:
    """Calls and USD that counts by role stand for in a budget.

    As in :mod:`language.llm.transport`, what timed out may have been paid for, and counts.
    """
    calls = sum(int(c["calls"] + c["faults"].get("timeout", 0)) for c in roles.values())
    return calls, sum(float(c["cost_usd"] + c["cost_reserved_usd"]) for c in roles.values())


def read_account(run_dir: Path) -> ByRole:
    """Counts by role of all starts of a run; empty where there is no file.

    Raises:
        RecordError: The file was changed by hand.
    """
    path = run_dir / SPENT
    if not path.exists():
        return {}
    try:
        found = json.loads(path.read_text(encoding="utf-8"))
        return sum_by_role([found["roles"]])
    except (OSError, ValueError, TypeError, KeyError, AttributeError) as error:
        raise RecordError(
            f"{path} cannot be read, which counts the calls of the run ({error}); restore it, or "
            f"remove it: then only finished dialogues count against the budget"
        ) from error


def unfinished(account: Mapping[str, Counts], timings: Sequence[Timing]) -> Counts:
    """What was paid for beside the finished dialogues, as keys of ``summary.json``.

    Dialogues that a stop cut short, and those that were held again since no model was reached.
    """
    finished = by_role(timings)
    nothing = sum_by_role([{"": {}}])[""]

    def rest(name: str) -> Any:
        return sum(
            max(0, counts[name] - finished.get(role, nothing)[name])
            for role, counts in account.items()
        )

    return {
        "llm_calls_unfinished": rest("calls"),
        "llm_tokens_unfinished": rest("tokens_in") + rest("tokens_out"),
        # Both are sums of many floats, in different orders.
        "llm_cost_usd_unfinished": round(float(rest("cost_usd")), 9),
    }


def _larger(one: ByRole, other: ByRole) -> ByRole:
    """By role and count, the larger of two."""
    found = {}
    for role, counts in sum_by_role([one, other]).items():
        pair = [given[role] for given in (one, other) if role in given]
        found[role] = {name: max(given[name] for given in pair) for name in NAMES}
        found[role]["faults"] = {
            kind: max(given["faults"].get(kind, 0) for given in pair) for kind in counts["faults"]
        }
    return found
