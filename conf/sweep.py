"""Running a sweep: job after job in this process, then the comparison of all their runs."""

from __future__ import annotations

import os
import sys
import traceback
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from io import TextIOWrapper
from pathlib import Path
from typing import Any, NoReturn

from rich.console import Console

from conf.jobs import Job, Plan, plan
from conf.kinds import unit_noun
from conf.naming import directory_name, environment_label, method_name, new_directory
from conf.overrides import OverrideError, spelled
from conf.run import leave, run_once
from conf.run_errors import INTERRUPTED, RunError, reason_of, verb_of
from conf.sweep_file import SWEEP, check_continuation, keep_sweep, with_earlier
from evaluation.plaintext import one_line
from evaluation.run_dir import locked
from evaluation.summary import SUMMARY, Summary
from evaluation.table import interval, number

_HEADLINES = {"success_rate": "success", "next_action_accuracy": "next-action accuracy"}
_WORLD = ("env", "split", "simulator")


@dataclass(slots=True)
class _Progress:
    """What became of the jobs so far.

    Attributes:
        finished: Jobs by their run directories.
        failed: Reasons by name.
        current: The job that is running.
        sweep_dir: Where; None before the sweep has begun.
    """

    finished: dict[Path, Job] = field(default_factory=dict)
    failed: dict[str, str] = field(default_factory=dict)
    current: Job | None = None
    sweep_dir: Path | None = None


def run_sweep(arguments: Sequence[str]) -> None:
    """Run a sweep, or what is left of one.

    Ends the process: with code 1 and a message if a job failed, or the sweep cannot start.

    Args:
        arguments: The command line; to continue a sweep, ``sweep_dir=DIR resume=true`` is enough.
    """
    if isinstance(sys.stdout, TextIOWrapper):
        sys.stdout.reconfigure(errors="replace")
    console, progress = Console(), _Progress()
    try:
        planned = plan(with_earlier(arguments))
        progress.sweep_dir = sweep_dir = _directory(planned)
        with locked(sweep_dir):
            check_continuation(sweep_dir, planned)
            keep_sweep(sweep_dir, planned)
            _run_jobs(planned, sweep_dir, console, progress)
            _compare(planned, sweep_dir, console, progress)
    except KeyboardInterrupt:
        _interrupted(progress)
    except Exception as error:
        place = progress.sweep_dir, "sweep_dir"
        reason = str(error) if isinstance(error, OverrideError) else reason_of(error, *place)
        if reason is None:
            raise
        sys.exit(f"train.py: {reason}")
    if progress.failed:
        sys.exit(_failures(planned, sweep_dir, progress))


def _run_jobs(planned: Plan, sweep_dir: Path, console: Console, progress: _Progress) -> None:
    total = len(planned.jobs)
    _say(console, f"{planned.title}: {total} runs below {sweep_dir}")
    if any(_limits(job.config) for job in planned.jobs):
        _say(console, "Limits of cost and calls (llm.max_...) hold for each run by itself.")
    for position, job in enumerate(planned.jobs, start=1):
        progress.current = job
        run_dir = sweep_dir / job.name
        before = (run_dir / SUMMARY).exists()
        _say(console, f"job {position} of {total}: {_told(job)}{' (finished before)' * before}")
        config = {**job.config, "run_dir": str(run_dir), "resume": planned.resume}
        try:
            summary = run_once(config, console, brief=True)
        except Exception as error:
            reason = reason_of(error, sweep_dir, "sweep_dir")
            if reason is None:
                traceback.print_exc()
                reason = f"{type(error).__name__}: {error}"
            progress.failed[job.name] = reason
            _say(console, f"  failed: {reason}")
        else:
            progress.finished[run_dir] = job
            _say(console, f"  {_headline(summary, unit_noun(config))}; {run_dir}")
    progress.current = None


def _compare(planned: Plan, sweep_dir: Path, console: Console, progress: _Progress) -> None:
    """Compare what was finished, a comparison for each catalogue, and for each split."""
    # It draws, which is slow to import.
    from evaluation.comparison import ComparisonError, write_comparison
    from evaluation.comparison.settings import identity

    worlds: dict[str, list[Path]] = {}
    for run_dir, job in progress.finished.items():
        worlds.setdefault(_world(job), []).append(run_dir)
    for world, run_dirs in worlds.items():
        folder = sweep_dir if len(worlds) == 1 else sweep_dir / world
        folder.mkdir(exist_ok=True)
        title = planned.title if len(worlds) == 1 else f"{planned.title}: {world}"
        configs = [progress.finished[run_dir].config for run_dir in run_dirs]
        named = {identity(c) for c in configs if method_name(c) == planned.against}
        against = planned.against if len(named) == 1 else None
        if against != planned.against:
            how = "several methods have that name" if named else "none of its runs is finished"
            _say(console, f"The reference is not {planned.against} but the best method: {how}.")
        try:
            write_comparison(run_dirs, folder, title, console, against)
        except ComparisonError as error:
            problem = one_line(str(error))
            raise RunError(f"the runs are finished, but not compared: {problem}") from error
        _say(console, f"Comparison in {folder}: comparison.html and the like")


def _world(job: Job) -> str:
    """What runs must share to be compared, as a name."""
    varied = [
        f"{key.rpartition('.')[2]} {value}"
        for key, value in job.varied.items()
        if key.split(".")[0] in _WORLD and key != "env"
    ]
    return directory_name(environment_label(job.config), *varied)


def _directory(planned: Plan) -> Path:
    """The sweep's directory, made if it is not there.

    Raises:
        RunError: It cannot be made, or holds something and is not to be continued.
    """
    if planned.sweep_dir is None:
        if planned.resume:
            raise RunError("resume=true continues a sweep: say which with sweep_dir=DIR")
        stem = () if planned.name == "sweep" else (planned.name,)
        path = new_directory(*stem)
    else:
        path = Path(planned.sweep_dir)
    try:
        path.mkdir(parents=True, exist_ok=True)
        inside = sorted(entry.name for entry in path.iterdir())
    except OSError as error:
        raise RunError(
            f"sweep_dir={path} cannot be {verb_of(error, path)}: {error.strerror}; "
            f"give a directory that can be written to"
        ) from error
    if inside and not planned.resume:
        raise RunError(
            f"{path} is not empty ({', '.join(inside[:3])}{', …' if inside[3:] else ''}); add "
            f"resume=true to continue the sweep in it, or give another sweep_dir"
        )
    return path


def _interrupted(progress: _Progress) -> NoReturn:
    done = f"{len(progress.finished)} jobs are finished"
    how = f"{spelled('sweep_dir', str(progress.sweep_dir))} resume=true continues the sweep"
    begun = progress.sweep_dir is not None and os.path.exists(progress.sweep_dir / SWEEP)
    what = f"{done}; {how}" if begun else "before the sweep had begun"
    sys.stderr.write(f"train.py: interrupted, {what}\n")
    if progress.current is None:  # no job is running, so nothing waits for a model
        sys.exit(INTERRUPTED)
    leave(progress.current.config)


def _failures(planned: Plan, sweep_dir: Path, progress: _Progress) -> str:
    told = "; ".join(f"{name}: {reason}" for name, reason in progress.failed.items())
    return (
        f"train.py: {len(progress.failed)} of {len(planned.jobs)} jobs failed ({told}). What is "
        f"finished is kept; {spelled('sweep_dir', str(sweep_dir))} resume=true tries the others "
        f"again"
    )


def _told(job: Job) -> str:
    """A job in a line: environment, method, seed, and what else tells it from the others."""
    told = [environment_label(job.config), method_name(job.config)]
    named = ("env", "planner", "label", "seed")
    told += [f"{key}={value}" for key, value in job.varied.items() if key not in named]
    return ", ".join([*told, f"seed {job.config['seed']}"])


def _headline(summary: Summary, what: str) -> str:
    """The main figure of a run; ``what`` it is over in words, such as dialogues."""
    key = next((key for key in _HEADLINES if summary.get(key) is not None), None)
    if key is None:
        return f"{summary.get('episodes', 0)} episodes"
    bounds = interval(summary.get(f"{key}_ci"))
    value = f"{_HEADLINES[key]} {number(summary[key])}{f' {bounds}' if bounds else ''}"
    return f"{value}, {summary['episodes']} {what}" if "episodes" in summary else value


def _limits(config: Mapping[str, Any]) -> bool:
    return any(config["llm"][key] is not None for key in ("max_cost_usd", "max_calls"))


def _say(console: Console, text: str) -> None:
    console.print(text, markup=False, highlight=False, soft_wrap=True)
