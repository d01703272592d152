"""Domains as data: which facets items have, how acceptance uses them, and which actions follow."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal

import yaml

Match = Literal["all", "any"]
DOMAIN_DIR = Path(__file__).parent / "domains"
FIXED_ACTIONS = ("FailureReflection", "ItemRec", "ItemExplanation")
"""Actions of every domain, after its inquiries (dreams Table 6)."""

MOST_VALUES = 100
"""Largest ``goal_size`` and ``goal_min``: imagining a goal takes a draw for each value."""


class DomainError(ValueError):
    """A domain description that cannot be used.

    The message names the file, the key and the remedy.
    """


@dataclass(frozen=True, slots=True)
class Facet:
    """One attribute of the items that a user can have preferences about.

    Attributes:
        name: Identifier, also the default column of item files (``genre``).
        match: How acceptance uses the goal's values: ``all`` of them or ``any`` one (dreams §A.10).
        inquiry: Name of the system action that asks about this facet (dreams Table 6).
        singular: The word for one value in text (``actor``).
        plural: The word for several values.
        person: Whether the values are names of people (shown as written, never lower-cased).
        goal_size: Largest number of values in a derived goal; 0 means all values of the item set.
        goal_min: Smallest number of values that an item set needs to become a derived goal.
        synonyms: Other words for a value, by value (lower-case words, used by the lexicon).
        vague: Words that fit several values, by word; the values a user may have meant.
    """

    name: str
    match: Match
    inquiry: str
    singular: str
    plural: str
    person: bool = False
    goal_size: int = 0
    goal_min: int = 1
    synonyms: dict[str, tuple[str, ...]] = field(default_factory=dict)
    vague: dict[str, tuple[str, ...]] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Domain:
    """What a catalogue's items are and what can be asked about them.

    The discrete actions follow from the facets, in this order: one inquiry per facet, then
    ``FailureReflection``, ``ItemRec`` and ``ItemExplanation`` (dreams Table 6).
    """

    name: str
    noun: str
    nouns: str
    facets: tuple[Facet, ...]

    @property
    def n_facets(self) -> int:
        """Number of facets F; inquiries are the actions ``0 .. F-1``."""
        return len(self.facets)

    @property
    def reflect(self) -> int:
        """Index of the action FailureReflection."""
        return len(self.facets)

    @property
    def recommend(self) -> int:
        """Index of the action ItemRec."""
        return len(self.facets) + 1

    @property
    def explain(self) -> int:
        """Index of the action ItemExplanation."""
        return len(self.facets) + 2

    @property
    def actions(self) -> tuple[str, ...]:
        """Action names by index, length F + 3."""
        inquiries = tuple(facet.inquiry for facet in self.facets)
        return (*inquiries, *FIXED_ACTIONS)

    def facet_index(self, name: str) -> int:
        """Index of the facet called ``name``; KeyError names the ones there are."""
        for index, facet in enumerate(self.facets):
            if facet.name == name:
                return index
        raise KeyError(
            f"domain {self.name!r} has no facet {name!r}; it has "
            f"{', '.join(facet.name for facet in self.facets)}"
        )


def load_domain(source: str | Path) -> Domain:
    """Read a domain from a YAML file, or a bundled one by its name (``movie``, ``book``).

    Raises:
        DomainError: The file is missing, is not YAML, or lacks or misuses a key.
    """
    path = Path(source)
    if path.suffix not in {".yaml", ".yml"}:
        path = DOMAIN_DIR / f"{source}.yaml"
    try:
        raw = yaml.safe_load(path.read_text(encoding="utf-8"))
    except FileNotFoundError as error:
        bundled = ", ".join(sorted(p.stem for p in DOMAIN_DIR.glob("*.yaml")))
        raise DomainError(
            f"no domain file {path}; give a YAML file or one of: {bundled}"
        ) from error
    except OSError as error:
        raise DomainError(f"{path}: cannot be read: {error.strerror}; give a YAML file") from error
    except (yaml.YAMLError, ValueError, RecursionError) as error:
        raise DomainError(f"{path}: not a YAML file of UTF-8 text: {error}") from error
    return parse_domain(raw, str(path))


def parse_domain(raw: Any, place: str = "domain") -> Domain:
    """Build a domain from the mapping that a YAML file holds; ``place`` names it in errors."""
    raw = _mapping(raw, place)
    _check_keys(raw, _DOMAIN_KEYS, place)
    facets_raw = raw.get("facets")
    if not isinstance(facets_raw, list) or not facets_raw:
        raise DomainError(f"{place}: 'facets' must be a list with at least one facet")
    facets = tuple(_facet(entry, f"{place}: facets[{i}]") for i, entry in enumerate(facets_raw))
    names = [facet.name for facet in facets]
    inquiries = [facet.inquiry for facet in facets]
    for what, given in (("name", names), ("inquiry", inquiries)):
        if len(set(given)) < len(given):
            raise DomainError(f"{place}: two facets share a {what}: {', '.join(given)}")
    taken = next((name for name in inquiries if name in FIXED_ACTIONS), None)
    if taken is not None:
        raise DomainError(f"{place}: {taken!r} is an action of every domain; rename the inquiry")
    noun = _text(raw, "noun", place)
    nouns = _text(raw, "nouns", place, noun + "s")
    return Domain(_text(raw, "name", place), noun, nouns, facets)


_DOMAIN_KEYS = {"name", "noun", "nouns", "facets"}
_FACET_KEYS = {
    "name",
    "match",
    "inquiry",
    "singular",
    "plural",
    "person",
    "goal_size",
    "goal_min",
    "synonyms",
    "vague",
}


def _facet(raw: Any, place: str) -> Facet:
    raw = _mapping(raw, place)
    _check_keys(raw, _FACET_KEYS, place)
    name = _text(raw, "name", place)
    match = raw.get("match")
    if match not in ("all", "any"):
        raise DomainError(f"{place}: 'match' must be all or any, not {match!r}")
    singular = _text(raw, "singular", place, name)
    return Facet(
        name=name,
        match=match,
        inquiry=_text(raw, "inquiry", place, name.title().replace("_", "") + "Inquiry"),
        singular=singular,
        plural=_text(raw, "plural", place, singular + "s"),
        person=_flag(raw, "person", place),
        goal_size=_count(raw, "goal_size", 0, place),
        goal_min=_count(raw, "goal_min", 1, place),
        synonyms=_words(raw, "synonyms", place),
        vague=_words(raw, "vague", place),
    )


def _mapping(raw: Any, place: str) -> dict[str, Any]:
    if not isinstance(raw, dict):
        raise DomainError(f"{place}: expected a mapping, found {type(raw).__name__}")
    return raw


def _check_keys(raw: dict[str, Any], known: set[str], place: str) -> None:
    unknown = next((key for key in raw if key not in known), None)
    if unknown is not None:
        raise DomainError(f"{place}: unknown key {unknown!r}; known: {', '.join(sorted(known))}")


def _flag(raw: dict[str, Any], key: str, place: str) -> bool:
    value = raw.get(key, False)
    if not isinstance(value, bool):
        raise DomainError(f"{place}: {key!r} must be true or false, not {value!r}")
    return value


def _text(raw: dict[str, Any], key: str, place: str, default: str | None = None) -> str:
    value = raw.get(key, default)
    if not isinstance(value, str) or not value.strip():
        raise DomainError(f"{place}: {key!r} must be a non-empty text")
    return value.strip()


def _count(raw: dict[str, Any], key: str, default: int, place: str) -> int:
    value = raw.get(key, default)
    if not isinstance(value, int) or isinstance(value, bool) or not 0 <= value <= MOST_VALUES:
        raise DomainError(
            f"{place}: {key!r} must be a whole number in 0..{MOST_VALUES}, not {value!r:.60}"
        )
    return value


def _words(raw: dict[str, Any], key: str, place: str) -> dict[str, tuple[str, ...]]:
    table = _mapping(raw.get(key, {}), f"{place}: {key}")
    result: dict[str, tuple[str, ...]] = {}
    for word, others in table.items():
        if not isinstance(others, list) or not all(isinstance(other, str) for other in others):
            raise DomainError(f"{place}: {key}[{word!r}] must be a list of texts")
        result[str(word)] = tuple(others)
    return result
