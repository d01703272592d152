"""Figures that the Dreams paper prints, as facts with the number of their table."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

import yaml

_FILE = Path(__file__).with_name("published.yaml")


@dataclass(frozen=True, slots=True)
class PublishedRow:
    """One row of a published table.

    Attributes:
        table: Number of the table in the paper.
        about: What the table is about.
        dataset: ``redial``, ``opendialkg_movie`` or ``opendialkg_book``.
        method: The method's name, settings included where the table varies them.
        figures: Figures by metric key, as printed.
    """

    table: int
    about: str
    dataset: str
    method: str
    figures: dict[str, float]


@cache
def published_rows() -> tuple[PublishedRow, ...]:
    """All rows, in the order of the paper."""
    return tuple(
        PublishedRow(
            table["table"],
            table["about"],
            dataset,
            method,
            dict(zip(table["columns"], map(float, figures), strict=True)),
        )
        for table in _raw()["tables"]
        for dataset, rows in table["rows"].items()
        for method, figures in rows.items()
    )


def rows_of_method(dataset: str, *methods: str) -> tuple[PublishedRow, ...]:
    """Rows of methods on a data set; empty when the paper has none."""
    return tuple(r for r in published_rows() if r.dataset == dataset and r.method in methods)


def rows_of_planner(dataset: str, planner: str) -> tuple[PublishedRow, ...]:
    """Rows of the published method that a planner stands for; empty when it stands for none."""
    return rows_of_method(dataset, *_raw()["planners"].get(planner, ()))


def figure_with_tables(rows: tuple[PublishedRow, ...], key: str) -> str:
    """A metric as published, with table numbers: ``0.507 (Table 2, 4); 0.578 (Table 10)``.

    Empty when no row has the metric.
    """
    tables: dict[float, list[int]] = {}
    for row in rows:
        if key in row.figures:
            tables.setdefault(row.figures[key], []).append(row.table)
    return "; ".join(
        f"{figure:.3f} (Table {', '.join(map(str, numbers))})"
        if key != "seconds_per_turn"
        else f"{figure:g} (Table {', '.join(map(str, numbers))})"
        for figure, numbers in tables.items()
    )


@cache
def _raw() -> dict[str, Any]:
    raw: dict[str, Any] = yaml.safe_load(_FILE.read_text(encoding="utf-8"))
    return raw
