"""Settings of runs: which make two runs the same method, and which the same world."""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

import yaml

from evaluation.canonical import canonical_line
from evaluation.comparison.errors import ComparisonError
from evaluation.comparison.finding import CONFIG
from evaluation.records import RECORDS

Config = Mapping[str, Any]

WORLD = ("env", "split", "simulator", "catalog")
"""What decides who is talked to, about which items: it must be the same everywhere."""

_REACHING = ("base_url", "api_key_env", "timeout_s", "price_in", "price_out")
PASSING = frozenset({
    *WORLD, "seed", "label", "run_dir", "resume", "workers", "runner", "logger", "episodes",
    "judge", "prefixes", "sweep", "sweep_dir", "ray", "data.dir", "data.strict",
    "experience",  # how a base is made: experience_hash says which it is
    "planner.load", "planner.parallel", "planner.trace", "planner.trace_depth",
    "planner.trace_visits",
    "llm.max_cost_usd", "llm.max_calls", "llm.parallel", "llm.record", "llm.replay", "llm.cache",
    "llm.max_attempts", "llm.backoff_s", "llm.concurrency", *(f"llm.{key}" for key in _REACHING),
})  # fmt: skip
"""What says how, when and where a run was made, and about whom; not which method it was."""


MOST = 20_000
"""Values of a configuration at most; a small file can stand for endlessly many (aliases)."""
_LARGEST = 2**256


def read_config(run_dir: Path) -> dict[str, Any]:
    """``config.yaml`` of a run, or what stands for it where ``evaluation.runner`` was called.

    Raises:
        ComparisonError: It is unreadable or no configuration of ``train.py``, or it is missing and
            there are no records either.
    """
    path = run_dir / CONFIG
    if not path.exists() and (run_dir / RECORDS).is_file():
        return unconfigured(run_dir)
    try:
        config = yaml.safe_load(path.read_text(encoding="utf-8"))
    except FileNotFoundError as error:
        raise ComparisonError(
            f"{path} is missing, so nothing tells which method this is; restore it, or leave "
            f"{run_dir} out"
        ) from error
    except (OSError, ValueError, RecursionError, yaml.YAMLError) as error:
        problem = " ".join(str(error).split())
        raise ComparisonError(f"{path} cannot be read ({problem}); restore it") from error
    groups = [config.get(key) for key in ("env", "planner")] if isinstance(config, dict) else []
    if not groups or not all(isinstance(group, dict) for group in groups):
        raise ComparisonError(f"{path} is not the configuration of a run of train.py; restore it")
    if not isinstance(config["planner"].get("name"), str):
        raise ComparisonError(f"{path} does not say planner.name; restore it")
    _check_values(path, config)
    return dict(config)


def unconfigured(run_dir: Path) -> dict[str, Any]:
    """Settings of a run without any: its directory names the method, its records tell the seed.

    Directories that differ only in a ``-seedN`` at the end are of one method.
    """
    with (run_dir / RECORDS).open(encoding="utf-8", errors="replace") as file:
        found = re.search(r'"seed": ?(-?[0-9]+)', file.readline())
    name = re.sub(r"-seed[0-9]+$", "", run_dir.resolve().name)
    return {"planner": {"name": name}, "env": {}, "seed": int(found.group(1)) if found else None}


def _check_values(path: Path, config: Mapping[Any, Any]) -> None:
    """Refuse what ``train.py`` writes into no configuration, and what has no end."""
    waiting: list[tuple[str, Any]] = [("", config)]
    for _ in range(MOST):
        if not waiting:
            return
        name, value = waiting.pop()
        if isinstance(value, dict) and all(map(_is_setting, value)):
            waiting += [(f"{name}.{key}"[-99:], inner) for key, inner in value.items()]
        elif isinstance(value, list):
            waiting += [(name, inner) for inner in value]
        elif not _is_setting(value):
            raise ComparisonError(
                f"{path}: {name.strip('.')} is no setting of a run ({type(value).__name__} out of "
                f"place or out of range); restore it"
            )
    raise ComparisonError(f"{path} holds more than {MOST} values; restore it")


def _is_setting(value: Any) -> bool:
    if isinstance(value, float):
        return math.isfinite(value)
    if isinstance(value, int):
        return abs(value) < _LARGEST
    return value is None or isinstance(value, str)


def label_of(config: Config) -> str:
    """The method's name: ``label``, else the planner's."""
    return str(config.get("label") or config["planner"]["name"])


def flat(config: Config, prefix: str = "") -> dict[str, Any]:
    """Nested settings by dotted name; lists and empty groups are values."""
    found: dict[str, Any] = {}
    for key, value in config.items():
        name = f"{prefix}{key}"
        if isinstance(value, Mapping) and value:
            found |= flat(value, f"{name}.")
        elif not (isinstance(value, Mapping) or value is None):
            found[name] = value
    return found  # without null and empty groups: what is missing is as good as null


def method_settings(config: Config) -> dict[str, Any]:
    """The settings, by dotted name, that make a run one of its method."""
    return {key: value for key, value in flat(config).items() if not _passing(key)}


def identity(config: Config) -> str:
    """Equal for runs of one method, whatever their seed."""
    return canonical_line({"label": label_of(config), "settings": method_settings(config)}).decode()


def _passing(key: str) -> bool:
    parts = key.split(".")
    if any(".".join(parts[:n]) in PASSING for n in range(1, len(parts) + 1)):
        return True
    return key.startswith("llm.roles.") and parts[-1] in _REACHING


def differing(configs: Sequence[Config], keys: Iterable[str] = ()) -> list[str]:
    """Dotted names of the settings in which configurations differ, in their order.

    Args:
        configs: At least one.
        keys: Top-level groups to look at; all method settings when there are none.
    """
    groups = tuple(keys)
    tables = [
        flat({key: config.get(key) for key in groups}) if groups else method_settings(config)
        for config in configs
    ]
    names = dict.fromkeys(name for table in tables for name in table)
    return [name for name in names if len({repr(table.get(name)) for table in tables}) > 1]


def check_world(configs: Sequence[Config], names: Sequence[str]) -> None:
    """Refuse runs about different items, users or splits, as far as they have settings.

    Raises:
        ComparisonError: They differ; the message names the first two that do, and in what.
    """
    configured = [pair for pair in zip(configs, names, strict=True) if pair[0]["env"]]
    configs, names = [pair[0] for pair in configured], [pair[1] for pair in configured]
    for config, name in zip(configs[1:], names[1:], strict=True):
        keys = [k for k in WORLD if k != "catalog" or (configs[0].get(k) and config.get(k))]
        different = differing((configs[0], config), keys)
        if different:
            key = different[0]
            here, there = flat(configs[0]).get(key), flat(config).get(key)
            raise ComparisonError(
                f"{names[0]} and {name} cannot be compared: {key} is {_said(here)} in one and "
                f"{_said(there)} in the other; compare runs on the same items, users and split"
            )


def _said(value: Any) -> str:
    return "null" if value is None else f"{value!r:.60}"
