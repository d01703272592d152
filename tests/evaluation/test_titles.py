"""Titles in what a system says."""

import pytest

from catalogs.catalog import ItemRow, build_catalog
from catalogs.domain import load_domain
from evaluation.titles import TitleFinder

ROWS = (("Up", 2009), ("It", None), ("Bad Boys", 1995), ("Bad Boys", 2020), ("Love, Mostly", None),
        ("Love", 1990))  # fmt: skip


def finder() -> TitleFinder:
    rows = [
        ItemRow(str(k), title, year, (("drama",), (), ()), popularity=9.0 - k)
        for k, (title, year) in enumerate(ROWS)
    ]
    return TitleFinder(build_catalog(load_domain("movie"), rows, "titles"))


@pytest.mark.parametrize(
    ("text", "items"),
    [
        ("What is up? I love it.", []),
        ("How about Up (2009)?", [0]),
        ("How about Up?", [0]),
        ("Have you seen “It”?", [1]),
        ("It is a pity.", []),
        ("I suggest Bad Boys (2020).", [3]),
        ("I suggest Bad Boys (1995).", [2]),
        ("I suggest Bad Boys.", [2]),
        ("They were bad boys.", []),
        ("Try Love, Mostly, or Love (1990).", [4, 5]),
        ("", []),
    ],
)
def test_items_named(text: str, items: list[int]) -> None:
    assert [hit.item for hit in finder().find(text)] == items


def test_a_year_makes_a_title_certain() -> None:
    hits = finder().find("Up (2009) and Bad Boys")
    assert [(hit.item, hit.certain, hit.start) for hit in hits] == [(0, True, 0), (2, False, 14)]
