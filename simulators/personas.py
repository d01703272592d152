"""Personas: the ten named users of the benchmark, as data (``personas.yaml``)."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from pathlib import Path

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
    personas = []
    for entry in raw["personas"]:
        place = f"{path}: persona {entry.get('name', '?')!r}"
        try:
            style = Style(entry["emotion"], entry["age"])
            personas.append(
                Persona(
                    entry["name"],
                    entry["description"],
                    style,
                    parse_behaviour(entry["behaviour"], place),
                )
            )
        except KeyError as error:
            raise ValueError(f"{place}: missing {error}") from error
    names = [persona.name for persona in personas]
    if len(set(names)) < len(names):
        raise ValueError(f"{path}: two personas share a name: {', '.join(names)}")
    return tuple(personas)


@cache
def bundled_personas() -> tuple[Persona, ...]:
    """The ten personas of the benchmark, in the order that episodes use them."""
    return load_personas(PERSONA_FILE)
