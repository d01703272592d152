"""``sweep.yaml``: what a sweep is, by which it is continued without stating it again."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import yaml

from conf.jobs import OWN, Plan
from conf.kinds import settle_kind
from conf.overrides import SWEEPING, is_resumed, spelled, stated, sweep_experiment
from conf.resume import CONFIG, is_volatile, what_differs
from conf.run_errors import RunError
from evaluation.run_dir import write_whole
from evaluation.summary import SUMMARY

SWEEP = "sweep.yaml"


def with_earlier(arguments: Sequence[str]) -> list[str]:
    """The command line; that of the sweep to continue, where it does not say what the sweep is.

    What may differ between a run and its continuation, such as ``workers=1``, may be said beside
    ``sweep_dir=DIR resume=true`` and has the last word.

    Raises:
        RunError: The directory holds no sweep, its file cannot be read, or a word would make
            another sweep of it.
    """
    place = stated(arguments, "sweep_dir")
    if place is None or not is_resumed(arguments):
        return list(arguments)
    more = [word for word in arguments if word not in SWEEPING and _key(word) not in OWN]
    own = [word for word in arguments if _key(word) in OWN]
    restated = bool(set(SWEEPING) & set(arguments)) or sweep_experiment(arguments) is not None
    other = [word for word in more if not is_volatile(_key(word))]
    path = Path(place) / SWEEP
    if restated and (other or not path.exists()):
        return list(arguments)
    kept = kept_sweep(path)["arguments"]
    if other:
        raise RunError(
            f"{' '.join(other)} would make another sweep than that in {place}; leave it out, or "
            f"state the sweep in full (with -m, or its experiment)"
        )
    return [*_without(kept, more), *more, *own]


def check_continuation(sweep_dir: Path, planned: Plan) -> None:
    """Check that a continued sweep states all that was begun in its directory, and as it was.

    Raises:
        RunError: The comparison, and whoever continues the sweep next, would lose runs.
    """
    path = sweep_dir / SWEEP
    if path.exists():
        _check_left_out(sweep_dir, planned, kept_sweep(path)["jobs"])
    others = []
    for job in planned.jobs:
        run_dir = sweep_dir / job.name
        if not (run_dir / CONFIG).exists():
            continue
        config = settle_kind({**job.config, "run_dir": str(run_dir), "resume": planned.resume})
        if keys := what_differs(run_dir, config):
            others.append(f"{run_dir / CONFIG} is of another run ({keys} differ)")
    if others:
        more = f", and so are {len(others) - 1} more" if len(others) > 1 else ""
        raise RunError(
            f"{others[0]}{more}; continue the sweep with the settings that it was begun with "
            f"({spelled('sweep_dir', str(sweep_dir))} resume=true takes them), or give another "
            f"sweep_dir"
        )


def _check_left_out(sweep_dir: Path, planned: Plan, earlier: Sequence[str]) -> None:
    stated_now = {job.name for job in planned.jobs}
    left_out = [name for name in earlier if name not in stated_now and _begun(sweep_dir / name)]
    if not left_out:
        return
    finished = sum((sweep_dir / name / SUMMARY).exists() for name in left_out)
    begun = len(left_out) - finished
    counts = [f"{n} {what}" for n, what in ((finished, "finished"), (begun, "begun")) if n]
    raise RunError(
        f"{' and '.join(counts)} runs of the sweep in {sweep_dir} are not in this one "
        f"({', '.join(left_out[:3])}{', …' if left_out[3:] else ''}): state them too, or give "
        f"another sweep_dir and compare both with compare.py"
    )


def _begun(run_dir: Path) -> bool:
    return run_dir.is_dir() and any(run_dir.iterdir())


def keep_sweep(sweep_dir: Path, planned: Plan) -> None:
    """Write what the sweep is, for readers and to be continued without stating it again."""
    jobs = {job.name: " ".join(job.overrides) for job in planned.jobs}
    text = yaml.safe_dump(
        {"arguments": list(planned.arguments), "jobs": jobs}, sort_keys=False, allow_unicode=True
    )
    write_whole(sweep_dir / SWEEP, text)


def kept_sweep(path: Path) -> dict[str, Any]:
    """What a sweep's file says: ``arguments``, a list of words, and ``jobs`` by name.

    Raises:
        RunError: It is not there, or was changed by hand.
    """
    try:
        raw = yaml.safe_load(path.read_text(encoding="utf-8"))
    except FileNotFoundError as error:
        raise RunError(
            f"{path} is not there, so nothing tells what the sweep is; state it again"
        ) from error
    except OSError as error:
        raise RunError(
            f"{path} cannot be read ({error.strerror}); make it readable, or give another sweep_dir"
        ) from error
    except (ValueError, RecursionError, yaml.YAMLError) as error:
        raise _unusable(path, " ".join(str(error).split())) from error
    if not isinstance(raw, dict):
        raise _unusable(path, "it is no mapping")
    arguments, jobs = raw.get("arguments"), raw.get("jobs")
    if not isinstance(arguments, list) or not all(isinstance(word, str) for word in arguments):
        raise _unusable(path, "'arguments' is no list of texts")
    if not isinstance(jobs, dict) or not jobs or not all(isinstance(name, str) for name in jobs):
        raise _unusable(path, "'jobs' names no job")
    return {"arguments": arguments, "jobs": jobs}


def _unusable(path: Path, problem: str) -> RunError:
    return RunError(f"{path} cannot be read ({problem}); delete it and state the sweep again")


def _without(earlier: Sequence[str], more: Sequence[str]) -> list[str]:
    """The earlier words without those that others replace: of the same key, or of that group."""
    keys = [_key(word) for word in more]
    return [
        word
        for word in earlier
        if not any(_key(word) == key or _key(word).startswith(f"{key}.") for key in keys)
    ]


def _key(word: str) -> str:
    return word.lstrip("+~").partition("=")[0]
