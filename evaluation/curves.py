"""What a run logs of each finished episode: named scalars, and the text of a dialogue."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from evaluation.failures import is_failed
from evaluation.metrics import REWARD_TERMS, reward_sum, turns_of
from evaluation.plaintext import one_line
from evaluation.reading import is_dialogue
from evaluation.recommendation import succeeded
from evaluation.records import Record

Scalars = dict[str, float]


class EpisodeCurves:
    """Turns records into scalars; keeps the running means that some of them are.

    Per episode ``evaluation/return``, ``evaluation/success``, ``evaluation/turns`` and
    ``evaluation/reward_<term>``; running means ``evaluation/success_rate``, and by persona
    ``persona/<name>/success_rate`` and ``persona/<name>/return``. A failed dialogue enters none of
    these; it has ``evaluation/failed_dialogues``, their number so far.
    """

    def __init__(self) -> None:
        self._sums: dict[str, tuple[float, int]] = {}
        self._failed = 0

    def add(self, record: Record) -> Scalars:
        """Scalars of a finished episode, running means with it included."""
        if is_failed(record):
            self._failed += 1
            return {"evaluation/failed_dialogues": float(self._failed)}
        scalars = {
            "evaluation/return": float(record["return"]),
            "evaluation/turns": float(turns_of(record)),
        }
        success = _success(record)
        if success is not None:
            scalars["evaluation/success"] = success
            scalars["evaluation/success_rate"] = self._mean("success_rate", success)
        if is_dialogue(record):
            terms = {term for turn in record["turns"] for term in turn["rewards"]}
            for term in (*REWARD_TERMS, *sorted(terms - set(REWARD_TERMS))):
                scalars[f"evaluation/reward_{term}"] = reward_sum(record, term)
            scalars |= self._persona(record, float(succeeded(record)))
        return scalars

    def _persona(self, record: Record, success: float) -> Scalars:
        # Back ends differ in which characters they replace in names; these are left by all.
        name = re.sub(r"[^\w.-]", "_", str(record["persona"]))[:60]
        tag = f"persona/{name}"
        return {
            f"{tag}/success_rate": self._mean(f"{tag}/success_rate", success),
            f"{tag}/return": self._mean(f"{tag}/return", float(record["return"])),
        }

    def _mean(self, key: str, value: float) -> float:
        total, count = self._sums.get(key, (0.0, 0))
        self._sums[key] = total, count = total + value, count + 1
        return total / count


def _success(record: Record) -> float | None:
    if is_dialogue(record):
        return float(succeeded(record))
    return None if record["success"] is None else float(record["success"])


def dialogue_text(record: Record) -> str:
    """A dialogue as lines, each turn's action in front; hostile text is escaped (one_line)."""
    lines = [
        f"episode {record['episode']}, persona {one_line(str(record['persona']))}, "
        f"outcome {record['outcome']}",
        f"user: {one_line(record['opening']['user'])}",
    ]
    for turn in record["turns"]:
        lines.append(f"system [{turn['action']}]: {one_line(turn['system'])}")
        lines.append(f"user: {one_line(turn['user'])}")
    if is_failed(record):
        lines.append(f"failed: {one_line(record['failure']['message'])}")
    return "\n".join(lines)


def flat_settings(settings: Mapping[str, Any], prefix: str = "") -> dict[str, Any]:
    """Nested settings as dotted names; other values than numbers and truth become text."""
    flat: dict[str, Any] = {}
    for key, value in settings.items():
        name = f"{prefix}{key}"
        if isinstance(value, Mapping):
            flat |= flat_settings(value, f"{name}.")
        else:
            flat[name] = value if isinstance(value, bool | int | float) else one_line(str(value))
    return flat


def summary_scalars(summary: Mapping[str, Any]) -> Scalars:
    """The summary's metrics as ``summary/<key>``, in names that every back end takes."""
    return {
        f"summary/{key.replace('@', '_at_')}": float(value)
        for key, value in summary.items()
        if isinstance(value, int | float) and "/" not in key
    }
