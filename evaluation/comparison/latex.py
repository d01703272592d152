r"""A comparison as LaTeX tables for ``booktabs``, to be read with ``\input``."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from evaluation.comparison.cells import (
    ARROWS,
    TEST_HEADS,
    against,
    best_of,
    remarks,
    shown_interval,
    shown_published,
    shown_value,
    told_test,
)
from evaluation.comparison.comparing import Comparison
from evaluation.comparison.measures import Measure
from evaluation.comparison.method import Method
from evaluation.plaintext import one_line

_ESCAPES = {
    "\\": r"\textbackslash{}", "{": r"\{", "}": r"\}", "$": r"\$", "&": r"\&", "#": r"\#",
    "%": r"\%", "_": r"\_", "^": r"\textasciicircum{}", "~": r"\textasciitilde{}",
    "<": r"\textless{}", ">": r"\textgreater{}", "|": r"\textbar{}", '"': r"\textquotedbl{}",
    "−": "$-$", "–": "--", "∞": r"$\infty$", "α": r"$\alpha$", "ρ": r"$\rho$", "χ": r"$\chi$",
    "²": r"$^2$", "↑": r"$\uparrow$", "↓": r"$\downarrow$", "…": r"\ldots{}", "’": "'",
}  # fmt: skip


def latex(comparison: Comparison, title: str) -> str:
    """Both tables; names are text, never commands."""
    return "\n".join(_lines(comparison, title)) + "\n"


def tex(text: str) -> str:
    """A text on one line in which LaTeX finds no command."""
    return "".join(_ESCAPES.get(character, character) for character in one_line(text))


def _lines(comparison: Comparison, title: str) -> Iterator[str]:
    yield r"% Needs \usepackage{booktabs}, \usepackage{graphicx} and \usepackage[T1]{fontenc}."
    facts = "; ".join(f"{key}: {value}" for key, value in comparison.world.items())
    measures = comparison.measures
    heads = ["Method", *(f"{m.heading} {ARROWS[m.better]}".strip() for m in measures)]
    notes = " ".join((*comparison.notes, *remarks(comparison)))
    rows = _method_rows(comparison)
    yield from _table(f"{title}. {facts}.", "l" + "r" * len(measures), heads, rows, notes)
    if comparison.tests:
        caption = f"{against(comparison)}."
        heads = ["Measure", "Method", *TEST_HEADS]
        yield ""
        yield from _table(caption, "llrrrrrrr", heads, _test_rows(comparison))


def _table(
    caption: str, columns: str, heads: Sequence[str], rows: Iterator[str], notes: str = ""
) -> Iterator[str]:
    yield r"\begin{table}"
    yield r"  \centering\small"
    yield rf"  \caption{{{tex(caption)}}}"
    yield r"  \resizebox{\linewidth}{!}{%"
    yield rf"  \begin{{tabular}}{{{columns}}}"
    yield r"    \toprule"
    yield f"    {_row([tex(head) for head in heads])}"
    yield r"    \midrule"
    for row in rows:
        yield f"    {row}"
    yield r"    \bottomrule"
    yield r"  \end{tabular}}"
    if notes:
        yield rf"  \par\smallskip\parbox{{\linewidth}}{{\footnotesize {tex(notes)}}}"
    yield r"\end{table}"


def _row(cells: Sequence[str]) -> str:
    """A row; its first cell in braces, since ``[`` or ``*`` there would be an argument."""
    return " & ".join([f"{{{cells[0]}}}", *cells[1:]]) + r" \\"


def _method_rows(comparison: Comparison) -> Iterator[str]:
    for method in comparison.methods:
        cells = [_cell(comparison, method, measure) for measure in comparison.measures]
        yield _row([tex(method.name), *cells])
        figures = [tex(shown_published(method, measure)) for measure in comparison.measures]
        if any(figures):
            cited = [rf"\emph{{\scriptsize {figure}}}" if figure else "" for figure in figures]
            yield _row([r"\quad\emph{\scriptsize published}", *cited])


def _cell(comparison: Comparison, method: Method, measure: Measure) -> str:
    value = tex(shown_value(method, measure))
    if method.name in best_of(comparison, measure):
        value = rf"\textbf{{{value}}}"
    bounds = tex(shown_interval(method, measure))
    return rf"{value} {{\scriptsize {bounds}}}" if bounds else value


def _test_rows(comparison: Comparison) -> Iterator[str]:
    last = ""
    for test in comparison.tests:
        measure = test.measure if test.measure != last else ""
        last = test.measure
        cells = [measure, test.first, str(test.dialogues), *told_test(test)]
        yield _row([tex(cell) for cell in cells])
