"""OpenDialKG's items (``id2info.json``): movies and books in one file, told apart by rules.

Licence: the OpenDialKG data are published under CC BY-NC 4.0 (Moon et al., "OpenDialKG", 2019):
no commercial use, and whoever redistributes them or what is derived from them names the source.
Nothing of the data set is part of this project.

The file says nowhere what an item is, and besides movies and books it holds series, albums and
people. The attributes that an item has decide, after white space, repeats and the genre "United
Kingdom" (a country) are removed:

* movie: a genre, an actor and a director;
* book: a genre and a writer, and neither actor nor director.

Everything else is no item of either catalogue: it could not meet a goal (a goal asks for a value of
every facet), and most of it lacks even a genre.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any, Literal

from catalogs.catalog import ItemRow
from catalogs.domain import Domain
from catalogs.rows import (
    BadRow,
    Loaded,
    RowSink,
    check_facets,
    check_list,
    check_text,
    clean_values,
    title_of,
    type_name,
)
from catalogs.textfile import JsonTable

Part = Literal["movie", "book"]

LISTS = {
    "genre": "genre",
    "star": "actor",
    "director": "director",
    "writer": "writer",
    "language": "language",
}
"""Facet names that a domain may use, and the file's name for each."""

NO_GENRES = frozenset({"United Kingdom"})
"""Values of the list ``genre`` that are none."""


def load_opendialkg(path: str | Path, part: Part, domain: Domain, strict: bool = True) -> Loaded:
    """Read the movies or the books of ``id2info.json`` by the rules above.

    Every item is an object with ``name`` and any of ``year`` (a text), ``actor``, ``director``,
    ``genre``, ``language``, ``writer``. A year that is no plain number becomes None. The file has
    no plots. Items of the other part are left out without being counted as skipped.

    Args:
        path: The file.
        part: Which items.
        domain: Facets out of :data:`LISTS`.
        strict: Raise at the first bad row instead of skipping and counting it.

    Raises:
        CatalogError: The file, or with ``strict`` a row, cannot be used.
    """
    path = Path(path)
    facets = check_facets(path, domain, LISTS, "OpenDialKG")
    table = JsonTable(path)
    sink = RowSink(path, strict)
    for key, entry in table.entries:
        try:
            values = _values(entry)
            row = _row(key, entry, tuple(values[name] for name in facets))
        except BadRow as error:
            sink.reject(table.where(key), error.reason, error.remedy)
        else:
            if part_of(values) == part:
                sink.accept(f"key {key!r}", row)
    return sink.result()


def part_of(values: dict[str, tuple[str, ...]]) -> Part | None:
    """Which catalogue an item with these cleaned lists belongs to, by the rules above."""
    if not values["genre"]:
        return None
    if values["star"] and values["director"]:
        return "movie"
    if values["writer"] and not values["star"] and not values["director"]:
        return "book"
    return None


def _values(entry: Any) -> dict[str, tuple[str, ...]]:
    if not isinstance(entry, dict):
        raise BadRow(f"an item must be an object, not {type_name(entry)}", "use OpenDialKG's file")
    if "star" in entry:
        raise BadRow("a list 'star'", "use OpenDialKG's id2info.json; this one looks like ReDial's")
    values = {
        facet: clean_values(check_list(entry.get(name, []), name), name)
        for facet, name in LISTS.items()
    }
    values["genre"] = tuple(genre for genre in values["genre"] if genre not in NO_GENRES)
    return values


def _row(key: str, entry: dict[str, Any], values: tuple[tuple[str, ...], ...]) -> ItemRow:
    title = title_of(entry)
    if not title:
        raise BadRow("the title is missing", "give the item a 'name'")
    year = str(entry.get("year", ""))
    plain = year.isascii() and year.isdigit() and len(year) <= 4
    return ItemRow(check_text(key, "id"), title, int(year) if plain else None, values)
