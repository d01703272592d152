"""Personas: the ten named users of the benchmark, as data (``personas.yaml``)."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

import yaml

from language.voice import Style
from simulators.behaviour import Behaviour, parse_behaviour

PERSONA_FILE = Path(__file__).parent / "personas.yaml"


@dataclass(frozen=True, slots=True)
class Persona:
    """A named user: who speaks (emotion and age group, dreams §A.9's lineage) and how it behaves.

    Attributes:
        name: Unique name.
        description: One sentence about the person.
        style: How its text sounds.
        behaviour: What it does.
    """

    name: str
    description: str
    style: Style
    behaviour: Behaviour


def load_personas(path: Path) -> tuple[Persona, ...]:
    """Read personas from a YAML file; ValueError names the file, the persona and the field."""
    raw = yaml.safe_load(path.read_text(encoding="utf-8"))
    if (
        not isinstance(raw, dict)
        or not isinstance(raw.get("personas"), list)
        or not raw["personas"]
    ):
        raise ValueError(f"{path}: expected a list under 'personas'")
    personas = [_persona(entry, path) for entry in raw["personas"]]
    names = [persona.name for persona in personas]
    if len(set(names)) < len(names):
        raise ValueError(f"{path}: two personas share a name: {', '.join(names)}")
    return tuple(personas)


def _persona(entry: Any, path: Path) -> Persona:
    if not isinstance(entry, dict):
        raise ValueError(f"{path}: a persona must be a mapping, not {entry!r}")
    place = f"{path}: persona {entry.get('name', '?')!r}"
    try:
        style = Style(entry["emotion"], entry["age"])
        name, description, behaviour = entry["name"], entry["description"], entry["behaviour"]
    except KeyError as error:
        raise ValueError(f"{place}: missing {error}") from error
    except ValueError as error:
        raise ValueError(f"{place}: {error}") from error
    return Persona(name, description, style, parse_behaviour(behaviour, place))


@cache
def bundled_personas() -> tuple[Persona, ...]:
    """The ten personas of the benchmark, in the order that episodes use them."""
    return load_personas(PERSONA_FILE)
