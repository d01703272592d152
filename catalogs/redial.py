"""ReDial's movie catalogue (``id2info.json``).

Licence: the ReDial data are published under CC BY 4.0 (Li et al., "Towards Deep Conversational
Recommendations", 2018); whoever redistributes them or what is derived from them names the source.
Nothing of the data set is part of this project.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

from catalogs.catalog import ItemRow, split_year
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

FACETS = ("genre", "star", "director", "writer")
"""Lists of the file that a domain may use as facets."""


def load_redial(path: str | Path, domain: Domain, strict: bool = True) -> Loaded:
    """Read ``id2info.json``: an object of ``{name, genre, star, director, writer, plot, imdb_id}``.

    The year is split off the name where the name ends with one. Facets without a value stay empty;
    rows with equal names stay separate (the catalogue groups the rows of one work).

    Args:
        path: The file.
        domain: Facets named as the file's lists, see :data:`FACETS`.
        strict: Raise at the first bad row instead of skipping and counting it.

    Raises:
        CatalogError: The file, or with ``strict`` a row, cannot be used.
    """
    path = Path(path)
    names = check_facets(path, domain, FACETS, "ReDial")
    table = JsonTable(path)
    sink = RowSink(path, strict)
    for key, entry in table.entries:
        try:
            row = _row(key, entry, names)
        except BadRow as error:
            sink.reject(table.where(key), error.reason, error.remedy)
        else:
            sink.accept(key, row)
    return sink.result()


def _row(key: str, entry: Any, facets: tuple[str, ...]) -> ItemRow:
    if not isinstance(entry, dict):
        raise BadRow(f"an item must be an object, not {type_name(entry)}", "use ReDial's file")
    title, year = split_year(title_of(entry))
    if not title:
        raise BadRow("the title is missing", "give the item a 'name'")
    for facet in facets:
        if facet not in entry:
            raise BadRow(f"no {facet!r}", "use ReDial's id2info.json; other data sets differ")
    plot = entry.get("plot") or ""
    if not isinstance(plot, str):
        raise BadRow(f"'plot' must be a text, not {type_name(plot)}", "put it in quotation marks")
    values = tuple(clean_values(check_list(entry[f], f), f) for f in facets)
    return ItemRow(check_text(key, "id"), title, year, values, check_text(plot, "plot"))
