"""Each refinement changes what it says, leaves its input alone, and is None without an effect."""

from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from catalogs.catalog import Catalog
from dialogue.state import PreferenceState
from envs.world import World
from planners.strategies import STRATEGIES
from retrieval.query import Query, state_text
from tests.planners.situations import DIRECTOR, GENRE, STAR, reach
from tests.small_world import env_of
from tests.strategies import turns, worlds

BY_NAME = {strategy.name: strategy.apply for strategy in STRATEGIES}


Lists = dict[str, dict[int, tuple[Any, ...]]]
"""Values by attribute of the state and facet."""


def state(**lists: dict[int, tuple[Any, ...]]) -> PreferenceState:
    """A movie state from ``attribute={facet: values}``."""
    made = PreferenceState(3)
    for name, by_facet in lists.items():
        for facet, values in by_facet.items():
            getattr(made, name)[facet] = values
    return made


def refined(catalog: Catalog, name: str, start: PreferenceState, text: str = "") -> Query | None:
    return BY_NAME[name](Query(start, text), catalog)


CASES = [
    ("formalise", {"doubts": {GENRE: (1,), STAR: (2,)}}, {"dislikes": {GENRE: (1,), STAR: (2,)}}),
    (
        "latest_first",
        {"likes": {STAR: (0, 1), GENRE: (0, 1)}},
        {"likes": {STAR: (1,), GENRE: (0, 1)}},
    ),
    (
        "without_people",
        {"likes": {STAR: (0, 1), DIRECTOR: (0,), GENRE: (1,)}},
        {"likes": {GENRE: (1,)}},
    ),
    (
        "without_first",
        {"likes": {GENRE: (2, 0), STAR: (0, 1)}},
        {"likes": {GENRE: (0,), STAR: (0, 1)}},
    ),
    ("resolve_first", {"ambiguous": {GENRE: ((1, 2),)}}, {"likes": {GENRE: (1,)}}),
    ("resolve_second", {"ambiguous": {GENRE: ((1, 2),)}}, {"likes": {GENRE: (2,)}}),
    (
        "resolve_second",
        {"ambiguous": {GENRE: ((1, 2), (0, 2))}, "likes": {GENRE: (2,)}},
        {"likes": {GENRE: (2,)}},
    ),
]


@pytest.mark.parametrize(("name", "before", "after"), CASES)
def test_what_it_says(small: Catalog, name: str, before: Lists, after: Lists) -> None:
    found = refined(small, name, state(**before))
    assert found is not None
    assert found.state == state(**after)
    assert found.text == state_text(state(**after), small)


def test_drop_noise_leaves_the_attributes_alone(small: Catalog) -> None:
    start = state(likes={GENRE: (0,)})
    found = refined(small, "drop_noise", start, "well, I had a long day, so something nice")
    assert found is not None
    assert found.state == start
    assert found.text == small.value(GENRE, 0)
    assert BY_NAME["drop_noise"](found, small) is None


NOTHING = [
    ("formalise", {"dislikes": {GENRE: (1,)}, "likes": {STAR: (0, 1)}}),
    ("latest_first", {"likes": {STAR: (1,), GENRE: (0, 1)}}),
    ("without_people", {"likes": {GENRE: (0, 1)}}),
    ("without_first", {"likes": {GENRE: (1,), STAR: (0, 1)}}),
    ("resolve_first", {"likes": {GENRE: (0,)}}),
    ("resolve_second", {"likes": {GENRE: (0,)}}),
]


@pytest.mark.parametrize(("name", "before"), NOTHING)
def test_none_where_nothing_changes(small: Catalog, name: str, before: Lists) -> None:
    assert refined(small, name, state(**before)) is None


@pytest.mark.parametrize("name", BY_NAME)
def test_a_query_without_a_state_is_an_error(small: Catalog, name: str) -> None:
    with pytest.raises(ValueError, match="needs a query with a state"):
        BY_NAME[name](Query(None, "a text"), small)


@given(data=st.data(), place=worlds())
@settings(max_examples=60)
def test_from_any_state(data: st.DataObject, place: World) -> None:
    """The input stays as it was, a change is a change, and a refinement repeated ends."""
    env = env_of(place, max_turns=12)
    reach(env, data.draw(turns(env.catalog)), data.draw(st.integers(0, 5)))
    start = env.view.state
    for name, apply in BY_NAME.items():
        query: Query | None = Query(start.copy(), "said")
        for _ in range(20):
            assert query is not None
            before = Query(query.state.copy() if query.state else None, query.text)
            found = apply(query, env.catalog)
            assert query == before, name
            if found is None:
                break
            assert found != before, name
            query = found
        else:
            pytest.fail(f"{name} never ends")
    assert env.view.state == start
