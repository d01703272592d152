"""A comparison as Markdown (GitHub's tables)."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence

from evaluation.comparison.cells import (
    AGREEMENT_HEADS,
    TEST_HEADS,
    against,
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
from evaluation.plaintext import one_line

_SPECIAL = re.compile(r"([\\`*_{}\[\]<>#|~&!$@])")


def markdown(comparison: Comparison, title: str) -> str:
    """The whole comparison but plots and transcripts; names are text, never mark-up."""
    return "\n".join(_lines(comparison, title)) + "\n"


def escaped(text: str) -> str:
    """A text on one line in which Markdown finds nothing."""
    return _SPECIAL.sub(r"\\\1", one_line(text)).replace("://", "\\://").replace("www.", "www\\.")


def _lines(comparison: Comparison, title: str) -> Iterator[str]:
    yield f"# {escaped(title)}"
    yield ""
    yield "; ".join(f"{key}: {escaped(value)}" for key, value in comparison.world.items()) + "."
    yield ""
    yield from _table(_heads(comparison), _rows(comparison))
    if comparison.tests:
        yield ""
        yield f"## {escaped(against(comparison))}"
        yield ""
        heads = ("Measure", "Method", *TEST_HEADS)
        yield from _table(heads, _test_rows(comparison))
    judged = agreement_rows(comparison)
    if judged:
        yield ""
        yield "## Agreement of the judge with the exact labels"
        yield ""
        yield from _table(AGREEMENT_HEADS, [[escaped(cell) for cell in row] for row in judged])
    for remark in (*comparison.notes, *remarks(comparison)):
        yield ""
        yield escaped(remark)


def _heads(comparison: Comparison) -> list[str]:
    return ["Method", "Dialogues", *(escaped(heading(m)) for m in comparison.measures)]


def _rows(comparison: Comparison) -> Iterator[list[str]]:
    best = {measure.key: best_of(comparison, measure) for measure in comparison.measures}
    for method in comparison.methods:
        row = [escaped(method.name), size_of(method)]
        for measure in comparison.measures:
            value = shown_value(method, measure)
            value = f"**{value}**" if method.name in best[measure.key] else value
            bounds = escaped(shown_interval(method, measure))
            figure = shown_published(method, measure)
            row.append(
                " ".join(filter(None, (value, bounds))) + (f"; paper {figure}" if figure else "")
            )
        yield row


def _test_rows(comparison: Comparison) -> Iterator[list[str]]:
    for test in comparison.tests:
        texts = [escaped(text) for text in told_test(test)]
        yield [escaped(test.measure), escaped(test.first), str(test.dialogues), *texts]


def _table(heads: Sequence[str], rows: Iterable[Sequence[str]]) -> Iterator[str]:
    yield _row(heads)
    yield _row(["---" if k < 2 else "---:" for k in range(len(heads))])
    for row in rows:
        yield _row(row)


def _row(cells: Sequence[str]) -> str:
    return f"| {' | '.join(cells)} |"
