"""Comparing runs: from directories to methods, metrics and tests."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import combinations
from pathlib import Path
from typing import Any

from evaluation.comparison.errors import ComparisonError
from evaluation.comparison.finding import find_runs, names_of
from evaluation.comparison.measures import SHOWN, Measure, measure_of
from evaluation.comparison.method import Method, make_methods
from evaluation.comparison.paired_tests import PairedTest, compare_pairs
from evaluation.comparison.pairing import shared
from evaluation.comparison.run import Run, read_run
from evaluation.comparison.settings import check_world, differing, read_config

_NAMED = 4


@dataclass(frozen=True)
class Comparison:
    """Several methods on the same dialogues.

    Attributes:
        methods: Highest success first; at least one.
        measures: The columns.
        reference: Name of the method that the others are tested against; empty where none can be.
        named: Whether the reference was named, not chosen by the results.
        tests: Every other method against the reference; a family is one measure, over these tests
            if the reference was named, else over all pairs.
        pairs: All pairs of methods; a family is one measure.
        world: Facts of what was talked about, by name.
        notes: What a reader must know: runs left out, unfinished, not shared.
    """

    methods: tuple[Method, ...]
    measures: tuple[Measure, ...]
    reference: str
    named: bool
    tests: tuple[PairedTest, ...]
    pairs: tuple[PairedTest, ...]
    world: dict[str, str]
    notes: tuple[str, ...]

    def method(self, name: str) -> Method:
        """A method by name."""
        return next(method for method in self.methods if method.name == name)


def compare_runs(
    paths: Sequence[Path],
    against: str | None = None,
    metrics: Sequence[str] | None = None,
    texts: bool = False,
) -> Comparison:
    """Compare the runs in these directories.

    Runs with equal settings but the seed are one method; the dialogues of its seeds are pooled.

    Args:
        paths: Run directories, directories with runs inside, or patterns of such.
        against: Name of the method that the others are tested against; None for the one with the
            highest success (at prefixes alone, accuracy) that is not told the goal; the tests are
            then corrected over all pairs, since it was chosen by the results.
        metrics: Keys of the metrics to show; None for the usual ones that any method has.
        texts: Whether transcripts and learning curves are read too.

    Raises:
        ComparisonError: There is no run, or the runs cannot be compared.
        RecordError: A file of a run is corrupt.
    """
    run_dirs = find_runs(paths)
    if not run_dirs:
        raise ComparisonError("no runs were given; give directories that train.py wrote")
    names = names_of(run_dirs)
    _check_worlds(run_dirs)
    runs = [read_run(d, name, texts) for d, name in zip(run_dirs, names, strict=True)]
    notes = [note for run in runs for note in run.notes]
    runs = [run for run in runs if run.dialogues or run.prefixes]
    if not runs:
        raise ComparisonError(
            f"no finished dialogue in {', '.join(names[:_NAMED])}; finish the runs first"
        )
    methods = tuple(make_methods(runs))
    without, told = _differences(runs)
    notes += [note for method in methods for note in method.notes] + told
    reference = _reference(methods, against)
    tests = _against(methods, reference, without)
    pairs = compare_pairs(list(combinations(methods, 2)), without)
    if against is None:
        tests = _corrected_as(pairs, tests)
    notes += _unshared(methods, reference)
    return Comparison(
        methods=methods,
        measures=_measures(methods, metrics),
        reference=reference,
        named=against is not None,
        tests=tests,
        pairs=tuple(pairs),
        world=_world(runs),
        notes=tuple(notes),
    )


def _check_worlds(run_dirs: Sequence[Path]) -> None:
    """Refuse dialogues of several worlds; prefixes are the same everywhere, and left aside."""
    configs = [(read_config(run_dir), str(run_dir)) for run_dir in run_dirs]
    talks = [found for found in configs if not found[0].get("prefixes")] or configs
    check_world([config for config, _ in talks], [name for _, name in talks])


def _against(
    methods: Sequence[Method], reference: str, without: Sequence[str]
) -> tuple[PairedTest, ...]:
    base = next((method for method in methods if method.name == reference), None)
    if base is None:
        return ()
    others = [method for method in methods if method is not base]
    return tuple(compare_pairs([(other, base) for other in others], without))


def _corrected_as(
    pairs: Sequence[PairedTest], tests: Sequence[PairedTest]
) -> tuple[PairedTest, ...]:
    """The tests with the corrected p that they have among all pairs.

    The best method of the sample is likely a lucky one: only a family that holds whatever else
    could have become the reference keeps its error rate.
    """
    family = {(test.key, frozenset((test.first, test.second))): test.p_holm for test in pairs}
    return tuple(
        replace(test, p_holm=family[test.key, frozenset((test.first, test.second))])
        for test in tests
    )


def _reference(methods: Sequence[Method], against: str | None) -> str:
    names = [method.name for method in methods]
    if against is not None:
        if against not in names:
            raise ComparisonError(
                f"there is no method {against!r} to compare against; there are {', '.join(names)}"
            )
        return against
    able: list[Method] = []
    for key in ("success_rate", "next_action_accuracy"):  # methods are in the order of the first
        able = able or [method for method in methods if method.cell(key).value is not None]
    fair = [method for method in able if not method.privileged] or able
    return fair[0].name if fair else ""


def _measures(methods: Sequence[Method], metrics: Sequence[str] | None) -> tuple[Measure, ...]:
    present = {
        key for method in methods for key, cell in method.cells.items() if cell.value is not None
    }
    if metrics is None:
        return tuple(measure for measure in SHOWN if measure.key in present)
    known = dict.fromkeys(key for method in methods for key in method.cells)
    for key in metrics:
        if key not in known:
            raise ComparisonError(
                f"no run has the metric {key!r}; there are {', '.join(sorted(known))}"
            )
    return tuple(measure_of(key) for key in dict.fromkeys(metrics))


def _differences(runs: Sequence[Run]) -> tuple[list[str], list[str]]:
    """Measures that cannot be tested since runs differ beside the planner, and what to say."""
    known = [run.config for run in runs if run.config["env"]]
    found = differing(known) if known else []
    keys = [key for key in found if not key.startswith("planner.")]
    notes = [
        f"{run.name} has no config.yaml: its method is named by its directory, its settings are "
        f"unknown."
        for run in runs
        if not run.config["env"]
    ]
    if keys:
        named = ", ".join(keys[:_NAMED]) + (
            f" and {len(keys) - _NAMED} more" if keys[_NAMED:] else ""
        )
        notes.append(f"The runs differ in more than the planner: {named}. Read the rows so.")
    without = ["return"] if any(key.startswith("reward.") for key in keys) else []
    if without:
        notes.append("Returns are not tested, since the reward's settings differ.")
    return without, notes


def _unshared(methods: Sequence[Method], reference: str) -> list[str]:
    """What to say about dialogues that a method does not share with the reference."""
    base = next((method for method in methods if method.name == reference), None)
    if base is None:
        return []
    notes, parts = [], []
    for method in methods:
        if method is base or not method.dialogues:
            continue
        common = shared(method, base)
        if not len(common):
            notes.append(
                f"{method.name} shares no dialogue with {reference} (seeds "
                f"{_listed(method.seeds)} and {_listed(base.seeds)}): no tests."
            )
        elif common.left_out:
            parts.append(f"{method.name} {len(common)} of its {len(method.dialogues)}")
    if parts:
        notes.append(
            f"Tests use only dialogues that both methods hold. Shared with {reference} "
            f"({len(base.dialogues)} dialogues): {'; '.join(parts)}."
        )
    return notes


def _listed(seeds: Sequence[int]) -> str:
    return ", ".join(map(str, seeds))


def _world(runs: Sequence[Run]) -> dict[str, str]:
    held = [run for run in runs if run.dialogues] or runs
    config: Any = next((run for run in held if run.config["env"]), held[0]).config
    if not config["env"]:
        return {"Environment": "unknown: the runs have no config.yaml"}
    catalog = config.get("catalog") or {}
    facts = {"Environment": str(config["env"].get("name") or config["env"].get("id"))}
    if catalog:
        facts["Items"] = f"{catalog.get('items'):,} of {catalog.get('source')}"
    facts["Split"] = str(config.get("split"))
    facts["Turns at most"] = str(config["env"].get("max_turns"))
    return facts
