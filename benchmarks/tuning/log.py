"""The log of a tuning: a line of JSON a trial, which an interrupted tuning goes on from."""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass, fields
from pathlib import Path
from typing import Any

from benchmarks.tuning.errors import TuningError
from evaluation.canonical import canonical_line


@dataclass(frozen=True, slots=True)
class Trial:
    """One trial's settings and what came of them.

    Attributes:
        planner: Name of the planner.
        env: Name of the environment.
        items: Items of its catalogue.
        base: Digest of everything that the trials of a tuning share.
        round: Number of the round, from 0.
        trial: Number of the settings; 0 are the defaults, whatever the round.
        settings: By dotted key, the value tried.
        first: First episode.
        dialogues: Dialogues held.
        success: Share of them that succeeded, in [0, 1].
        earned: Mean return.
        outcomes: A digit a dialogue, 1 where it succeeded.
        seconds: Time of the whole trial.
        timesteps: Steps that a learning agent was trained for, else 0.
    """

    planner: str
    env: str
    items: int
    base: str
    round: int
    trial: int
    settings: dict[str, Any]
    first: int
    dialogues: int
    success: float
    earned: float
    outcomes: str
    seconds: float
    timesteps: int

    @property
    def objective(self) -> tuple[float, float]:
        """What is compared: success, then return."""
        return self.success, self.earned

    @property
    def place(self) -> tuple[str, int, int, int]:
        """What the trial is: environment, items, round and number."""
        return self.env, self.items, self.round, self.trial

    def same(self, other: Trial) -> bool:
        """Whether another trial was the same, whatever came of it."""
        return (self.base, self.settings, self.first, self.dialogues, self.timesteps) == (
            other.base, other.settings, other.first, other.dialogues, other.timesteps
        )  # fmt: skip


class TrialLog:
    """The trials of a planner in a file.

    Args:
        path: The file; need not exist.

    Raises:
        TuningError: A line is no trial; the message names it. (A torn last line is cut off.)
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        self._trials: dict[tuple[str, int, int, int], Trial] = {}
        if path.exists():
            self._read(path.read_bytes())

    def find(self, wanted: Trial) -> Trial | None:
        """The logged trial of a place, None if it is still to be made.

        Raises:
            TuningError: The place is taken by a trial of other settings.
        """
        found = self._trials.get(wanted.place)
        if found is not None and not found.same(wanted):
            raise TuningError(
                f"{self.path} is the log of another tuning (trial {wanted.trial} of round "
                f"{wanted.round} differs); move it away, or give log=FILE"
            )
        return found

    def add(self, trial: Trial) -> None:
        """Append a trial; it is in the file when this returns."""
        self.path.parent.mkdir(parents=True, exist_ok=True)
        with self.path.open("ab") as file:
            file.write(canonical_line(asdict(trial)))
        self._trials[trial.place] = trial

    def _read(self, raw: bytes) -> None:
        whole = raw[: raw.rfind(b"\n") + 1]
        if whole != raw:
            self.path.write_bytes(whole)
        for number, line in enumerate(whole.splitlines(), start=1):
            trial = self._trial(line, number)
            self._trials[trial.place] = trial

    def _trial(self, line: bytes, number: int) -> Trial:
        names = {field.name for field in fields(Trial)}
        try:
            found = json.loads(line)
        except ValueError:
            found = None
        if not isinstance(found, dict) or set(found) != names:
            raise TuningError(
                f"{self.path}, line {number}: no trial of a tuning; restore the file, or give "
                f"log=FILE"
            )
        return Trial(**found)
