"""The tables of a comparison as HTML; every text is escaped."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from html import escape

from evaluation.comparison.breakdown import Breakdown
from evaluation.comparison.cells import (
    AGREEMENT_HEADS,
    TEST_HEADS,
    agreement_rows,
    best_of,
    heading,
    shown_interval,
    shown_published,
    shown_value,
    size_of,
    told_test,
)
from evaluation.comparison.comparing import Comparison
from evaluation.comparison.measures import Measure
from evaluation.comparison.method import Method
from evaluation.comparison.paired_tests import PairedTest
from evaluation.comparison.settings import differing, flat
from evaluation.plaintext import one_line


def text(value: str) -> str:
    """A text on one line, for HTML; what steers a reader is visible."""
    return escape(one_line(value))


def scrolled(name: str, label: str, table: str) -> str:
    """A table that scrolls sideways in its own region where the page is narrow."""
    return (
        f'<div class="scroll" role="region" tabindex="0" aria-label="{escape(label)}" '
        f'id="{name}">{table}</div>'
    )


def methods_table(comparison: Comparison) -> str:
    """Methods by metrics, with intervals and published figures."""
    heads = "".join(
        f'<th scope="col" class="n"><abbr title="{text(m.about)}">{text(heading(m))}</abbr></th>'
        for m in comparison.measures
    )
    rows = "".join(_method_row(comparison, k, m) for k, m in enumerate(comparison.methods, 1))
    return (
        f'<table class="methods"><caption class="hidden">Methods by metrics</caption>'
        f'<thead><tr><th scope="col">Method</th><th scope="col" class="n">Dialogues</th>{heads}'
        f"</tr></thead><tbody>{rows}</tbody></table>"
    )


def _method_row(comparison: Comparison, number: int, method: Method) -> str:
    cells = "".join(
        _cell(method, measure, method.name in best_of(comparison, measure))
        for measure in comparison.measures
    )
    count, _, seeds = size_of(method).partition(" (")
    mark = '<span class="tag">reference</span>' if method.name == comparison.reference else ""
    mark += '<span class="tag">told the goal</span>' if method.privileged else ""
    return (
        f'<tr><th scope="row"><span class="no">{number}</span> <bdi>{text(method.name)}</bdi>{mark}'
        f'</th><td class="n">{escape(count)} <small>({escape(seeds)}</small></td>{cells}</tr>'
    )


def _cell(method: Method, measure: Measure, best: bool) -> str:
    value = escape(shown_value(method, measure))
    shown = (
        f'<strong>{value}<span class="star" aria-hidden="true">★</span></strong>'
        f'<span class="hidden"> best</span>'
        if best
        else value
    )
    bounds = shown_interval(method, measure)
    parts = [shown, f"<small>{escape(bounds)}</small>" if bounds else ""]
    for figure in filter(None, shown_published(method, measure).split("; ")):
        value, _, tables = figure.partition(" ")
        cited = f"paper {escape(value)} <span>{escape(tables)}</span>"
        parts.append(f'<small class="paper">{cited}</small>')
    return f'<td class="n">{"".join(parts)}</td>'


def paired_table(tests: Iterable[PairedTest], caption: str, against: bool = True) -> str:
    """Paired tests, a measure a section.

    Args:
        tests: In the order shown.
        caption: For readers that hear the table.
        against: Whether a column says what a method is compared with.
    """
    heads = ["Measure", "Method", *(["Against"] if against else []), *TEST_HEADS]
    rows, last = [], ""
    for test in tests:
        first = "" if test.measure == last else ' class="first"'
        last = test.measure
        names = (test.first, test.second) if against else (test.first,)
        told = "".join(f"<td><bdi>{text(name)}</bdi></td>" for name in names)
        title = escape(f"{test.measure}: {test.test}")
        head = f'<th scope="row" title="{title}">{escape(test.measure)}</th>'
        rows.append(f"<tr{first}>{head}{told}{_numbers(test)}</tr>")
    return _plain_table(caption, heads, rows, numeric_from=3 if against else 2)


def _numbers(test: PairedTest) -> str:
    """The numbers of a test; the corrected p stands out where the difference is significant."""
    texts = [escape(part) for part in (str(test.dialogues), *told_test(test))]
    if test.significant:
        texts[-1] = f"<strong>{texts[-1]}</strong>"
    return "".join(f'<td class="n">{part}</td>' for part in texts)


def agreement_table(comparison: Comparison) -> str:
    """Agreement of the judge with the exact labels; empty where nothing was judged."""
    rows = [_row(row) for row in agreement_rows(comparison)]
    return _plain_table("Agreement of the judge", AGREEMENT_HEADS, rows, 2) if rows else ""


def breakdown_table(breakdown: Breakdown) -> str:
    """Success by group with the number of dialogues."""
    rows = [
        _row([name, *("–" if c is None else f"{c[0]:.3f} of {c[1]}" for c in rates)])
        for name, rates in zip(breakdown.methods, breakdown.rates, strict=True)
    ]
    return _plain_table(f"Success by {breakdown.kind}", ("Method", *breakdown.groups), rows, 1)


def runs_table(comparison: Comparison) -> str:
    """Which runs a method pools, and the settings that tell it from the others."""
    differ = differing([method.runs[0].config for method in comparison.methods])
    rows = []
    for method in comparison.methods:
        settings = flat(method.runs[0].config)
        told = [f"{n.removeprefix('planner.')}={settings[n]}" for n in differ if n in settings]
        runs = ", ".join(run.name for run in method.runs)
        cells = "".join(f"<td><bdi>{text(cell)}</bdi></td>" for cell in (method.planner, runs))
        rows.append(
            f'<tr><th scope="row"><bdi>{text(method.name)}</bdi></th>{cells}'
            f"<td><details><summary>{len(told)} settings</summary><bdi>{text('; '.join(told))}"
            f"</bdi></details></td></tr>"
        )
    heads = ("Method", "Planner", "Runs", "Settings that differ")
    return _plain_table("Runs of each method", heads, rows, len(heads))


def _row(cells: Sequence[str]) -> str:
    first, *rest = cells
    inner = "".join(f"<td><bdi>{text(cell)}</bdi></td>" for cell in rest)
    return f'<tr><th scope="row"><bdi>{text(first)}</bdi></th>{inner}</tr>'


def _plain_table(caption: str, heads: Sequence[str], rows: Iterable[str], numeric_from: int) -> str:
    return (
        f'<table><caption class="hidden">{text(caption)}</caption><thead><tr>'
        + "".join(_heads(heads, numeric_from))
        + f"</tr></thead><tbody>{''.join(rows)}</tbody></table>"
    )


def _heads(heads: Sequence[str], numeric_from: int) -> Iterator[str]:
    for k, head in enumerate(heads):
        kind = ' class="n"' if k >= numeric_from else ""
        yield f'<th scope="col"{kind}><bdi>{text(head)}</bdi></th>'
