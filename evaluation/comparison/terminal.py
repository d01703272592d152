"""A comparison in the terminal."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from evaluation.comparison.cells import (
    AGREEMENT_HEADS,
    agreement_rows,
    best_of,
    heading,
    remarks,
    shown_interval,
    shown_published,
    shown_value,
    size_of,
    told_test,
)
from evaluation.comparison.comparing import Comparison
from evaluation.comparison.measures import Measure
from evaluation.comparison.method import Method
from evaluation.plaintext import one_line

if TYPE_CHECKING:
    from rich.console import Console
    from rich.table import Table
    from rich.text import Text

_NAME = 40
_EDGE = 3
"""Characters that a column's border and padding take."""


def print_comparison(comparison: Comparison, title: str, console: Console) -> None:
    """Print the tables, then what a reader must know; names are shown, never obeyed."""
    for table in _method_tables(comparison, title, console.width):
        console.print(table)
    if comparison.tests:
        console.print(_tests_table(comparison))
    if agreement_rows(comparison):
        console.print(_agreement_table(comparison))
    for note in (*comparison.notes, *remarks(comparison)):
        console.print(one_line(note), markup=False, highlight=False, soft_wrap=True)


def _method_tables(comparison: Comparison, title: str, width: int) -> Iterator[Table]:
    """The table of methods by metrics, in as many parts as the width needs."""
    from rich.text import Text

    limit = max(12, min(_NAME, width // 4))
    names = [Text(one_line(m.name, limit), style="bold") for m in comparison.methods]
    sizes = [Text(size_of(method).replace(" (", "\n(")) for method in comparison.methods]
    columns = [(m, _column(comparison, m)) for m in comparison.measures]
    fixed = 1 + sum(_EDGE + _widest(column) for column in (names, sizes))
    for k, part in enumerate(_parts(columns, width - fixed)):
        table = _table(
            _title(comparison, title) if k == 0 else f"{one_line(title, _NAME)} (continued)"
        )
        table.add_column("Method", overflow="fold")
        table.add_column("Dialogues", overflow="fold")
        for measure, _ in part:
            table.add_column(heading(measure), justify="right")
        for row, (name, size) in enumerate(zip(names, sizes, strict=True)):
            table.add_row(name, size, *(column[row] for _, column in part))
        yield table


def _column(comparison: Comparison, measure: Measure) -> list[Text]:
    best = best_of(comparison, measure)
    return [_cell(method, measure, method.name in best) for method in comparison.methods]


def _cell(method: Method, measure: Measure, best: bool) -> Text:
    from rich.text import Text

    text = Text(shown_value(method, measure) + ("*" if best else ""), style="bold" if best else "")
    bounds = shown_interval(method, measure)
    if bounds:
        text.append(f"\n{bounds}", style="not bold dim")
    for figure in filter(None, shown_published(method, measure).split("; ")):
        text.append("\npaper " + figure.replace("Table ", "T"), style="not bold italic")
    return text


def _parts(
    columns: Sequence[tuple[Measure, list[Text]]], width: int
) -> Iterator[list[tuple[Measure, list[Text]]]]:
    part: list[tuple[Measure, list[Text]]] = []
    used = 0
    for measure, column in columns:
        needed = _EDGE + max(len(heading(measure)), _widest(column))
        if part and used + needed > width:
            yield part
            part, used = [], 0
        part.append((measure, column))
        used += needed
    yield part


def _widest(column: Sequence[Text]) -> int:
    from rich.cells import cell_len

    return max(cell_len(line) for text in column for line in text.plain.split("\n"))


def _tests_table(comparison: Comparison) -> Table:
    from rich.text import Text

    table = _table(f"Against {one_line(comparison.reference, _NAME)}, on the same dialogues")
    for head in ("Measure", "Method"):
        table.add_column(head, overflow="fold")
    for head in ("n", "Difference", "+ : −", "Effect size", "p", "p (Holm)"):
        table.add_column(head, justify="right")
    last = ""
    for test in comparison.tests:
        texts = told_test(test)
        if last and test.measure != last:
            table.add_section()
        measure = test.measure if test.measure != last else ""
        last = test.measure
        cells = [measure, one_line(test.first, _NAME), str(test.dialogues), *texts]
        table.add_row(*map(Text, cells))
    return table


def _agreement_table(comparison: Comparison) -> Table:
    from rich.text import Text

    table = _table("Agreement of the judge with the exact labels")
    for head in AGREEMENT_HEADS:
        table.add_column(head, overflow="fold")
    for row in agreement_rows(comparison):
        table.add_row(*(Text(one_line(cell, _NAME)) for cell in row))
    return table


def _table(title: str) -> Table:
    from rich.table import Table
    from rich.text import Text

    return Table(title=Text(title), title_justify="left", show_lines=False)


def _title(comparison: Comparison, title: str) -> str:
    facts = ", ".join(f"{key.lower()} {value}" for key, value in comparison.world.items())
    return one_line(f"{title}: {facts}; * best", 200)
