"""Checking command-line overrides before Hydra does: a wrong name is answered with the nearest."""

from __future__ import annotations

import shlex
from collections.abc import Iterator, Mapping, Sequence
from functools import cache
from itertools import pairwise
from pathlib import Path
from typing import Any

import yaml
from hydra import compose, initialize_config_dir
from hydra.core.override_parser.overrides_parser import OverridesParser
from hydra.core.override_parser.types import Override
from hydra.errors import HydraException
from omegaconf import OmegaConf
from omegaconf.errors import OmegaConfBaseException

from catalogs.nearest import nearest_names

CONF_DIR = Path(__file__).parent
_SWITCH = {"true", "false"}
GROUPS = ("env", "planner", "reward", "logger", "llm", "experiment")

_OWN_ENTRIES = ("env.kwargs.", "llm.roles.", "planner.hyperparameters.", "reward.terms.")
"""Groups whose entries may be taken away; everything else is read by some part of a run."""

SWEEPING = ("-m", "--multirun")
"""Flags that ask for a sweep."""


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
            ("no" would be a text, and count as true). Or it takes away what a run cannot do
            without.
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
    defaults = _defaults(tuple(chosen))
    _check_deletions(arguments, [*defaults, *GROUPS])
    for name, _, value in pairs:
        if name not in GROUPS and not name.startswith("hydra") and name not in defaults:
            raise OverrideError(_unknown(name, name, [*defaults, *GROUPS], ""))
        switch = isinstance(defaults.get(name), bool)
        if switch and not {part.strip().lower() for part in value.split(",")} <= _SWITCH:
            raise OverrideError(f"{name} must be true or false, not {value!r}")


def _check_deletions(arguments: Sequence[str], known: Sequence[str]) -> None:
    for argument in arguments:
        name = argument.removeprefix("~").partition("=")[0]
        may_go = name == "experiment" or name.startswith(_OWN_ENTRIES)
        if argument.startswith("~") and name in known and not may_go:
            raise OverrideError(
                f"{argument}: a run needs {name}; set it to something else, as in {name}=VALUE"
            )


def check_single(arguments: Sequence[str]) -> None:
    """Check the command line of one run.

    Raises:
        OverrideError: As :func:`check_overrides`, or it lists values, has a sweep's directory, or
            is nothing that Hydra can compose.
    """
    check_overrides(arguments)
    flagged = any(argument.startswith("-") for argument in arguments)
    for argument in arguments:
        key, _, value = argument.partition("=")
        if key in ("sweep_dir", "sweep.against") and value != "null":
            raise OverrideError(
                f"{key} is for sweeps: add -m, or name an experiment that is one; the directory "
                f"of one run is run_dir"
            )
        if not flagged and parsed(argument).is_sweep_override():
            raise OverrideError(f"{argument} lists several values; add -m to run each of them")
    if not flagged:  # what a flag makes of the words after it, Hydra alone knows
        composed_of(tuple(arguments))


def is_sweep(arguments: Sequence[str]) -> bool:
    """Whether a command line asks for a sweep: by ``-m``, its experiment, or to continue one."""
    if set(SWEEPING) & set(arguments) or sweep_experiment(arguments):
        return True
    return stated(arguments, "sweep_dir") is not None and is_resumed(arguments)


def is_resumed(arguments: Sequence[str]) -> bool:
    """Whether a command line continues something."""
    return (stated(arguments, "resume") or "").lower() == "true"


def sweep_experiment(arguments: Sequence[str]) -> str | None:
    """The experiment that makes a sweep of a command line, if one does."""
    names = (stated(arguments, "experiment") or "").split(",")
    return next((name for name in names if name in options("experiment") and _sweeps(name)), None)


def stated(arguments: Sequence[str], key: str) -> str | None:
    """The last value of a key on a command line, None where it has none or is null."""
    found = [word.partition("=")[2] for word in arguments if word.partition("=")[0] == key]
    return found[-1].strip("'\"") if found and found[-1] != "null" else None


@cache
def _sweeps(experiment: str) -> bool:
    path = CONF_DIR / "experiment" / f"{experiment}.yaml"
    raw = yaml.safe_load(path.read_text(encoding="utf-8"))
    return isinstance(raw, dict) and "sweep" in raw


def parsed(word: str) -> Override:
    """An override as Hydra reads it.

    Raises:
        OverrideError: It cannot; Hydra's own message has several lines.
    """
    try:
        return OverridesParser.create().parse_override(word)
    except HydraException as error:
        problem = " ".join(str(error).split("See http")[0].split()).rstrip(".")
        key, _, value = word.partition("=")
        opened = set("'\"[]{}") & set(value)
        remedy = "close its quotes and brackets" if opened else f"write {_quoted(key, value)}"
        raise OverrideError(f"{word}: {problem}; {remedy}") from error


def composed_of(overrides: tuple[str, ...]) -> dict[str, Any]:
    """The whole configuration with overrides, as plain values.

    Raises:
        OverrideError: They cannot be combined, or refer to what is not there.
    """
    try:
        with initialize_config_dir(config_dir=str(CONF_DIR), version_base="1.3"):
            config = compose("config", list(overrides))
        plain: Any = OmegaConf.to_container(config, resolve=True)
    except (HydraException, OmegaConfBaseException, ValueError) as error:
        raise OverrideError(" ".join(str(error).split())) from error
    return dict(plain)


def spelled(key: str, text: str) -> str:
    """What to type in a shell so that a key has a text as its value."""
    try:
        plain = str(OverridesParser.create().parse_override(f"{key}={text}").value()) == text
    except HydraException:
        plain = False
    return shlex.quote(f"{key}={text}") if plain else _quoted(key, text)


def _quoted(key: str, text: str) -> str:
    """An override whose value is quoted for Hydra, and as a whole for the shell."""
    inner = text.replace("'", "\\'")
    simple = not set("\"'$`\\!") & set(text)
    return f"\"{key}='{inner}'\"" if simple else shlex.quote(f"{key}='{inner}'")


def _meant(word: str) -> str:
    """What a word without ``=`` may stand for: the option of a group, or else the form."""
    found = [f"{group}={word}" for group in GROUPS if word in options(group)]
    return f"; did you mean {' or '.join(found)}?" if found else "; write group=option or key=value"


@cache
def _defaults(chosen: tuple[str, ...]) -> dict[str, Any]:
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
    same = [by_last_part[last_part]] if last_part in by_last_part else []
    near = list(dict.fromkeys([*same, *near]))[:3]
    listed = near or list(known)[:12]
    what = "did you mean" if near else "there are"
    return f"no {given!r}; {what} {', '.join(prefix + name for name in listed)}?"
