"""The paper's figures: spot checks, consistency between tables, and how they are cited."""

import pytest

from evaluation.published import (
    figure_with_tables,
    published_rows,
    rows_of_method,
    rows_of_planner,
)


def test_the_tables_with_figures_are_there():
    assert {row.table for row in published_rows()} == {1, 2, 3, 4, 8, 9, 10}


@pytest.mark.parametrize(
    ("table", "dataset", "method", "key", "figure"),
    [
        (1, "redial", "InterCRS", "cge2", 0.570),
        (2, "redial", "Dreams", "recall@1", 0.507),
        (2, "opendialkg_book", "Dreams", "success_rate", 0.594),
        (3, "opendialkg_movie", "Dreams", "pe2", 0.078),
        (4, "redial", "Dreams w/o ELNode & JSON", "fge2", 0.340),
        (8, "redial", "Dreams", "next_action_accuracy", 0.758),
        (9, "redial", "judge, elicitation", "spearman", 0.75),
        (10, "redial", "Dreams(EA)", "seconds_per_turn", 9.0),
    ],
)
def test_figures(table, dataset, method, key, figure):
    rows = [row for row in rows_of_method(dataset, method) if row.table == table]
    assert [row.figures[key] for row in rows] == [figure]


def test_tables_that_repeat_a_figure_agree():
    """All but the two disagreements that are the paper's own."""
    figures: dict[tuple[str, str, str], set[float]] = {}
    for row in published_rows():
        for key, figure in row.figures.items():
            if row.table != 10:
                figures.setdefault((row.dataset, row.method, key), set()).add(figure)
    different = {place for place, values in figures.items() if len(values) > 1}
    assert different == {("redial", "PC-CRS", "success_rate")}


def test_rates_are_rates():
    for row in published_rows():
        for key, figure in row.figures.items():
            assert key == "seconds_per_turn" or 0.0 < figure < 1.0


def test_a_figure_is_cited_with_every_table():
    rows = rows_of_planner("redial", "dreams")
    assert figure_with_tables(rows, "recall@1") == "0.507 (Table 2, 4); 0.578 (Table 10)"
    assert figure_with_tables(rows, "seconds_per_turn") == "34 (Table 10)"
    assert figure_with_tables(rows, "return") == ""


def test_a_planner_without_a_published_method_has_no_row():
    assert rows_of_planner("redial", "ppo") == ()
    assert rows_of_planner("custom", "dreams") == ()
