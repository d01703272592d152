"""What requests bring, checked: shapes first, then numbers against the catalogue."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Annotated, Any, TypeVar

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from catalogs.catalog import Catalog
from dialogue.acts import Kind
from dialogue.snapshot import preferences_from, set_view_state
from dialogue.state import PreferenceState
from dialogue.view import DialogueView
from envs.world import World

M = TypeVar("M", bound=BaseModel)

LONGEST_TEXT = 20_000
"""Characters of an utterance."""

MOST_TURNS = 1_000
"""Turns of a dialogue."""

Text = Annotated[str, Field(max_length=LONGEST_TEXT)]
Index = Annotated[int, Field(ge=-1)]
Count = Annotated[int, Field(ge=0, le=10 * MOST_TURNS)]
Share = Annotated[float, Field(ge=0, le=1)]
Pair = Annotated[list[int], Field(min_length=2, max_length=2)]
Bits = Annotated[str, Field(pattern=r"^(0x)?[0-9a-f]+$", max_length=1_000_000)]


Lines = Annotated[
    list[Annotated[list[Text], Field(min_length=2, max_length=2)]],
    Field(max_length=2 * MOST_TURNS),
]


class InputError(ValueError):
    """A request holds what cannot be used; the message names the field and what belongs there."""


class Shape(BaseModel):
    """A part of a request. Nothing is converted: a text is no number."""

    model_config = ConfigDict(strict=True, frozen=True)


class CatalogIn(Shape):
    """Arguments that open a catalogue (``Catalog.origin``), and its number of items if given."""

    name: str
    data_dir: str | None = None
    domain: str | None = None
    items: str | None = None
    strict: bool = True
    n_items: int | None = None


class PreferencesIn(Shape):
    """The slots of a ``PreferenceState``, each with one entry per facet."""

    model_config = ConfigDict(strict=True, frozen=True, extra="forbid")

    likes: list[list[int]]
    dislikes: list[list[int]]
    doubts: list[list[int]]
    ambiguous: list[list[Pair]]
    withdrawn: list[list[int]]
    corrected: list[bool]
    evasions: list[Count]
    closed: list[bool]
    best: list[Share]


class ViewIn(Shape):
    """What ``dialogue.snapshot.view_state`` gives; finished exchanges are not read."""

    turn: Count
    last_action: Index
    streak: Count
    rejections: Count
    seen: Count
    explained: Count
    just_rejected: bool
    details: Index
    impatience: Annotated[int, Field(ge=0, le=3)]
    ended: bool
    invalid: Count
    offered: Bits
    asked: list[Count]
    offers: list[Pair]
    reason: Pair
    preferences: PreferencesIn


def checked(shape: type[M], raw: object, place: str) -> M:
    """A part of a request in its shape.

    Raises:
        InputError: It does not fit; the message names the first field that is wrong.
    """
    try:
        return shape.model_validate(raw)
    except ValidationError as error:
        first = error.errors(include_url=False, include_input=False, include_context=False)[0]
        where = ".".join([place, *map(str, first["loc"])])
        raise InputError(f"{where}: {first['msg']}") from None


def restore_view(raw: object, world: World) -> DialogueView:
    """The public view that a client described with ``dialogue.snapshot.view_state``.

    It uses the structured retriever, which alone decides assessments whatever is shared, as
    rollouts do; its turn limit is the longest that there is, for a client's own is no part of its
    public facts. Suggested scores are not read: embedded roles compute their own.

    Raises:
        InputError: It does not fit the catalogue.
    """
    found = checked(ViewIn, raw, "inputs.view")
    _check_view(found, world.catalog)
    view = DialogueView(world.catalog, world.structured, "text", 200)
    assert isinstance(raw, Mapping)
    set_view_state(view, {**raw, "exchanges": [], "suggested": None})
    return view


def restore_preferences(found: PreferencesIn, catalog: Catalog, place: str) -> PreferenceState:
    """Tracked preferences that fit the catalogue.

    Raises:
        InputError: They do not.
    """
    check_preferences(found, catalog, place)
    return preferences_from(found.model_dump())


def check_preferences(found: PreferencesIn, catalog: Catalog, place: str) -> None:
    """InputError unless each slot has an entry per facet, of the facet's values."""
    for name in PreferencesIn.model_fields:
        check_per_facet(getattr(found, name), catalog, f"{place}.{name}")
    for name in ("likes", "dislikes", "doubts", "withdrawn"):
        for f, values in enumerate(getattr(found, name)):
            check_values(values, f, catalog, f"{place}.{name}")
    for f, pairs in enumerate(found.ambiguous):
        for pair in pairs:
            check_values(pair, f, catalog, f"{place}.ambiguous")


def _check_view(found: ViewIn, catalog: Catalog) -> None:
    place, n_facets, n_items = "inputs.view", catalog.domain.n_facets, len(catalog)
    check_preferences(found.preferences, catalog, f"{place}.preferences")
    check_per_facet(found.asked, catalog, f"{place}.asked")
    bits(found.offered, catalog, f"{place}.offered")
    _below(found.last_action, n_facets + 3, f"{place}.last_action")
    _below(found.details, n_items, f"{place}.details")
    for item, kind in found.offers:
        _in_range(item, n_items, f"{place}.offers")
        _in_range(kind, len(Kind), f"{place}.offers")
    facet, value = found.reason
    if facet < 0:
        if (facet, value) != (-1, -1):
            raise InputError(f"{place}.reason: {[facet, value]} names no facet")
        return
    _in_range(facet, n_facets, f"{place}.reason")
    if value != -1:
        check_values([value], facet, catalog, f"{place}.reason")


def check_per_facet(entries: Sequence[Any], catalog: Catalog, place: str) -> None:
    """InputError unless there is an entry per facet."""
    n_facets = catalog.domain.n_facets
    if len(entries) != n_facets:
        raise InputError(f"{place}: {len(entries)} entries for {n_facets} facets")


def check_values(values: Iterable[int], facet: int, catalog: Catalog, place: str) -> None:
    """InputError unless these are indices of the facet's vocabulary."""
    size = len(catalog.vocabulary[facet])
    for value in values:
        if not 0 <= value < size:
            name = catalog.domain.facets[facet].name
            raise InputError(f"{place}: {short(value)} is no {name}; there are {size}")


def bits(text: str, catalog: Catalog, place: str) -> int:
    """A bit set of items from its hexadecimal text."""
    found = int(text, 16)
    if found & ~catalog.everything:
        raise InputError(f"{place}: names items beyond the catalogue's {len(catalog)}")
    return found


def check_item(item: int, catalog: Catalog, place: str = "inputs.item") -> None:
    """InputError unless this is an item's index or -1."""
    _below(item, len(catalog), place)


def check_action(action: int, catalog: Catalog) -> None:
    """InputError unless this is an action's index or -1."""
    _below(action, len(catalog.domain.actions), "inputs.action")


def check_system_action(action: int, catalog: Catalog) -> None:
    """InputError unless this is an action's index."""
    _in_range(action, len(catalog.domain.actions), "inputs.action")


def check_subject(action: int, item: int, catalog: Catalog) -> None:
    """InputError unless there is an item where the action is about one."""
    check_item(item, catalog)
    if action > catalog.domain.reflect and item < 0:
        raise InputError(f"inputs.item: {catalog.domain.actions[action]} needs an item")


def check_goal(values: Sequence[Sequence[int]], catalog: Catalog, place: str) -> None:
    """InputError unless these are value indices, a list per facet."""
    check_per_facet(values, catalog, place)
    for f, wanted in enumerate(values):
        check_values(wanted, f, catalog, place)


def _below(value: int, size: int, place: str) -> None:
    if not -1 <= value < size:
        raise InputError(f"{place}: {short(value)} is not in -1..{size - 1}")


def _in_range(value: int, size: int, place: str) -> None:
    if not 0 <= value < size:
        raise InputError(f"{place}: {short(value)} is not in 0..{size - 1}")


def short(value: object) -> str:
    """A value for a message; a number of thousands of digits would be no message."""
    try:
        text = repr(value)
    except ValueError:
        return "a number of thousands of digits"
    return text if len(text) <= 60 else f"{text[:57]}..."
