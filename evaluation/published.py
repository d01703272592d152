"""Figures that the Dreams paper prints, as facts with the number of their table."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path
from typing import Any

import yaml

_FILE = Path(__file__).with_name("published.yaml")
_JUDGED = {"judge, elicitation": "fge2", "judge, exploitation": "pe2"}
_BY_THE_JUDGE = ("spearman", "macro_f1")


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


def rows_of_label(dataset: str, label: str) -> tuple[PublishedRow, ...]:
    """Rows of the method that a comparison calls by a planner's name, or by the paper's own.

    ``Dreams n(El)=3 k(El)=3 n(Ex)=3`` is a row of Table 10. Empty where the paper has no such
    method: a variant with a label of its own is shown beside nothing.
    """
    return rows_of_method(dataset, *_raw()["planners"].get(label, (label,)))


def rows_of_judge(dataset: str) -> tuple[PublishedRow, ...]:
    """How the paper's judge agrees with people, by the keys of a judge that is measured here.

    Only its agreement with the majority of the annotators (Table 9): the alpha printed there is of
    the annotators among themselves.
    """
    return tuple(
        replace(row, figures={f"judge_{metric}_{key}": row.figures[key] for key in _BY_THE_JUDGE})
        for method, metric in _JUDGED.items()
        for row in rows_of_method(dataset, method)
    )


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
