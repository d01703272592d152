"""A comparison in the terminal, in tables that the terminal's width can hold.

Names of methods are never broken but between words. Where the metrics need more width than there
is, they come in several tables; paired tests and agreement are in ``terminal_tests``.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from evaluation.comparison.cells import (
    best_of,
    heading,
    remarks,
    shown_interval,
    shown_published,
    shown_value,
    size_of,
)
from evaluation.comparison.comparing import Comparison
from evaluation.comparison.measures import Measure
from evaluation.comparison.method import Method
from evaluation.comparison.terminal_tables import (
    EDGE,
    LONGEST,
    add_figures,
    add_names,
    name_width,
    plain_table,
    widest,
)
from evaluation.comparison.terminal_tests import agreement_table, paired_table
from evaluation.plaintext import one_line

if TYPE_CHECKING:
    from rich.console import Console
    from rich.table import Table
    from rich.text import Text

_HEAD = "Method\ndialogues (seeds)"


def print_comparison(comparison: Comparison, title: str, console: Console) -> None:
    """Print the tables, then what a reader must know; names are shown, never obeyed."""
    for table in _method_tables(comparison, title, console.width):
        console.print(table)
    if comparison.tests:
        console.print(paired_table(comparison, console.width))
    if any(method.agreement for method in comparison.methods):
        console.print(agreement_table(comparison, console.width))
    for note in (*comparison.notes, *remarks(comparison)):
        console.print(one_line(note), markup=False, highlight=False)


def _method_tables(comparison: Comparison, title: str, width: int) -> Iterator[Table]:
    """The table of methods by metrics, in as many parts as the width needs."""
    columns = [(m, _column(comparison, m)) for m in comparison.measures]
    needed = max((_needed(measure, column) for measure, column in columns), default=0)
    names = [_name(method) for method in comparison.methods]
    limit = name_width(names, width - 1 - needed, _HEAD)
    for k, part in enumerate(_parts(columns, width - 1 - EDGE - limit)):
        head = f"{one_line(title, LONGEST)} (continued)" if k else _title(comparison, title)
        table = plain_table(head)
        add_names(table, _HEAD, limit)
        for measure, _ in part:
            add_figures(table, _head(measure))
        for row, name in enumerate(names):
            table.add_row(name, *(column[row] for _, column in part))
        yield table


def _name(method: Method) -> Text:
    from rich.text import Text

    name = Text(one_line(method.name, 2 * LONGEST), style="bold")
    return name.append(f"\n{size_of(method)}", style="not bold")


def _column(comparison: Comparison, measure: Measure) -> list[Text]:
    best = best_of(comparison, measure)
    return [_cell(method, measure, method.name in best) for method in comparison.methods]


def _cell(method: Method, measure: Measure, best: bool) -> Text:
    """A value, its interval below it, and what the paper has, with the tables that have it."""
    from rich.text import Text

    text = Text(shown_value(method, measure) + ("*" if best else ""), style="bold" if best else "")
    bounds = shown_interval(method, measure)
    if bounds:
        text.append(f"\n{bounds}", style="not bold dim")
    for figure in filter(None, shown_published(method, measure).split("; ")):
        value, _, tables = figure.replace("Table ", "T").partition(" ")
        text.append(f"\npaper {value}\n{tables}", style="not bold italic")
    return text


def _parts(
    columns: Sequence[tuple[Measure, list[Text]]], width: int
) -> Iterator[list[tuple[Measure, list[Text]]]]:
    part: list[tuple[Measure, list[Text]]] = []
    used = 0
    for measure, column in columns:
        needed = _needed(measure, column)
        if part and used + needed > width:
            yield part
            part, used = [], 0
        part.append((measure, column))
        used += needed
    yield part


def _needed(measure: Measure, column: Sequence[Text]) -> int:
    return EDGE + widest([_head(measure), *column])


def _head(measure: Measure) -> str:
    """A column's head; the key of a reward's term, which heads its column, may be any text."""
    return one_line(heading(measure), LONGEST)


def _title(comparison: Comparison, title: str) -> str:
    facts = ", ".join(f"{key.lower()} {value}" for key, value in comparison.world.items())
    return one_line(f"{title}: {facts}; * best", 200)
