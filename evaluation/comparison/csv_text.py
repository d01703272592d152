"""A comparison as CSV: one file of methods by metrics, one of tests; full precision."""

from __future__ import annotations

import csv
import io
import math
import re
from collections.abc import Iterator, Sequence

from evaluation.comparison.comparing import Comparison
from evaluation.comparison.paired_tests import PairedTest
from evaluation.plaintext import one_line
from evaluation.published import figure_with_tables

_FORMULA = re.compile(r"""(^|[;|\t][\s"']*)(?=[=+\-@＝＋－＠])""")  # noqa: RUF001
"""Where a spreadsheet may begin a formula: in full width too, and after what spreadsheets of other
countries take for the end of a cell."""


def methods_csv(comparison: Comparison) -> str:
    """A method a row; per metric its value, both ends of its interval, and what was published."""
    heads = ["method", "planner", "dialogues", "failed", "seeds"]
    for measure in comparison.measures:
        key = measure.key
        heads += [cell_text(f"{key}{end}") for end in ("", "_low", "_high", "_published")]
    return _csv(heads, _method_rows(comparison))


def paired_csv(comparison: Comparison) -> str:
    """A test a row: those against the reference, then all pairs; ``family`` says which."""
    heads = ["family", "measure", "method", "other", "dialogues", "test", "higher", "lower"]
    heads += ["difference", "difference_low", "difference_high", "effect", "effect_size"]
    heads += ["effect_low", "effect_high", "p", "p_goals", "p_holm"]
    rows = [_test_row("reference", test) for test in comparison.tests]
    rows += [_test_row("all pairs", test) for test in comparison.pairs]
    return _csv(heads, rows)


def cell_text(text: str) -> str:
    """A text on one line that no spreadsheet takes for a formula."""
    return _FORMULA.sub(r"\1'", one_line(text))


def _method_rows(comparison: Comparison) -> Iterator[list[str]]:
    for method in comparison.methods:
        row = [cell_text(method.name), cell_text(method.planner)]
        row += [str(len(method.dialogues)), str(method.failed), " ".join(map(str, method.seeds))]
        for measure in comparison.measures:
            cell = method.cell(measure.key)
            low, high = cell.interval or (None, None)
            row += [_number(cell.value), _number(low), _number(high)]
            row.append(figure_with_tables(method.published, measure.key))
        yield row


def _test_row(family: str, test: PairedTest) -> list[str]:
    low, high = test.effect_interval or (None, None)
    names = [family, test.key, cell_text(test.first), cell_text(test.second)]
    counts = [str(test.dialogues), test.test, str(test.wins), str(test.losses)]
    numbers = [test.difference, *test.interval]
    effect = [test.effect, low, high]
    return [
        *names, *counts, *map(_number, numbers), test.effect_name, *map(_number, effect),
        _number(test.p_value), _number(test.p_goals), _number(test.p_holm),
    ]  # fmt: skip


def _number(value: float | None) -> str:
    if value is None:
        return ""
    return "inf" if math.isinf(value) else f"{value:.10g}"


def _csv(heads: Sequence[str], rows: Iterator[list[str]] | list[list[str]]) -> str:
    file = io.StringIO()
    writer = csv.writer(file, lineterminator="\n")
    writer.writerow(heads)
    writer.writerows(rows)
    return file.getvalue()
