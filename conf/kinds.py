"""What a run is made of: dialogues with simulated users, dialogues with a person, or prefixes."""

from __future__ import annotations

import sys
from collections.abc import Callable, Mapping
from functools import partial
from pathlib import Path
from typing import Any

from conf.environments import OWN
from conf.judging import is_judged
from conf.models import model_settings
from conf.policies import is_learning
from conf.run_errors import RunError
from evaluation.canonical import canonical_line
from evaluation.prefixes.data import CATALOG, read_prefixes
from evaluation.prefixes.env import SPLIT, PrefixEnv
from evaluation.records import read_records
from evaluation.run_dir import write_whole

SIMULATORS = ("embedded", "human")
PREFIXES = "prefixes.jsonl"
"""What a run of prefixes leaves, a line a prefix; empty until the run is finished."""

_TOLD = (
    "schema", "episode", "seed", "split", "prefix", "outcome", "action", "item", "gold", "rule",
    "right", "preferred", "due", "asks", "useful", "redundant", "premature", "legal",
)  # fmt: skip
"""Keys of a record that the file repeats; ``outcome`` is ``failed`` for want of a model."""

_FILMS = ("redial", "opendialkg_movie")
"""Environments that the bundled films stand in for."""


def is_human(config: Mapping[str, Any]) -> bool:
    """Whether a person plays the user."""
    return bool(config["simulator"] == "human")


def is_prefixes(config: Mapping[str, Any]) -> bool:
    """Whether prefixes are scored instead of holding dialogues."""
    return bool(config["prefixes"])


def unit_noun(config: Mapping[str, Any]) -> str:
    """What the run holds, as a word for people."""
    return "prefixes" if is_prefixes(config) else "dialogues"


def settle_kind(config: dict[str, Any]) -> dict[str, Any]:
    """Check what kind of run is asked for, and return its settings.

    Prefixes are about the bundled films, and so is a policy's training for them: the environment
    is opened over these, whatever data there are.

    Raises:
        RunError: The settings do not go together; the message says which and what to do.
    """
    if config["simulator"] not in SIMULATORS:
        raise RunError(
            f"simulator must be embedded or human, not {config['simulator']!r} (a language model "
            f"as the user is llm.roles.user)"
        )
    if not isinstance(config["prefixes"], bool):
        raise RunError(f"prefixes must be true or false, not {config['prefixes']!r}")
    judged = is_judged(config)
    if is_human(config):
        _check_human(config)
    if not is_prefixes(config):
        return config
    if judged or is_human(config):
        which = "judge=true" if judged else "simulator=human"
        raise RunError(f"prefixes=true holds no dialogues, so {which} has no place; leave one out")
    if config["split"] != SPLIT:
        raise RunError(f"prefixes are of test dialogues: leave split={SPLIT}")
    env = config["env"]
    if not str(env["id"]).startswith(OWN) or env["name"] not in _FILMS:
        raise RunError(
            f"prefixes are about the bundled films: prefixes=true needs "
            f"env={' or env='.join(_FILMS)}"
        )
    return {**config, "env": {**env, "kwargs": {**(env["kwargs"] or {}), "name": CATALOG}}}


def _check_human(config: Mapping[str, Any]) -> None:
    """A person talks in this process, one dialogue at a time, with a policy that is ready."""
    if not str(config["env"]["id"]).startswith(OWN):
        raise RunError(
            f"simulator=human is for the environments of this project, not {config['env']['id']}"
        )
    if sys.stdin is None or sys.stdout is None:
        raise RunError(
            "simulator=human reads standard input and writes standard output, and one of them is "
            "closed; start it in a terminal, or with a file of lines as its input"
        )
    if config["runner"] != "local":
        raise RunError("simulator=human holds its dialogues in this process: leave runner=local")
    if config["workers"] not in ("auto", 1):
        raise RunError(
            f"workers={config['workers']}: a person holds one dialogue at a time; "
            f"leave workers=auto"
        )
    planner = config["planner"]
    if is_learning(config) and planner["load"] is None:
        raise RunError(
            f"an agent cannot be trained on a person: train it first (planner={planner['name']} "
            f"without simulator=human), then give planner.load=RUN_DIR/agent.zip"
        )


def count_prefixes(config: Mapping[str, Any], env: Any) -> int:
    """Number of prefixes that the run scores.

    Raises:
        RunError: ``episodes`` asks for more than there are.
    """
    there, asked = len(read_prefixes(env.unwrapped.catalog)), config["episodes"]
    if asked is not None and asked > there:
        raise RunError(f"episodes={asked}: there are {there} prefixes; leave it out for all")
    return there if asked is None else int(asked)


def prefix_env_factory(config: Mapping[str, Any]) -> Callable[[], PrefixEnv]:
    """A picklable factory of the environment of prefixes."""
    return partial(
        PrefixEnv,
        config["env"]["retrieval"],
        config["retrieval"]["encoder"],
        model_settings(config),
    )


def write_prefix_file(run_dir: Path, finished: bool) -> None:
    """Write ``prefixes.jsonl`` from the records, or an empty one while the run goes on."""
    records = read_records(run_dir) if finished else []
    lines = [{key: record.get(key) for key in _TOLD} for record in records]
    write_whole(run_dir / PREFIXES, b"".join(map(canonical_line, lines)).decode("utf-8"))
