"""The jobs of a sweep: every combination of what its command line, or its experiment, lists.

``-m`` takes lists as Hydra does (``seed=0,1,2``, ``seed=range(3)``). An experiment is a sweep if
its file has a key ``sweep``:

    title: what the comparison is headed with
    over: {seed: "0,1,2"}      # lists; the command line may state others
    methods:                   # overrides that belong together; each row is run with each of `over`
      - [planner=dreams, planner.n_el=5, "label='Dreams, 5 simulations'"]
    against: dreams            # what the comparison tests the others against; the best if left out
    trace_first_seed: true     # runs of the first seed keep trees and thoughts (planner.trace)

Everything is composed and checked before anything is run.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from itertools import islice, product
from math import prod
from typing import Any

from hydra.core.override_parser.types import Override
from hydra.errors import HydraException

from conf.groups import check_settings, with_names
from conf.naming import directory_name, environment_label, method_name
from conf.overrides import (
    CONF_DIR,
    SWEEPING,
    OverrideError,
    check_overrides,
    composed_of,
    parsed,
    sweep_experiment,
)

OWN = ("sweep_dir", "resume")
"""Keys of a sweep as a whole."""

_AGAINST = "sweep.against"
_KEYS = ("title", "over", "methods", "against", "trace_first_seed")
MOST = 10_000
"""Jobs of a sweep at most: more are a slip of the keyboard, and would be months of work."""

_IN_EVERY_NAME = ("env", "planner", "label", "seed", "experiment")


@dataclass(frozen=True, slots=True)
class Job:
    """One run of a sweep.

    Attributes:
        name: Of its directory below the sweep's.
        overrides: What its own command line would be.
        config: Its composed settings.
        varied: What tells it from other jobs, by key.
    """

    name: str
    overrides: tuple[str, ...]
    config: dict[str, Any]
    varied: Mapping[str, str]


@dataclass(frozen=True, slots=True)
class Plan:
    """A sweep, checked and not begun.

    Attributes:
        title: What the comparison is headed with.
        against: Name of the method that the others are tested against, None for the best.
        name: Of the experiment, else ``sweep``.
        jobs: In the order in which they are run.
        sweep_dir: As stated, None for a new one.
        resume: As stated.
        arguments: The command line without :data:`OWN`, by which it can be planned again.
    """

    title: str
    against: str | None
    name: str
    jobs: tuple[Job, ...]
    sweep_dir: str | None
    resume: bool
    arguments: tuple[str, ...]


@dataclass(slots=True)
class _Definition:
    """The key ``sweep`` of an experiment."""

    title: str = "Sweep"
    over: dict[str, str] = field(default_factory=dict)
    methods: list[list[str]] = field(default_factory=list)
    against: str | None = None
    trace_first_seed: bool = False


def plan(arguments: Sequence[str]) -> Plan:
    """Plan the sweep of a command line.

    Raises:
        OverrideError: Something in it, or in one of its jobs, names nothing or cannot be combined.
    """
    words = [word for word in arguments if word not in SWEEPING]
    _check_words(words)
    given = _parse(words)
    own = {key: given.pop(key) for key in (*OWN, _AGAINST) if key in given}
    experiment = sweep_experiment(words)
    if experiment is not None and len(given["experiment"]) > 1:
        raise OverrideError(f"experiment={experiment} is a sweep of its own; run it by itself")
    definition = _Definition() if experiment is None else _definition(experiment)
    if _AGAINST in own:
        definition.against = _text(own, _AGAINST)
    jobs = _jobs(definition, given)
    # Methods that the command line chooses may lack the reference that the file names.
    strict = _AGAINST in own or "planner" not in given
    against = _against(definition.against, jobs, strict)
    kept = tuple(w for w in arguments if w.partition("=")[0] not in OWN)
    return Plan(
        definition.title, against, experiment or "sweep", tuple(jobs), _text(own, "sweep_dir"),
        _text(own, "resume") == "true", kept,
    )  # fmt: skip


def _against(name: str | None, jobs: Sequence[Job], strict: bool) -> str | None:
    """The reference, if a job has its name.

    Raises:
        OverrideError: None has, and ``strict``.
    """
    names = list(dict.fromkeys(method_name(job.config) for job in jobs))
    if name is None or name in names:
        return name
    if strict:
        raise OverrideError(
            f"{_AGAINST}={name}: no method of the sweep has this name; there are "
            f"{', '.join(names)}; or null for the best one"
        )
    return None


def _check_words(words: Sequence[str]) -> None:
    for word in words:
        key, _, _ = word.partition("=")
        if word.startswith("-"):
            raise OverrideError(f"{word} cannot be combined with a sweep")
        if key.startswith(("hydra/", "hydra.sweep", "hydra.launcher", "hydra.mode", "hydra.run")):
            raise OverrideError(
                f"{key}: the jobs of a sweep run one after the other in this process, each in its "
                f"directory below sweep_dir; leave it out"
            )
        if key == "run_dir":
            raise OverrideError("run_dir is for one run; say where a sweep goes with sweep_dir=DIR")


def _parse(words: Sequence[str]) -> dict[str, list[str]]:
    """By key, the overrides that it stands for: several where it lists values."""
    found = {}
    for word in words:
        if "=" not in word and not word.startswith("~"):
            check_overrides([word])  # says what it may stand for
        override = parsed(word)
        found[override.get_key_element().lstrip("+")] = _options(override)
    return found


def _options(override: Override) -> list[str]:
    if not override.is_sweep_override():
        return [str(override.input_line)]
    if not override.is_discrete_sweep():
        raise OverrideError(f"{override.input_line}: list the values, as in key=1,2,3 or range(3)")
    key = override.get_key_element()
    try:
        values = list(islice(override.sweep_string_iterator(), MOST + 1))
    except HydraException as error:  # glob() looks for files, which only Hydra's own sweeps do
        raise OverrideError(
            f"{override.input_line}: list the values, as in key=1,2,3 or range(3)"
        ) from error
    if not values:
        raise OverrideError(f"{override.input_line} lists no value, so there is nothing to run")
    return [f"{key}={value}" for value in values]


def _text(own: Mapping[str, list[str]], key: str) -> str | None:
    """The value of a key that a sweep has once."""
    options = own.get(key)
    if options is None:
        return None
    if len(options) > 1:
        raise OverrideError(f"{key} holds for the whole sweep; give one value")
    check_overrides(options)
    value = options[0].partition("=")[2].strip("'\"")
    if value == "null":
        return None
    named = parsed(options[0]).value()
    if key == "sweep_dir" and (isinstance(named, bool) or not isinstance(named, str | int | float)):
        raise OverrideError(f"{key} must be the name of a directory, not {value}")
    if not value.strip():
        raise OverrideError(f"{key} must be a name or null, not {value!r}")
    return value.lower() if key == "resume" else value


def _definition(experiment: str) -> _Definition:
    path = CONF_DIR / "experiment" / f"{experiment}.yaml"
    raw = composed_of((f"experiment={experiment}",))["sweep"]
    unknown = [key for key in raw if key not in _KEYS]
    if unknown:
        raise OverrideError(f"{path}: sweep has no {unknown[0]!r}; it has {', '.join(_KEYS)}")
    made = _Definition(**raw)
    rows = made.methods
    if not all(any(cell.startswith("planner=") for cell in row) for row in rows):
        raise OverrideError(f"{path}: each row of sweep.methods needs planner=NAME")
    return made


def _jobs(definition: _Definition, given: Mapping[str, list[str]]) -> list[Job]:
    """All combinations: of an experiment a catalogue and a seed at a time, methods innermost."""
    lists = _parse([f"{key}={value}" for key, value in definition.over.items()])
    dimensions = {**lists, **given}
    rows: list[list[str]] = [[]]
    if definition.methods:
        rows = _rows(definition.methods, dimensions.pop("planner", None))
        first = [key for key in ("env", "seed") if key in dimensions]
        dimensions = {key: dimensions[key] for key in dict.fromkeys([*first, *dimensions])}
    varied = [key for key, options in dimensions.items() if len(options) > 1]
    count = prod(map(len, dimensions.values())) * len(rows)
    if count > MOST:
        raise OverrideError(f"the sweep has {count} jobs or more; list fewer values ({MOST} jobs)")
    names: dict[str, int] = {}
    made = []
    for cells in product(*dimensions.values()):
        chosen = dict(zip(dimensions, cells, strict=True))
        for row in rows:
            kept = [cell for cell in row if cell.partition("=")[0] not in chosen]
            overrides = (*_groups_first(cells), *kept)
            seeds = dimensions.get("seed", [])
            traced = definition.trace_first_seed and chosen.get("seed") in (None, *seeds[:1])
            told = {key: chosen[key].partition("=")[2] for key in varied}
            made.append(_job(overrides, told, traced and "planner.trace" not in chosen, names))
    _check_different(made)
    return made


def _check_different(jobs: Sequence[Job]) -> None:
    """Refuse the same run twice: its dialogues would count twice."""
    earlier: dict[str, Job] = {}
    for job in jobs:
        other = earlier.setdefault(repr(job.config), job)
        if other is not job:
            raise OverrideError(
                f"two jobs are the same run ({' '.join(other.overrides)}, and "
                f"{' '.join(job.overrides)}); list each value once"
            )


def _rows(rows: Sequence[Sequence[str]], planners: Sequence[str] | None) -> list[list[str]]:
    """The methods of an experiment; with ``planner=...`` on the command line, those alone."""
    if planners is None:
        return [list(row) for row in rows]
    found = []
    for planner in planners:
        own = [list(row) for row in rows if planner in row]
        found += own or [[planner]]
    return found


def _groups_first(cells: Sequence[str]) -> list[str]:
    return sorted(cells, key=lambda cell: not cell.startswith("experiment="))


def _job(
    overrides: tuple[str, ...], varied: Mapping[str, str], traced: bool, names: dict[str, int]
) -> Job:
    try:
        check_overrides(overrides)
        config = with_names(composed_of(overrides), overrides)
    except OverrideError as error:
        raise OverrideError(f"{error} (of the job {' '.join(overrides)})") from error
    check_settings(config)
    config["sweep"] = config["sweep_dir"] = None  # the job is a run like any other
    if traced and "trace" in config["planner"]:
        config["planner"]["trace"] = True
    others = [
        part
        for key, value in varied.items()
        if key not in _IN_EVERY_NAME
        for part in (key.rpartition(".")[2], value)
    ]
    name = directory_name(
        environment_label(config), method_name(config), *others, f"seed{config['seed']}"
    )
    names[name] = names.get(name, 0) + 1
    if names[name] > 1:
        name = f"{name}-{names[name]}"
    return Job(name, overrides, config, dict(varied))
