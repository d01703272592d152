"""Checking command-line overrides before Hydra does: a wrong name is answered with the nearest."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import pairwise
from pathlib import Path
from typing import Any

from hydra import compose, initialize_config_dir
from omegaconf import OmegaConf

from catalogs.nearest import nearest_names

CONF_DIR = Path(__file__).parent
_SWITCH = {"true", "false"}
GROUPS = ("env", "planner", "reward", "logger", "llm", "experiment")


class OverrideError(ValueError):
    """An override that names nothing; the message says what was meant."""


def options(group: str) -> list[str]:
    """Option names of a group."""
    return sorted(path.stem for path in (CONF_DIR / group).glob("*.yaml"))


def check_overrides(arguments: Sequence[str]) -> None:
    """Check ``group=option`` and ``key=value`` overrides.

    Raises:
        OverrideError: A group, an option or a key does not exist; the message names the nearest
            ones. Or an argument sets nothing, or a switch to something else than true or false
            ("no" would be a text, and count as true).
    """
    for before, argument in pairwise(["", *arguments]):
        # A word after a flag is the flag's own ("--cfg job").
        if argument and "=" not in argument and argument[0] not in "-~" and before[:1] != "-":
            raise OverrideError(f"{argument!r} sets nothing{_meant(argument)}")
    pairs = [
        argument.partition("=")
        for argument in arguments
        if "=" in argument and argument[0] not in "-+~"
    ]
    chosen = []
    for name, _, value in pairs:
        if name in GROUPS:
            for option in value.split(","):
                if option not in options(name):
                    raise OverrideError(
                        _unknown(f"{name}={option}", option, options(name), f"{name}=")
                    )
            chosen.append(f"{name}={value.split(',')[0]}")
    defaults = _defaults(chosen)
    for name, _, value in pairs:
        if name not in GROUPS and not name.startswith("hydra") and name not in defaults:
            raise OverrideError(_unknown(name, name, [*defaults, *GROUPS], ""))
        switch = isinstance(defaults.get(name), bool)
        if switch and not {part.strip().lower() for part in value.split(",")} <= _SWITCH:
            raise OverrideError(f"{name} must be true or false, not {value!r}")


def _meant(word: str) -> str:
    """What a word without ``=`` may stand for: the option of a group, or else the form."""
    found = [f"{group}={word}" for group in GROUPS if word in options(group)]
    return f"; did you mean {' or '.join(found)}?" if found else "; write group=option or key=value"


def _defaults(chosen: Sequence[str]) -> dict[str, Any]:
    """Every key of the chosen groups, dotted, with its default."""
    with initialize_config_dir(config_dir=str(CONF_DIR), version_base="1.3"):
        config = compose("config", overrides=list(chosen))
    raw = OmegaConf.to_container(config, resolve=False)
    return dict(_entries(raw, "")) if isinstance(raw, Mapping) else {}


def _entries(raw: Mapping[Any, Any], prefix: str) -> Iterator[tuple[str, Any]]:
    for key, value in raw.items():
        yield f"{prefix}{key}", value
        if isinstance(value, Mapping):
            yield from _entries(value, f"{prefix}{key}.")


def _unknown(given: str, word: str, known: Sequence[str], prefix: str) -> str:
    near = nearest_names(word, known, 3, 0.4)
    by_last_part = {key.rpartition(".")[2]: key for key in known}
    last_part = word.rpartition(".")[2]
    near += [by_last_part[name] for name in nearest_names(last_part, by_last_part, 3)]
    near = list(dict.fromkeys(near))[:3]
    listed = near or list(known)[:12]
    what = "did you mean" if near else "there are"
    return f"no {given!r}; {what} {', '.join(prefix + name for name in listed)}?"
