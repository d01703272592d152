"""The nearest right names for a wrong one."""

import pytest

from catalogs.nearest import nearest_hint, nearest_names

KNOWN = ("goal", "goals", "persona", "split")


@pytest.mark.parametrize(
    ("word", "count", "hint"),
    [
        ("gaol", 1, "; did you mean 'goal'?"),
        ("gaols", 2, "; did you mean 'goals' or 'goal'?"),
        ("xyz", 2, ""),
        (7, 1, ""),
    ],
)
def test_the_hint_names_the_nearest_or_nothing(word: object, count: int, hint: str) -> None:
    assert nearest_hint(word, KNOWN, count) == hint


def test_a_lower_cutoff_lets_in_less_like_names() -> None:
    assert nearest_names("pers", iter(KNOWN), cutoff=0.8) == []
    assert nearest_names("pers", iter(KNOWN), cutoff=0.4) == ["persona"]
