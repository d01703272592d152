"""Tables: what they say, and that hostile names are shown, not obeyed."""

import io

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rich.console import Console

from evaluation.plaintext import one_line
from evaluation.published import rows_of_planner
from evaluation.summary import CatalogFacts, summarize
from evaluation.table import groups_table, number, run_table
from tests.evaluation.fakes import HOSTILE
from tests.evaluation.test_metrics import RECORDS, TIMINGS

SUMMARY = summarize(RECORDS, TIMINGS, CatalogFacts(6583, "ReDial [red]catalogue[/red]"))


def printed(table: object) -> str:
    file = io.StringIO()
    Console(file=file, width=200, force_terminal=False).print(table)
    return file.getvalue()


def test_a_run_beside_the_published_row():
    text = printed(run_table("dreams", SUMMARY, rows_of_planner("redial", "dreams")))
    assert "0.560 (Table 2, 3, 4)" in text
    assert "0.507 (Table 2, 4); 0.578 (Table 10)" in text
    assert "compare structure, not language models" in " ".join(text.split())
    (success,) = [line for line in text.splitlines() if "Success rate" in line]
    assert "0.250" in success
    assert "[0.000, 0.750]" in success
    assert "4 episodes, ReDial [red]catalogue[/red]: 6,583 items" in text


def test_without_a_published_row_there_is_no_column_for_it():
    text = printed(run_table("ppo", SUMMARY))
    assert "Published" not in text
    assert "Table" not in text


def test_groups():
    text = printed(groups_table(SUMMARY))
    assert [word for line in text.splitlines() if "one" in line for word in line.split("│")[1:4]]
    assert "0.250" in text


@pytest.mark.parametrize("name", [HOSTILE, "[bold]", "[/]", "a\x1b[31mred", "x" * 10_000, "\ud800"])
def test_hostile_names_are_shown_not_obeyed(name):
    summary = SUMMARY | {"catalog_source": name, f"success_rate/persona/{name}": 0.5}
    summary[f"episodes/persona/{name}"] = 2
    tables = run_table(name, summary), groups_table(summary)
    for table in tables:
        text = printed(table)
        text.encode("utf-8")
        assert "\x1b" not in text
        assert "\u202e" not in text
        assert max(map(len, text.splitlines())) <= 200
    if name.startswith("["):
        assert name in printed(run_table(name, summary))


@given(st.text(st.characters(codec=None, exclude_categories=())), st.integers(1, 80))
def test_one_line_is_one_printable_line(text, limit):
    whole = one_line(text)
    assert len(whole.splitlines()) <= 1
    whole.encode("utf-8")
    assert len(one_line(text, limit)) <= limit
    assert one_line(text, len(whole) + 1) == whole


def test_readable_text_stays():
    assert one_line("Amélie – שלום 🎬👩‍👩‍👧") == "Amélie – שלום 🎬👩‍👩‍👧"
    assert one_line("a\nb\u202e") == "a\\nb\\u202e"


@pytest.mark.parametrize(
    ("value", "text"), [(None, "–"), (0.0, "0.000"), (0.5, "0.500"), (0.00123, "0.0012")]
)
def test_numbers(value, text):
    assert number(value) == text
