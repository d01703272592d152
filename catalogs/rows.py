"""What every loader shares: rows that are checked one by one, and errors that name their place."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NoReturn

from catalogs.catalog import ItemRow
from catalogs.domain import Domain

SHOWN = 3
"""Number of skipped rows that a summary names."""

_UNWRITABLE = re.compile("[\ud800-\udfff]")


@dataclass(frozen=True, slots=True)
class RowError:
    """One thing that is wrong with a file of items.

    Attributes:
        file: The file as the caller named it.
        where: ``line 12``, or for one large JSON value ``key '100026' (line 1)``.
        reason: What is wrong there.
        remedy: What to do about it.
    """

    file: str
    where: str
    reason: str
    remedy: str

    def __str__(self) -> str:
        """File, place, reason and remedy on one line."""
        return f"{self.file}, {self.where}: {self.reason}; {self.remedy}"


class CatalogError(ValueError):
    """Items that cannot be used. ``error`` holds file, place, reason and remedy."""

    def __init__(self, error: RowError) -> None:
        """Keep the parts, so that a caller need not parse the message."""
        super().__init__(error)
        self.error = error

    def __str__(self) -> str:
        """The error's one line."""
        return str(self.error)


class BadRow(Exception):  # noqa: N818 - caught by the loaders, never seen by their callers
    """Raised inside a loader for the row at hand; becomes a :class:`RowError` with its place."""

    def __init__(self, reason: str, remedy: str) -> None:
        """Say what is wrong with the row and what to do about it."""
        super().__init__(reason)
        self.reason = reason
        self.remedy = remedy


@dataclass(frozen=True, slots=True)
class Loaded:
    """The usable rows of a file, in its order, and what was left out.

    Attributes:
        file: The file as the caller named it.
        rows: Rows with unique ids.
        skipped: One entry per row that was left out; empty with ``strict=True``.
    """

    file: str
    rows: tuple[ItemRow, ...]
    skipped: tuple[RowError, ...]

    def summary(self) -> str:
        """One line: how many rows were read, how many skipped, and why for the first few."""
        if not self.skipped:
            return f"{self.file}: {len(self.rows)} items"
        shown = [f"{error.where}: {error.reason}" for error in self.skipped[:SHOWN]]
        if len(self.skipped) > SHOWN:
            shown.append(f"and {len(self.skipped) - SHOWN} more")
        return (
            f"{self.file}: {len(self.rows)} items, {len(self.skipped)} skipped ({'; '.join(shown)})"
        )


class RowSink:
    """Collects the rows of one file and decides what happens to the bad ones."""

    def __init__(self, file: str | Path, strict: bool) -> None:
        """Start empty; with ``strict`` the first bad row raises."""
        self.file = str(file)
        self.strict = strict
        self._rows: list[ItemRow] = []
        self._skipped: list[RowError] = []
        self._places: dict[str, str] = {}

    def accept(self, where: str, row: ItemRow) -> None:
        """Take a row, unless an earlier one has its id.

        Raises:
            CatalogError: The id is taken and ``strict`` is set.
        """
        if row.id in self._places:
            reason = f"id {row.id!r} is already used by {self._places[row.id]}"
            self.reject(where, reason, "give each row its own id")
        else:
            self._places[row.id] = where
            self._rows.append(row)

    def reject(self, where: str, reason: str, remedy: str) -> None:
        """Count a bad row.

        Raises:
            CatalogError: ``strict`` is set.
        """
        error = RowError(self.file, where, reason, remedy)
        if self.strict:
            raise CatalogError(error)
        self._skipped.append(error)

    def result(self) -> Loaded:
        """All rows taken.

        Raises:
            CatalogError: There is none.
        """
        if not self._rows:
            skipped = f" ({len(self._skipped)} bad ones)" if self._skipped else ""
            reason = f"no usable row{skipped}"
            if self._skipped:
                reason += f"; the first: {self._skipped[0].where}: {self._skipped[0].reason}"
            fail(self.file, "whole file", reason, "a catalogue needs at least one item")
        return Loaded(self.file, tuple(self._rows), tuple(self._skipped))


def fail(file: str | Path, where: str, reason: str, remedy: str) -> NoReturn:
    """Raise a :class:`CatalogError` about a whole file, which no leniency can skip."""
    raise CatalogError(RowError(str(file), where, reason, remedy))


def check_text(text: str, what: str) -> str:
    """A text without surrounding white space.

    Raises:
        BadRow: It holds bytes that were not UTF-8 (loaders decode them to lone surrogates, which
            no file of records could hold either) or a NUL.
    """
    if not text.isascii() and _UNWRITABLE.search(text):
        raise BadRow(f"{what} is not valid UTF-8", "save the file as UTF-8")
    if "\0" in text:
        raise BadRow(f"{what} holds a NUL byte", "remove it")
    return text.strip()


def check_facets(
    file: str | Path, domain: Domain, known: Collection[str], data_set: str
) -> tuple[str, ...]:
    """The names of a domain's facets, each of which a published file must have a list for.

    Raises:
        CatalogError: It has none for one of them.
    """
    names = tuple(facet.name for facet in domain.facets)
    for name in names:
        if name not in known:
            fail(
                file,
                "whole file",
                f"{data_set} has no facet {name!r} (domain {domain.name!r})",
                f"use a domain with facets out of {', '.join(known)}",
            )
    return names


def title_of(entry: Mapping[str, Any]) -> str:
    """The ``name`` of a published file's item, which is its title; empty if it has none.

    Raises:
        BadRow: It is no text.
    """
    name = entry.get("name")
    if name is not None and not isinstance(name, str):
        raise BadRow(f"'name' must be a text, not {type_name(name)}", "put it in quotation marks")
    return check_text(name or "", "name")


def clean_values(values: Iterable[str], what: str) -> tuple[str, ...]:
    """Values without surrounding white space, empty ones and repeats, in order; see BadRow."""
    return tuple(dict.fromkeys(v for value in values if (v := check_text(value, what))))


def check_list(value: object, what: str) -> Sequence[str]:
    """A list of texts.

    Raises:
        BadRow: It is something else.
    """
    if not isinstance(value, list):
        raise BadRow(
            f"{what} must be a list of texts, not {type_name(value)}", 'write ["one", "two"] or []'
        )
    for entry in value:
        if not isinstance(entry, str):
            raise BadRow(f"{what} holds {type_name(entry)}", "put every value in quotation marks")
    return value


def type_name(value: object) -> str:
    """What JSON calls the type of a value, with an article."""
    if value is None:
        return "null"
    names = ((dict, "an object"), (list, "a list"), (str, "a text"), (bool, "true or false"))
    return next((name for kind, name in names if isinstance(value, kind)), "a number")
