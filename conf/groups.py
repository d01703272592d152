"""The settings as a whole: groups are groups, names are texts, the planner is one that there is."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cache
from typing import Any, get_args

import yaml

from catalogs.nearest import nearest_hint
from conf.overrides import CONF_DIR, options
from conf.run_errors import RunError
from evaluation.logging import LoggerKind

GROUPS = (
    "env", "planner", "reward", "logger", "llm", "ray", "experience", "data", "retrieval"
)  # fmt: skip
"""Keys of the whole configuration whose values have keys of their own."""

_NAMES = {
    "run_dir": "the name of a directory",
    "data.dir": "the name of a directory",
    "experience.dir": "a folder or null",
    "planner.load": "the name of an agent's file",
    "label": "a text that names the method",
}
"""Texts that people name things by, and what each must be."""


def with_names(config: dict[str, Any], stated: Sequence[str] = ()) -> dict[str, Any]:
    """The settings with names that are numbers, such as ``run_dir=2024``, as texts.

    Args:
        config: All settings.
        stated: The overrides that they were composed of: ``2024_01`` is a number to Hydra, and its
            name is what was typed.
    """
    for name in _NAMES:
        group, _, key = name.rpartition(".")
        inside = config.get(group) if group else config
        value = inside.get(key) if isinstance(inside, Mapping) else None
        if not isinstance(value, int | float) or isinstance(value, bool):
            continue
        typed = [word.partition("=")[2] for word in stated if word.partition("=")[0] == name]
        text = typed[-1].strip() if typed else str(value)
        config = {**config, **({group: {**config[group], key: text}} if group else {key: text})}
    return config


def check_settings(config: Mapping[str, Any]) -> None:
    """Find settings that no part of a run could read, before any does.

    Raises:
        RunError: A group is none, a name is no text, or a setting of no group's own is of another
            kind than it must be.
    """
    check_groups(config)
    for name, what in _NAMES.items():
        group, _, key = name.rpartition(".")
        value = (config[group] if group else config).get(key)
        if value is not None and (not isinstance(value, str) or not value.strip()):
            raise RunError(f"{name} must be {what}, not {value!r}")
    for name, value in (("resume", config["resume"]), ("data.strict", config["data"]["strict"])):
        if not isinstance(value, bool):
            raise RunError(f"{name} must be true or false, not {value!r}")
    kind, kinds = config["logger"]["kind"], get_args(LoggerKind)
    if kind not in kinds:
        raise RunError(f"logger.kind must be one of {', '.join(kinds)}, not {kind!r}")
    encoder = config["retrieval"]["encoder"]
    if not isinstance(encoder, str):
        raise RunError(f"retrieval.encoder must be embedded, openai or minilm, not {encoder!r}")
    if not isinstance(config["reward"]["terms"], Mapping):
        raise RunError(_no_group("reward.terms", config["reward"]["terms"]))
    discount = config["reward"]["discount"]
    number = isinstance(discount, int | float) and not isinstance(discount, bool)
    if not number or not 0 <= discount <= 1:
        raise RunError(f"reward.discount must be a number from 0 to 1, not {discount!r}")


def check_groups(config: Mapping[str, Any]) -> None:
    """Check that every group that is there is one, and that the planner has what it is made of.

    Raises:
        RunError: The message names the key.
    """
    for group in GROUPS:
        if group in config and not isinstance(config[group], Mapping):
            raise RunError(_no_group(group, config[group]))
    if "planner" in config:
        _check_planner(config["planner"])


def _check_planner(planner: Mapping[str, Any]) -> None:
    name, known = planner.get("name"), options("planner")
    if not isinstance(name, str) or name not in known:
        hint = nearest_hint(name, known) if isinstance(name, str) else ""
        raise RunError(f"planner.name is {name!r}, which is no planner{hint}; see planner=NAME")
    for key, default in _planner_file(name).items():
        if key not in planner:
            raise RunError(f"planner.{key} is missing, which {name} needs; choose planner={name}")
        if isinstance(default, Mapping) and not isinstance(planner[key], Mapping):
            raise RunError(_no_group(f"planner.{key}", planner[key], "constants"))


@cache
def _planner_file(name: str) -> Mapping[str, Any]:
    raw = yaml.safe_load((CONF_DIR / "planner" / f"{name}.yaml").read_text(encoding="utf-8"))
    bases = [base for base in raw.pop("defaults", ()) if isinstance(base, str) and base != "_self_"]
    return {key: value for part in (*map(_planner_file, bases), raw) for key, value in part.items()}


def _no_group(name: str, value: Any, of: str = "settings") -> str:
    return f"{name} must be a group of {of}, not {value!r}; {name}.KEY=VALUE changes one"
