import dataclasses
import math
from typing import Any

import pytest

from search import UCTSettings


def test_the_defaults_are_the_documented_ones() -> None:
    assert dataclasses.asdict(UCTSettings()) == {
        "exploration": 1.0,
        "discount": 0.95,
        "depth": 3,
        "w_tree": 0.7,
        "w_prior": 0.3,
        "prior_visits": 0.0,
        "selection": "uct",
        "normalize": False,
        "wave": 1,
        "virtual_loss": 1.0,
    }


@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("exploration", -0.1),
        ("exploration", math.nan),
        ("discount", 1.01),
        ("discount", math.nan),
        ("depth", 0),
        ("wave", 0),
        ("w_tree", -1.0),
        ("w_prior", math.inf),
        ("virtual_loss", -1.0),
        ("selection", "ucb"),
    ],
)
def test_a_value_out_of_range_is_named(field: str, value: Any) -> None:
    with pytest.raises(ValueError, match=rf"UCTSettings\.{field} is "):
        UCTSettings(**{field: value})


def test_one_weight_must_be_positive() -> None:
    with pytest.raises(ValueError, match="both 0"):
        UCTSettings(w_tree=0.0, w_prior=0.0)
