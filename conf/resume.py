"""``config.yaml`` of a run: written once, and compared with the settings of its continuation."""

from __future__ import annotations

import copy
import os
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import yaml

from conf.groups import GROUPS, check_groups
from conf.overrides import spelled
from conf.run_errors import RunError
from evaluation.records import RECORDS
from evaluation.run_dir import write_whole
from language.llm.call import ROLES

CONFIG = "config.yaml"
REACHING = ("base_url", "api_key_env", "timeout_s", "price_in", "price_out")
"""Where and how a model is reached, how long it is waited for, and its price: not which it is."""

VOLATILE = (
    "resume", "run_dir", "sweep", "sweep_dir", "judge", "workers", "runner", "ray", "logger",
    "episodes", "experience.dir", "experience.rebuild",
    "llm.max_cost_usd", "llm.max_calls", "llm.parallel", "llm.record", "llm.cache",
    "llm.max_attempts", "llm.backoff_s", "llm.concurrency",
    *(f"llm.{key}" for key in REACHING),
    *(f"llm.roles.{role}.{key}" for role in ROLES for key in REACHING),
)  # fmt: skip
"""Keys that may differ between a run and its continuation; a dotted one is a part of its group.

Patience with a model is among them: who reads that it was not enough can raise it and continue. So
is its address, which a server that was started again may have changed.
"""

NAMED = 5
"""Keys that a refusal names at most."""

FOUND = ("catalog", "experience_hash")
"""Keys that a run adds to its settings when it has opened its items."""


def keep_config(run_dir: Path, config: Mapping[str, Any]) -> None:
    """Write ``config.yaml``, or check on resume that the run is the same one, on the same items.

    Raises:
        RunError: The directory is of a run with other settings, or its file cannot be read.
    """
    path = run_dir / CONFIG
    if not path.exists():
        write_whole(path, yaml.safe_dump(dict(config), sort_keys=False, allow_unicode=True))
        return
    changed = list(_changed(_fixed(_read(path)), _fixed(config)))
    if changed:
        raise RunError(
            f"{path} is of another run ({_listed(changed)} differ); "
            f"resume with the same settings, or give another run_dir"
        )


def what_differs(run_dir: Path, config: Mapping[str, Any]) -> str | None:
    """Keys in which a run that has not been opened yet differs from ``config.yaml``, as a text.

    None where they agree, or nothing was kept yet.

    Raises:
        RunError: The file cannot be read.
    """
    path = run_dir / CONFIG
    if not path.exists():
        return None
    earlier = {key: value for key, value in _read(path).items() if key not in FOUND}
    changed = list(_changed(_fixed(earlier), _fixed(config)))
    return _listed(changed) if changed else None


def how_to_continue(config: Mapping[str, Any]) -> str:
    """What to tell who has interrupted a run."""
    run_dir = config.get("run_dir")
    if not isinstance(run_dir, str) or not os.path.exists(Path(run_dir) / CONFIG):
        return "before anything was kept; start it again"
    return f"resume=true {spelled('run_dir', run_dir)} continues the run"


def _listed(keys: Sequence[str]) -> str:
    return ", ".join(keys[:NAMED]) + (", …" if len(keys) > NAMED else "")


def _changed(earlier: Mapping[str, Any], now: Mapping[str, Any], prefix: str = "") -> Iterator[str]:
    """Dotted keys of the settings that differ; one that is missing is as good as null."""
    for key in dict.fromkeys([*now, *earlier]):
        one, other = earlier.get(key), now.get(key)
        if isinstance(one, Mapping) and isinstance(other, Mapping):
            yield from _changed(one, other, f"{prefix}{key}.")
        elif one != other:
            yield f"{prefix}{key}"


def continued(config: dict[str, Any], stated: Sequence[str] | None) -> dict[str, Any]:
    """The settings of the run to resume, with what was ``stated`` on the command line changed.

    ``resume=true run_dir=DIR`` is enough to continue a run; stating a setting that makes another
    run of it is left for the check of ``config.yaml`` to refuse. A run that was stopped before it
    had that file has nothing to lose, and is started by its settings.

    Raises:
        RunError: Nothing tells what the run is, or its file cannot be used.
    """
    if stated is None:
        return config
    names = [override.lstrip("+~").partition("=")[0] for override in stated]
    if not (config["resume"] is True and config["run_dir"] and all(map(is_volatile, names))):
        return config
    path = Path(str(config["run_dir"])) / CONFIG
    if not path.exists():
        raise RunError(_nothing_there(path))
    earlier = _read(path)
    try:
        check_groups(earlier)
    except RunError as error:
        problem = str(error).partition("; ")[0]  # the rest is for command lines
        raise RunError(f"{path}: {problem}; restore the file, or remove it") from error
    merged = copy.deepcopy(config)
    for key, value in earlier.items():
        if key in GROUPS and key != "planner":
            merged[key] |= value  # a file of an earlier version may lack a key
        elif key in merged:
            merged[key] = value
    for name in names:
        *groups, key = _unit(name).split(".")
        source, target = config, merged
        for group in groups:
            source = source[group]
            inner = target.get(group)
            target[group] = target = dict(inner) if isinstance(inner, Mapping) else {}
        target[key] = source[key]
    return merged


def check_place(run_dir: Path) -> None:
    """Check that a run to resume would not be put among files of something else.

    A run that was stopped before it had ``config.yaml`` has left nothing else either.

    Raises:
        RunError: The directory holds something, and no run.
    """
    if not run_dir.is_dir() or (run_dir / CONFIG).exists() or (run_dir / RECORDS).exists():
        return
    if any(not entry.name.startswith(CONFIG) for entry in run_dir.iterdir()):
        raise RunError(_nothing_there(run_dir / CONFIG))


def _nothing_there(path: Path) -> str:
    folder = path.parent
    if not folder.is_dir():
        what = f"{folder} does not exist"
    else:
        what = f"{folder} holds no run ({CONFIG})"
    if (folder / "sweep.yaml").exists():
        stated = spelled("sweep_dir", str(folder))
        return f"{what} but a sweep: continue it with {stated} resume=true"
    return (
        f"{what}, so nothing tells what to continue; state its settings without resume=true, in "
        f"a directory that is empty, or check run_dir"
    )


def is_volatile(name: str) -> bool:
    """Whether a key, or all of a group, may differ between a run and its continuation."""
    return _unit(name) in VOLATILE


def _unit(name: str) -> str:
    """What an override changes as a whole: ``logger`` for ``logger.kind``."""
    root = name.partition(".")[0]
    return root if root in VOLATILE else name


def _fixed(config: Mapping[str, Any]) -> dict[str, Any]:
    """The settings without those that may differ."""
    return _without(config, [name.split(".") for name in VOLATILE])


def _without(config: Mapping[str, Any], paths: Iterable[Sequence[str]]) -> dict[str, Any]:
    found = dict(config)
    for key, *rest in paths:
        if not rest:
            found.pop(key, None)
        elif isinstance(found.get(key), Mapping):
            found[key] = _without(found[key], [rest])
    return found


def _read(path: Path) -> dict[str, Any]:
    try:
        earlier = yaml.safe_load(path.read_text(encoding="utf-8"))
    except (OSError, ValueError, RecursionError, yaml.YAMLError) as error:
        problem = " ".join(str(error).split())
        raise RunError(f"{path} cannot be read ({problem}); restore it, or remove it") from error
    if not isinstance(earlier, dict):
        raise RunError(f"{path} is not the configuration of a run; restore it, or remove it")
    return earlier
