"""What an experience base is made from, and the hash by which a finished one is known again."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator, Mapping
from dataclasses import asdict
from functools import cache
from pathlib import Path
from typing import Any

from omegaconf import OmegaConf

from catalogs.catalog import Catalog
from envs.world import World
from language.llm.settings import read_settings

SEED = 0
"""Run seed of the dialogues that a base is made of: all runs share one base."""

MADE_BY = "Dreams"
ROOT = Path(__file__).resolve().parents[1]
FOLDERS = (
    "catalogs", "search", "dialogue", "language", "retrieval", "simulators", "rewards", "envs",
    "planners",
)  # fmt: skip
"""Floors whose code decides how a dialogue with Dreams goes."""

IGNORED = (
    "language/prompts/advising.py",
    "simulators/console.py",
    "simulators/human.py",
    *(
        f"planners/experience/{name}.py"
        for name in ("__main__", "advice", "choice", "policy", "settings", "showing", "similarity")
    ),
)
"""Files in them that only read a base, or are for people."""

SUFFIXES = (".py", ".yaml")
ASKED = ("track", "score", "user", "imagine", "refine", "reply", "embed")
"""Roles that a dialogue with Dreams may ask."""

SAMPLING = ("backend", "model", "temperature", "reasoning_effort", "thinking_tokens")
"""What of a role's model decides its answers."""


def dreams_planner(config: Mapping[str, Any]) -> dict[str, Any]:
    """The settings of the Dreams that makes a base: its file's, with what ``experience`` says."""
    group: Any = OmegaConf.load(ROOT / "conf" / "planner" / "dreams.yaml")
    whole = OmegaConf.create({"reward": dict(config["reward"]), "planner": group})
    plain: Any = OmegaConf.to_container(whole, resolve=True)
    experience = config["experience"]
    return {**plain["planner"], **{key: experience[key] for key in ("n_el", "k_el", "n_ex")}}


def base_config(config: Mapping[str, Any]) -> dict[str, Any]:
    """The configuration of the run that makes a base."""
    return {
        **config,
        "planner": dreams_planner(config),
        "simulator": "embedded",
        "seed": SEED,
        "judge": False,
    }


def header_of(config: Mapping[str, Any], world: World) -> dict[str, Any]:
    """A base's header but for its counts; two with the same ``hash`` hold the same dialogues.

    Args:
        config: Of the run that needs the base.
        world: Its catalogue and personas.
    """
    settings = {
        "users": config["experience"]["users"],
        "seed": SEED,
        "env": {key: config["env"][key] for key in ("id", "name", "max_turns", "retrieval")},
        "kwargs": repr(config["env"]["kwargs"]),
        "encoder": config["retrieval"]["encoder"],
        "reward": config["reward"],
        "models": _models(config["llm"]),
        "planner": dreams_planner(config),
    }
    catalog = world.catalog
    found = {
        "catalog": {"name": str(config["env"]["name"]), "items": len(catalog)},
        "personas": _digest([repr(persona) for persona in world.personas]),
        "config": json.loads(json.dumps(settings, default=str)),
        "actions": list(catalog.domain.actions),
        "made_by": MADE_BY,
    }
    found["catalog"]["digest"] = _catalog_digest(catalog)
    return {**found, "hash": _digest([code_digest(), found])}


@cache
def code_digest(root: Path = ROOT) -> str:
    """Of the source files that decide how a dialogue with Dreams goes."""
    return _digest([(name, _digest(path.read_text("utf-8"))) for name, path in _sources(root)])


def _sources(root: Path) -> Iterator[tuple[str, Path]]:
    for folder in FOLDERS:
        for path in sorted((root / folder).rglob("*")):
            name = path.relative_to(root).as_posix()
            if path.suffix in SUFFIXES and name not in IGNORED and path.is_file():
                yield name, path


def _catalog_digest(catalog: Catalog) -> str:
    items = [[i.id, i.title, i.year, i.values, i.plot] for i in catalog.items]
    return _digest([items, catalog.vocabulary, asdict(catalog.domain)])


def _models(llm: Mapping[str, Any]) -> dict[str, Any]:
    """Which models play the roles that a base needs, without where and how they are reached."""
    settings = read_settings(llm)
    found: dict[str, Any] = {
        name: {key: getattr(settings.roles[name], key) for key in SAMPLING}
        for name in ASKED
        if settings.roles[name].is_model
    }
    return {**found, "user_calls": settings.user_calls} if "user" in found else found


def _digest(value: Any) -> str:
    text = json.dumps(value, sort_keys=True, default=str)
    return hashlib.sha256(text.encode()).hexdigest()[:24]
