"""Methods: runs with equal settings but their seed, pooled."""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from evaluation.comparison.errors import ComparisonError
from evaluation.comparison.judged import agreement_of, judged_tallies
from evaluation.comparison.prefixed import pooled_tallies
from evaluation.comparison.resampling import intervals, pooled
from evaluation.comparison.run import Dialogue, Run
from evaluation.comparison.settings import differing, flat, identity, label_of
from evaluation.metrics import Tallies
from evaluation.published import PublishedRow, rows_of_label
from evaluation.statistics import Interval
from evaluation.tally import Tally

OWN = "envs:CRS/"
"""How the ids of this project's environments begin: only there figures were published."""
PRIVILEGED = ("oracle",)
"""Planners that are told the goal: a ceiling, not a competitor."""

Decision = tuple[int, str]
"""Seed and prefix: what a decision is found by in another run."""
_TOLD = 3
"""Settings that tell apart methods of one label, at most; the planner's own come first."""


class Cell(tuple[float | None, Interval | None]):
    """A metric's value and its interval; both None where there is none."""

    __slots__ = ()

    @property
    def value(self) -> float | None:
        """The value."""
        return self[0]

    @property
    def interval(self) -> Interval | None:
        """Its 95 % interval."""
        return self[1]


EMPTY = Cell((None, None))


@dataclass(frozen=True)
class Method:
    """A row of the comparison.

    Attributes:
        name: Unique in the comparison.
        planner: Name of the planner.
        runs: Its runs by seed.
        dialogues: Dialogues that count, of all runs.
        decisions: Whether its decision was right, by seed and prefix, if it was scored at prefixes.
        failed: Number of dialogues that failed.
        tallies: Metrics over ``dialogues``, in the same order.
        cells: By metric key, value and interval.
        agreement: Keys of :func:`evaluation.agreement.agreement_summary`, if it was judged.
        judge: Who judged, empty where nobody did.
        published: Rows of the published method that it stands for.
        notes: What a reader must know about it.
    """

    name: str
    planner: str
    runs: tuple[Run, ...]
    dialogues: tuple[Dialogue, ...]
    decisions: Mapping[Decision, bool]
    failed: int
    tallies: Tallies
    cells: Mapping[str, Cell]
    agreement: Mapping[str, Any]
    judge: str
    published: tuple[PublishedRow, ...]
    notes: tuple[str, ...]

    @property
    def privileged(self) -> bool:
        """Whether it is told the goal."""
        return self.planner in PRIVILEGED

    @property
    def prefixes(self) -> int:
        """Number of prefixes that its decisions were scored at."""
        return len({prefix for _, prefix in self.decisions})

    @property
    def seeds(self) -> tuple[int, ...]:
        """Seeds of its runs, ascending."""
        return tuple(sorted({run.seed for run in self.runs}))

    def cell(self, key: str) -> Cell:
        """A metric, empty where it has none."""
        return self.cells.get(key, EMPTY)


def make_methods(runs: Sequence[Run]) -> list[Method]:
    """Pool runs by method: highest success first, then by name.

    Raises:
        ComparisonError: Two runs of one method hold the same dialogue.
    """
    groups: dict[str, list[Run]] = {}
    for run in runs:
        groups.setdefault(identity(run.config), []).append(run)
    pooled = [
        _pool(name, sorted(group, key=lambda run: (run.seed, run.name)))
        for name, group in zip(_names(list(groups.values())), groups.values(), strict=True)
    ]
    return sorted(pooled, key=_rank)


def _rank(method: Method) -> tuple[float, float, str]:
    values = [method.cell(key).value for key in ("success_rate", "next_action_accuracy")]
    success, accuracy = (1.0 if value is None else -value for value in values)
    return success, accuracy, method.name


def _names(groups: Sequence[Sequence[Run]]) -> list[str]:
    """Labels; where several methods share one, with the settings in which they differ."""
    labels = [label_of(group[0].config) for group in groups]
    names = [
        f"{label} ({_particulars(group[0], label, groups)})" if labels.count(label) > 1 else label
        for label, group in zip(labels, groups, strict=True)
    ]
    return [
        f"{name} #{names[:k].count(name) + 1}" if names.count(name) > 1 else name
        for k, name in enumerate(names)
    ]


def _particulars(run: Run, label: str, groups: Sequence[Sequence[Run]]) -> str:
    others = [group[0].config for group in groups if label_of(group[0].config) == label]
    settings = flat(run.config)
    keys = sorted(differing(others), key=lambda key: not key.startswith("planner."))
    told = [f"{key.removeprefix('planner.')}={settings.get(key)}" for key in keys]
    more = f", and {len(told) - _TOLD} more" if len(told) > _TOLD else ""
    return ", ".join(told[:_TOLD]) + more


def _pool(name: str, runs: Sequence[Run]) -> Method:
    _check_once(name, runs)
    talks = [run for run in runs if run.dialogues]
    counted = tuple(d for run in talks for d in run.dialogues if not d.failed)
    tallies = _pool_tallies([run.tallies for run in talks if run.tallies])
    cells = _cells(tallies, [dialogue.episode for dialogue in counted])
    notes: list[str] = []
    judged = _judged(name, [run for run in talks if run.tallies], notes)
    judges = [run.judged for run in talks if run.judged] if judged else []
    decisions = [record for run in runs for record in run.prefixes]
    cells |= _cells(judged, [episode for run in judges for episode in run.episodes])
    cells |= _cells(pooled_tallies(decisions) if decisions else {})
    return Method(
        name=name,
        planner=str(runs[0].config["planner"]["name"]),
        runs=tuple(runs),
        dialogues=counted,
        decisions={(r["seed"], r["prefix"]): bool(r["right"]) for r in decisions},
        failed=sum(d.failed for run in talks for d in run.dialogues),
        tallies=tallies,
        cells=cells,
        agreement=agreement_of(judges) if judges else {},
        judge=judges[0].judge if judges else "",
        published=published_of(runs[0].config),
        notes=tuple(notes),
    )


def _check_once(name: str, runs: Sequence[Run]) -> None:
    places: dict[Any, Run] = {}
    for run in runs:
        for dialogue in run.dialogues:
            other = places.setdefault(dialogue.place, run)
            if other is not run:
                seed, split, episode = dialogue.place
                raise ComparisonError(
                    f"{other.name} and {run.name} are both {name} with seed {seed} and hold "
                    f"episode {episode} of {split}; give one of them, or another label=NAME"
                )


def _pool_tallies(parts: Sequence[Tallies]) -> Tallies:
    """Metrics over the dialogues of all runs; a metric that a run lacks is left out."""
    if not parts:
        return {}
    return {
        key: Tally(
            np.concatenate([part[key].numerator for part in parts]),
            np.concatenate([part[key].denominator for part in parts]),
        )
        for key in parts[0]
        if all(key in part for part in parts)
    }


def _cells(tallies: Tallies, units: Sequence[Hashable] | None = None) -> dict[str, Cell]:
    """Values and intervals; what is drawn with it is given for each dialogue, if not itself."""
    drawn = [tally if units is None else pooled(tally, units) for tally in tallies.values()]
    found = zip(tallies.items(), intervals(drawn), strict=True)
    return {key: Cell((tally.value, interval)) for (key, tally), interval in found}


def _judged(name: str, runs: Sequence[Run], notes: list[str]) -> Tallies:
    """A judge's metrics; none unless one judge has judged every run."""
    found = [run.judged for run in runs if run.judged]
    if not found:
        return {}
    if len(found) < len(runs):
        missing = ", ".join(run.name for run in runs if not run.judged)
        notes.append(f"{name}: no judge's columns, since {missing} was not judged.")
        return {}
    judges = sorted({judged.judge for judged in found})
    if len(judges) > 1 or ", " in judges[0]:
        notes.append(f"{name}: no judge's columns, since judges differ ({', '.join(judges)}).")
        return {}
    unjudged = sum(judged.unjudged for judged in found)
    if unjudged:
        notes.append(
            f"{name}: dialogues that are not judged: {unjudged}; the judge's columns lack them."
        )
    return judged_tallies(found)


def published_of(config: Mapping[str, Any]) -> tuple[PublishedRow, ...]:
    """Published rows of a run's method; a label of its own must itself be known."""
    env = config["env"]
    if not str(env.get("id")).startswith(OWN):
        return ()
    return rows_of_label(str(env.get("name")), label_of(config))
