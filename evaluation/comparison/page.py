"""One self-contained HTML page: tables, plots, and every transcript with its trees to unfold.

The page asks nothing of any network. Its policy (Content-Security-Policy) allows its own script and
style by their hashes and nothing else; the script writes texts as text. Transcripts lie in it as
compressed JSON and are opened one by one when a reader asks for them.
"""

from __future__ import annotations

import base64
import hashlib
from collections.abc import Iterator
from functools import cache
from html import escape
from pathlib import Path

from evaluation.comparison import page_tables as tables
from evaluation.comparison.breakdown import Breakdown, by_goal, by_persona
from evaluation.comparison.cells import families, remarks
from evaluation.comparison.comparing import Comparison
from evaluation.comparison.page_data import LIMIT, PageData, page_data
from evaluation.comparison.plots import breakdown_plot, learning_plot, success_plot, time_plot

_HERE = Path(__file__).parent


def html_page(comparison: Comparison, title: str, limit: int = LIMIT) -> str:
    """The page; the same bytes for the same runs.

    Args:
        comparison: Made with ``texts=True``; else the page has no transcripts, and says so.
        title: Shown as it is, never as mark-up.
        limit: Bytes of transcripts at most (:data:`evaluation.comparison.page_data.LIMIT`).
    """
    data = page_data(comparison, limit)
    style, script = _asset("page.css"), _asset("page.js")
    policy = (
        f"default-src 'none'; script-src {_hash(script)}; style-src {_hash(style)}; "
        f"img-src data:; base-uri 'none'; form-action 'none'"
    )
    head = (
        f'<meta charset="utf-8"><meta http-equiv="Content-Security-Policy" content="{policy}">'
        f'<meta name="viewport" content="width=device-width, initial-scale=1">'
        f'<meta name="referrer" content="no-referrer">'
        f'<meta name="color-scheme" content="light dark">'
        f'<link rel="icon" href="data:,"><title>{tables.text(title)}</title>'
        f"<style>{style}</style>"
    )
    body = "\n".join(section for section in _sections(comparison, title, data) if section)
    pieces = "\n".join(
        f'<script type="application/octet-stream" id="{name}">{value}</script>'
        for name, value in data.pieces.items()
    )
    return (
        f'<!doctype html>\n<html lang="en"><head>{head}</head>\n<body>\n{body}\n'
        f"{pieces}\n<script>{script}</script>\n</body></html>\n"
    )


@cache
def _asset(name: str) -> str:
    return (_HERE / name).read_text(encoding="utf-8")


def _hash(source: str) -> str:
    digest = hashlib.sha256(source.encode("utf-8")).digest()
    return f"'sha256-{base64.b64encode(digest).decode('ascii')}'"


def _sections(comparison: Comparison, title: str, data: PageData) -> Iterator[str]:
    yield '<a class="skip" href="#transcripts">To the transcripts</a>'
    yield _header(comparison, title)
    yield "<main>"
    yield _section("results", "Results", _results(comparison))
    yield _plot_section("success", "Success by method", success_plot(comparison))
    yield _plot_section("time", "Success against time", time_plot(comparison))
    for breakdown, heading in (
        (by_persona(comparison), "Success by persona"),
        (by_goal(comparison), "Success by group (goal)"),
    ):
        yield _breakdown(breakdown, heading)
    yield _plot_section("learning", "Learning curves", learning_plot(comparison))
    yield _tests(comparison)
    agreement = tables.agreement_table(comparison)
    if agreement:
        label = "Agreement of the judge with the exact labels"
        yield _section("agreement", label, tables.scrolled("agreement-table", label, agreement))
    yield _transcripts(data)
    runs = tables.scrolled("runs-table", "Runs and settings", tables.runs_table(comparison))
    yield _section("runs", "Runs and settings", runs)
    yield "</main>"


def _header(comparison: Comparison, title: str) -> str:
    facts = "".join(
        f"<div><dt>{escape(key)}</dt><dd><bdi>{tables.text(value)}</bdi></dd></div>"
        for key, value in comparison.world.items()
    )
    links = ("Results", "Tests", "Transcripts", "Runs")
    nav = "".join(f'<a href="#{label.lower()}">{label}</a>' for label in links)
    return (
        f"<header><h1><bdi>{tables.text(title)}</bdi></h1><dl class='facts'>{facts}</dl>"
        f'<nav aria-label="Sections">{nav}</nav></header>'
    )


def _section(name: str, heading: str, inner: str) -> str:
    return (
        f'<section id="{name}" aria-labelledby="{name}-h"><h2 id="{name}-h">{escape(heading)}</h2>'
        f"{inner}</section>"
    )


def _results(comparison: Comparison) -> str:
    table = tables.scrolled("results-table", "Methods by metrics", tables.methods_table(comparison))
    notes = "".join(f"<li>{tables.text(note)}</li>" for note in comparison.notes)
    notes = f'<ul class="notes" id="notes">{notes}</ul>' if notes else ""
    said = "".join(f"<p>{tables.text(remark)}</p>" for remark in remarks(comparison))
    key = '<p class="key">↑ higher is better, ↓ lower is better, ★ best in its column.</p>'
    how = f'<details class="how"><summary>How to read this</summary>{said}</details>'
    return f"{table}{key}{notes}{how}"


def _plot_section(name: str, heading: str, svg: str | None, below: str = "") -> str:
    if svg is None:
        return ""
    label = f'class="scroll" tabindex="0" role="region" aria-label="{escape(heading)}"'
    return _section(name, heading, f"<figure {label}>{svg}</figure>{below}")


def _breakdown(breakdown: Breakdown, heading: str) -> str:
    name = f"by-{breakdown.kind}"
    table = tables.scrolled(f"{name}-table", heading, tables.breakdown_table(breakdown))
    below = f"<details><summary>The numbers, with dialogues</summary>{table}</details>"
    return _plot_section(name, heading, breakdown_plot(breakdown, f"plot-{breakdown.kind}"), below)


def _tests(comparison: Comparison) -> str:
    if not comparison.pairs:
        return _section(
            "tests", "Paired tests", "<p>No two methods share dialogues or prefixes.</p>"
        )
    parts = []
    if comparison.tests:
        caption = f"Every method against {comparison.reference}"
        table = tables.paired_table(comparison.tests, caption, against=False)
        parts.append(
            f"<p>Each method minus <bdi>{tables.text(comparison.reference)}</bdi>. "
            f"{tables.text(families(comparison))} p (Holm) below 0.05 is bold "
            f"where p (goals), if there is one, is below 0.05 too.</p>"
        )
        parts.append(tables.scrolled("tests-table", "Tests against the reference", table))
    count = len(comparison.pairs)
    table = tables.paired_table(comparison.pairs, "All pairs of methods")
    parts.append(
        f"<details><summary>All pairs of methods ({count} tests)</summary><p>Holm’s correction is "
        f"over one family per measure: all pairs of methods.</p>"
        f"{tables.scrolled('pairs-table', 'Tests of all pairs', table)}</details>"
    )
    return _section("tests", "Paired tests on what methods share", "".join(parts))


_FILTERS = (
    ("method", "Method"), ("seed", "Seed"), ("persona", "Persona"), ("goal", "Goal"),
    ("outcome", "Outcome"), ("success", "Success"),
)  # fmt: skip


def _transcripts(data: PageData) -> str:
    fields = "".join(
        f'<label>{label}<select id="f-{name}"><option value="">all</option></select></label>'
        for name, label in _FILTERS
    )
    fields += (
        '<label>Episode<input id="f-episode" type="number" min="0" inputmode="numeric"></label>'
    )
    fields += '<label class="check"><input id="f-traced" type="checkbox"> with traces only</label>'
    limit = f'<p class="notes" id="limit">{escape(data.left_out)}</p>' if data.left_out else ""
    inner = (
        f"{limit}<noscript><p>Transcripts need JavaScript; the rest does not.</p></noscript>"
        f'<form id="filters" class="filters" aria-label="Filter transcripts">{fields}'
        f'<button type="reset">Show all</button></form>'
        f'<p id="count" role="status" aria-live="polite"></p><div id="dialogues"></div>'
        f'<button id="more" type="button" hidden>Show more</button>'
    )
    return _section("transcripts", "Transcripts", inner)
