"""Paired tests, and a judge's agreement with the exact labels, in the terminal."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import groupby
from typing import TYPE_CHECKING

from evaluation.comparison.cells import (
    AGREEMENT_HEADS,
    TEST_HEADS,
    against,
    agreement_rows,
    told_test,
)
from evaluation.comparison.comparing import Comparison
from evaluation.comparison.paired_tests import PairedTest
from evaluation.comparison.terminal_tables import (
    EDGE,
    LONGEST,
    add_figures,
    add_names,
    name_width,
    plain_table,
    widest,
)
from evaluation.plaintext import one_line

if TYPE_CHECKING:
    from rich.table import Table

Cells = tuple[str, ...]

# The uncorrected p is left to the files: a terminal is narrow.
_WIDE = ("Method", *(head for head in TEST_HEADS if head != "p"))
_NARROW = ("Method\ndifference", "+ : −\nof n", "Effect size", "p (Holm)\np (goals)")
_METRICS = tuple(dict.fromkeys(head.split()[0] for head in AGREEMENT_HEADS[2:]))
_KINDS = tuple(dict.fromkeys(head.split()[1] for head in AGREEMENT_HEADS[2:]))
_AGREEMENT = ("Method\njudge", "Metric", *_KINDS)


def paired_table(comparison: Comparison, width: int) -> Table:
    """Tests against the reference: one a line where the width allows it, else one in two lines."""
    table = plain_table(one_line(against(comparison), 2 * LONGEST))
    heads: Cells = _WIDE
    cells = [_wide(test) for test in comparison.tests]
    if _total(heads, cells) > width:
        heads, cells = _NARROW, [_narrow(test) for test in comparison.tests]
    first = [row[0] for row in cells] + [test.measure for test in comparison.tests]
    rest = _total(heads[1:], [row[1:] for row in cells])
    add_names(table, heads[0], name_width(first, width - rest, heads[0]))
    for head in heads[1:]:
        add_figures(table, head)
    _add_rows(table, comparison.tests, cells)
    return table


def _add_rows(table: Table, tests: Sequence[PairedTest], cells: Sequence[Cells]) -> None:
    """A section for each measure, under its name."""
    from rich.text import Text

    pairs = zip(tests, cells, strict=True)
    for measure, section in groupby(pairs, key=lambda pair: pair[0].measure):
        table.add_row(Text(measure, style="bold"))
        for _, row in section:
            table.add_row(*map(Text, row))
        table.add_section()


def _total(heads: Cells, cells: Sequence[Cells]) -> int:
    """Terminal columns that a table of these columns takes."""
    columns = zip(heads, *cells, strict=True)
    return 1 + sum(EDGE + widest(column) for column in columns)


def _wide(test: PairedTest) -> Cells:
    told = told_test(test)
    rest = (told.difference, told.counts, told.effect, told.p_goals, told.p_holm)
    return (one_line(test.first, 2 * LONGEST), str(test.dialogues), *rest)


def _narrow(test: PairedTest) -> Cells:
    """The same in two lines: the difference below the name, the interval below its effect."""
    told = told_test(test)
    return (
        f"{one_line(test.first, 2 * LONGEST)}\n{told.difference}",
        f"{told.counts}\nof {test.dialogues}",
        told.effect.replace(" [", "\n["),
        f"{told.p_holm}\n{told.p_goals}",
    )


def agreement_table(comparison: Comparison, width: int) -> Table:
    """A row for each judged method, in it a line for each metric."""
    from rich.text import Text

    rows = [_agreement(row) for row in agreement_rows(comparison)]
    rest = _total(_AGREEMENT[1:], [row[1:] for row in rows])
    table = plain_table("Agreement of the judge with the exact labels")
    names = [row[0] for row in rows]
    add_names(table, _AGREEMENT[0], name_width(names, width - rest, _AGREEMENT[0]))
    for head in _AGREEMENT[1:]:
        add_figures(table, head)
    for row in rows:
        table.add_row(*map(Text, row))
    return table


def _agreement(row: Sequence[str]) -> Cells:
    """Method and judge in one cell, and the figures of a kind below each other."""
    method, judge, *_ = row
    name = f"{one_line(method, 2 * LONGEST)}\n{one_line(judge, LONGEST)}"
    figures = dict(zip(AGREEMENT_HEADS, row, strict=True))
    kinds = [[figures.get(f"{metric} {kind}", "–") for metric in _METRICS] for kind in _KINDS]
    return (name, *("\n".join(column) for column in (_METRICS, *kinds)))
