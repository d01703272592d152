"""User acts as language models write them: names instead of numbers."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, Literal

from pydantic import BaseModel, ConfigDict

from catalogs.catalog import Catalog
from dialogue.acts import (
    ACCEPT,
    CORRECT,
    DETAILS,
    DISLIKE,
    LIKE,
    NOMORE,
    REJECT,
    SEEN,
    SIGH,
    VAGUE,
    Kind,
    UserAct,
    UserActs,
)

KindName = Literal[
    "LIKE", "DISLIKE", "VAGUE", "CORRECT", "EVADE", "NOMORE", "REJECT", "SEEN", "DETAILS", "SIGH",
    "ACCEPT", "QUIT", "OTHER",
]  # fmt: skip
_ABOUT_ITEM = frozenset({REJECT, SEEN, DETAILS, ACCEPT})
_TWO_VALUES = frozenset({VAGUE, CORRECT})
_NEEDS_VALUE = frozenset({LIKE, DISLIKE, VAGUE, CORRECT})

KINDS = """\
LIKE facet value: wants it. DISLIKE facet value: does not want it.
VAGUE facet value other: a word that may mean either value.
CORRECT facet value other: wants value, takes back other.
EVADE facet: does not answer the question about it.
NOMORE facet: has nothing (more) to say about it.
REJECT: turns down the item offered; facet and value if a reason is given (the value it has).
SEEN: knows the item already. DETAILS: asks about the item before deciding. ACCEPT: takes the item.
SIGH value: shows impatience, level "1", "2" or "3". QUIT: gives up and leaves.
OTHER: says nothing about any of this."""
"""What the kinds mean, for prompts."""


class ActOut(BaseModel):
    """One act; what a kind does not use is null."""

    model_config = ConfigDict(extra="forbid")

    kind: KindName
    facet: str | None
    value: str | None
    other: str | None


def write_acts(catalog: Catalog, acts: UserActs) -> list[dict[str, Any]]:
    """Acts by name, in the shape of :class:`ActOut`; :func:`read_acts` reads them back."""
    return [_write(catalog, act) for act in acts]


def _write(catalog: Catalog, act: UserAct) -> dict[str, Any]:
    kind, facet, value, other = act
    found: dict[str, Any] = {"kind": Kind(kind).name, "facet": None, "value": None, "other": None}
    if kind == SIGH:
        return {**found, "value": str(facet)}
    if facet >= 0:
        found["facet"] = catalog.domain.facets[facet].name
        if value >= 0:
            found["value"] = catalog.value(facet, value)
        if other >= 0 and kind in _TWO_VALUES:
            found["other"] = catalog.value(facet, other)
    return found


def read_acts(catalog: Catalog, written: Iterable[ActOut], item: int) -> UserActs:
    """Acts by number, in order.

    Values that the catalogue does not have mean nothing to it and are left out with their act, as
    the embedded tracker leaves out words that it does not know; so are reactions to an item where
    none is under discussion. Of a REJECT without a known value the reason's facet is kept.

    Args:
        catalog: Whose facets and values are named.
        written: What the model answered.
        item: Item under discussion, -1 if none.

    Raises:
        ValueError: A facet does not exist, or an act lacks its facet or value.
    """
    acts = [_read(catalog, act, item) for act in written]
    return tuple([act for act in acts if act is not None])


def _read(catalog: Catalog, act: ActOut, item: int) -> UserAct | None:
    kind = int(Kind[act.kind])
    if kind == SIGH:
        return UserAct(SIGH, _level(act))
    if kind in _ABOUT_ITEM and item < 0:
        return None
    facet = -1 if act.facet is None else _facet(catalog, act.facet)
    if kind in _NEEDS_VALUE:
        return _about_value(catalog, kind, facet, act)
    if kind == NOMORE and facet < 0:
        raise ValueError(f"{act.kind} needs the facet that it is about")
    if kind in _ABOUT_ITEM:
        if kind != REJECT or facet < 0:
            return UserAct(kind, other=item)
        return UserAct(REJECT, facet, value_of(catalog, facet, act.value), item)
    return UserAct(kind, facet) if kind in (int(Kind.EVADE), NOMORE) else UserAct(kind)


def _about_value(catalog: Catalog, kind: int, facet: int, act: ActOut) -> UserAct | None:
    if facet < 0 or act.value is None:
        raise ValueError(f"{act.kind} needs a facet and a value")
    value = value_of(catalog, facet, act.value)
    if kind not in _TWO_VALUES:
        return UserAct(kind, facet, value) if value >= 0 else None
    other = value_of(catalog, facet, act.other)
    if value < 0 or other < 0:
        # Half of a pair that is known says what a plain wish says.
        known = value if kind == CORRECT else max(value, other)
        return UserAct(LIKE, facet, known) if known >= 0 else None
    return UserAct(kind, facet, value, other)


def _level(act: ActOut) -> int:
    if act.value not in ("1", "2", "3"):
        raise ValueError('the level of a SIGH is its value, "1", "2" or "3"')
    return int(act.value)


def _facet(catalog: Catalog, name: str) -> int:
    """Index of a facet by its name or its word (``director``, ``Director``, ``actor``)."""
    wanted = name.strip().casefold()
    for index, facet in enumerate(catalog.domain.facets):
        if wanted in (facet.name.casefold(), facet.singular.casefold(), facet.plural.casefold()):
            return index
    names = ", ".join(facet.name for facet in catalog.domain.facets)
    raise ValueError(f"there is no facet {name[:40]!r}; the facets are {names}")


def value_of(catalog: Catalog, facet: int, name: str | None) -> int:
    """Index of a value by its name, whatever the case, or by a synonym; -1 if there is none."""
    if name is None:
        return -1
    ids = catalog.value_ids[facet]
    if name in ids:
        return ids[name]
    wanted = name.strip().casefold()
    for word, index in ids.items():
        if word.casefold() == wanted:
            return index
    for word, synonyms in catalog.domain.facets[facet].synonyms.items():
        if wanted in synonyms and word in ids:
            return ids[word]
    return -1
