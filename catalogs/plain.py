"""Anyone's own items: a CSV or JSON Lines file with the facets of a domain as columns.

===========  =========  ======================================================================
column       required   content
===========  =========  ======================================================================
title        yes        Text; a year in parentheses at its end counts if there is no ``year``.
each facet   yes        The domain's facet names. CSV: values separated by ``|``, may be empty.
                        JSON Lines: a list of texts, may be left out of a row.
id           no         Unique text; default: the row's number.
year         no         Whole number, negative before our era.
plot         no         Text.
popularity   no         Number of at least 0, in any unit; used only if every row has one.
===========  =========  ======================================================================

A byte order mark and Windows line ends are fine.
"""

from __future__ import annotations

import csv
import json
import math
import re
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any

from catalogs.catalog import ItemRow, split_year
from catalogs.domain import Domain
from catalogs.nearest import nearest_names
from catalogs.rows import (
    BadRow,
    Loaded,
    RowSink,
    check_list,
    check_text,
    clean_values,
    fail,
    type_name,
)
from catalogs.textfile import read_text

SEPARATOR = "|"
"""Between the values of one facet in a CSV file."""

OPTIONAL = ("id", "year", "plot", "popularity")
"""Columns besides ``title`` and the facets."""

_YEAR = re.compile(r"(-?[0-9]{1,4})(?:\.0)?")


def load_items(path: str | Path, domain: Domain, strict: bool = True) -> Loaded:
    """Read a ``.csv``, ``.jsonl`` or ``.ndjson`` file; the format follows from the name's end.

    Args:
        path: The file.
        domain: Its facet names are column names.
        strict: Raise at the first bad row instead of skipping and counting it. A column that means
            nothing counts as bad; without ``strict`` it is ignored and counted once.

    Raises:
        CatalogError: The file, or with ``strict`` a row, cannot be used.
    """
    path = Path(path)
    kind = path.suffix.lower()
    if kind not in {".csv", ".jsonl", ".ndjson"}:
        remedy = "name it .csv, or .jsonl for one JSON object a line"
        fail(path, "whole file", f"items in a {kind or 'nameless'} file", remedy)
    for facet in domain.facets:
        if facet.name in {"title", *OPTIONAL}:
            remedy = f"rename the facet of domain {domain.name!r}"
            fail(path, "whole file", f"{facet.name!r} is a column of its own", remedy)
    text = read_text(path)
    sink = RowSink(path, strict)
    if kind == ".csv":
        _read_csv(text, domain, sink)
    else:
        _read_json_lines(text, domain, sink)
    return sink.result()


def _read_csv(text: str, domain: Domain, sink: RowSink) -> None:
    if text.lstrip()[0] in "{[":
        fail(sink.file, "line 1", "this is JSON", "name it .jsonl, or export the items as CSV")
    records = _records(text, sink)
    first = next(records, None)
    if first is None:
        fail(sink.file, "line 1", "no header", "name the columns in the first line")
    header = [name.strip() for name in first[1]]
    kept = _check_header(header, domain, sink)
    for number, (where, cells) in enumerate(records, start=1):
        if len(cells) != len(header):
            reason = f"{len(cells)} columns where the header has {len(header)}"
            sink.reject(where, reason, "quote cells that contain a comma")
            continue
        entry: dict[str, Any] = dict(zip(header, cells, strict=True))
        try:
            for facet in domain.facets:
                entry[facet.name] = entry[facet.name].split(SEPARATOR)
            if not entry.get("popularity", "").strip():
                entry.pop("popularity", None)
            row = _row({name: entry[name] for name in kept if name in entry}, domain, number)
        except BadRow as error:
            sink.reject(where, error.reason, error.remedy)
        else:
            sink.accept(where, row)


def _records(text: str, sink: RowSink) -> Iterator[tuple[str, list[str]]]:
    """The non-blank records of a CSV text with their lines; broken ones go to the sink."""
    reader = csv.reader((f"{line}\n" for line in text.split("\n")), strict=True)
    while True:
        start = reader.line_num + 1
        try:
            cells = next(reader)
        except StopIteration:
            return
        except csv.Error as error:
            reason, remedy = _quoting(str(error))
            sink.reject(_lines(start, reader.line_num), reason, remedy)
            continue
        if cells and cells != [""]:
            yield _lines(start, reader.line_num), cells


def _lines(first: int, last: int) -> str:
    return f"line {first}" if last <= first else f"lines {first}-{last}"


def _quoting(message: str) -> tuple[str, str]:
    if "unexpected end" in message:
        return "a quotation mark opens here and none closes it", "double marks inside a cell"
    if "field larger" in message:
        return f"a cell of more than {csv.field_size_limit():,} characters", "shorten it"
    return f"not CSV: {message}", "put the cell in quotation marks and double marks inside it"


def _check_header(header: list[str], domain: Domain, sink: RowSink) -> list[str]:
    """The columns that mean something; see :func:`load_items` for the others."""
    known = _columns(domain)
    twice = next((name for name in header if header.count(name) > 1), None)
    if twice is not None:
        fail(sink.file, "line 1", f"two columns are called {twice!r}", "keep one of them")
    missing = [name for name in known if name not in header and name not in OPTIONAL]
    unknown = [name for name in header if name not in known]
    if missing:
        hint = _nearest(missing[0], unknown)
        reason = f"no column {missing[0]!r}" + (f"; did you mean it by {hint!r}?" if hint else "")
        remedy = f"name the columns {', '.join(known)}"
        if len(header) == 1:
            remedy += ", separated by commas"
        fail(sink.file, "line 1", reason, remedy)
    for name in unknown:
        sink.reject("line 1", *_unknown(name, known))
    return [name for name in header if name in known]


def _columns(domain: Domain) -> list[str]:
    return ["title", *(facet.name for facet in domain.facets), *OPTIONAL]


def _nearest(name: str, names: Iterable[str]) -> str | None:
    return next(iter(nearest_names(name, names)), None)


def _unknown(name: str, known: list[str]) -> tuple[str, str]:
    hint = _nearest(name, known)
    remedy = f"use {hint!r}" if hint else "remove it"
    return f"unknown column {name!r}", f"{remedy}; columns are {', '.join(known)}"


def _read_json_lines(text: str, domain: Domain, sink: RowSink) -> None:
    start = text.lstrip()[0]
    if start != "{":
        kind = "one JSON list" if start == "[" else "not JSON"
        remedy = "write one JSON object a line, or name a CSV file .csv"
        fail(sink.file, "line 1", f"this is {kind}", remedy)
    known = _columns(domain)
    unknown: set[str] = set()
    lines = [(n, line) for n, line in enumerate(text.split("\n"), start=1) if line.strip()]
    for number, (at, line) in enumerate(lines, start=1):
        where = f"line {at}"
        try:
            entry = _parse(line)
            for name in entry:
                if name not in known and name not in unknown:
                    unknown.add(name)
                    sink.reject(where, *_unknown(name, known))
            row = _row({k: v for k, v in entry.items() if k in known}, domain, number)
        except BadRow as error:
            sink.reject(where, error.reason, error.remedy)
        else:
            sink.accept(where, row)


def _parse(line: str) -> dict[str, Any]:
    try:
        entry = json.loads(line, object_pairs_hook=_object)
    except (ValueError, RecursionError) as error:
        reason = getattr(error, "msg", str(error))
        raise BadRow(f"not JSON: {reason}", "write one complete JSON object a line") from error
    if not isinstance(entry, dict):
        raise BadRow(f"an item must be an object, not {type_name(entry)}", "write {...}")
    return entry


def _object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """An object whose keys stand once each; of two, JSON readers keep the one that they like."""
    found = dict(pairs)
    if len(found) < len(pairs):
        names = [name for name, _ in pairs]
        twice = next(name for name in names if names.count(name) > 1)
        raise BadRow(f"the key {twice!r:.40} is there twice", "keep one of them")
    return found


def _row(entry: Mapping[str, Any], domain: Domain, number: int) -> ItemRow:
    title = check_text(_text(entry, "title"), "title")
    if not title:
        raise BadRow("the title is missing", "give the item a title")
    year = _year(entry.get("year"))
    if year is None:
        title, year = split_year(title)
    values = tuple(
        clean_values(check_list(entry.get(facet.name, []), facet.name), facet.name)
        for facet in domain.facets
    )
    item_id = check_text(_text(entry, "id"), "id") if "id" in entry else str(number)
    if not item_id:
        raise BadRow("the id is missing", "give every row an id, or none of them")
    plot = check_text(_text(entry, "plot"), "plot")
    return ItemRow(item_id, title, year, values, plot, _popularity(entry.get("popularity")))


def _text(entry: Mapping[str, Any], name: str) -> str:
    value = entry.get(name)
    if value is None:
        return ""
    if not isinstance(value, str):
        reason = f"{name!r} must be a text, not {type_name(value)}"
        raise BadRow(reason, "put it in quotation marks")
    return value


def _year(value: Any) -> int | None:
    if value is None or (isinstance(value, str) and not value.strip()):
        return None
    match = None if isinstance(value, bool) else _YEAR.fullmatch(str(value).strip())
    if match is None:
        shown = str(value)[:40]
        raise BadRow(f"{shown!r} is not a year", "write a whole number such as 1995, or nothing")
    return int(match.group(1))


def _popularity(value: Any) -> float | None:
    if value is None:
        return None
    try:
        number = math.nan if isinstance(value, bool | list | dict) else float(value)
    except (ValueError, OverflowError):
        number = math.nan
    if not (math.isfinite(number) and number >= 0):
        shown = str(value)[:40]
        raise BadRow(f"{shown!r} is not a popularity", "write a number of at least 0, or nothing")
    return number
