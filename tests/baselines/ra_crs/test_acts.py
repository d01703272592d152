"""RA-CRS's acts: which apply, and that the highest priority decides."""

from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from baselines.ra_crs.acts import Act, Course, applicable, choose_act
from baselines.ra_crs.settings import RACRSSettings
from baselines.ra_crs.state import Constraint, Refusal, State
from tests.small_world import films

FILMS = films()
EMPTY = State(
    intents=["small_talk"],
    hard=[],
    soft=[],
    settled=[],
    current=None,
    accepted=[],
    rejected=[],
    known=[],
)
START = Course((0, 0, 0), 0, 0, False, 10, frozenset({0, 1, 2, 4}))
OFFERED = Course((1, 0, 0), 0, 1, False, 5, frozenset(range(6)))


def like(facet: str, value: str = "some", wanted: bool = True) -> Constraint:
    return Constraint(facet=facet, value=value, wanted=wanted)


def state(**parts: Any) -> State:
    return EMPTY.model_copy(update=parts)


def act(found: State, course: Course = START, **settings: Any) -> Act:
    return choose_act(FILMS, found, course, RACRSSettings(**{"people_first": False, **settings}))


REFUSED = state(
    intents=["rejects_item"],
    hard=[like("genre"), like("star")],
    rejected=[
        Refusal(item="A", facet="director", value=None),
        Refusal(item="B", facet="star", value="Ada Lind"),
    ],
)


@pytest.mark.parametrize(
    ("found", "course", "settings", "expected"),
    [
        (EMPTY, START, {}, Act("request", 0)),
        (EMPTY, START, {"people_first": True}, Act("request", 1)),
        (state(hard=[like("genre")]), START, {}, Act("request", 1)),
        (state(hard=[like("genre", wanted=False)]), START, {}, Act("request", 0)),
        (state(soft=[like("genre")]), START, {}, Act("request", 1)),
        (state(settled=["Genre"], hard=[like("star")]), START, {}, Act("elaborate", 2)),
        (state(hard=[like("genre"), like("star")]), START, {}, Act("elaborate", 0)),
        (state(hard=[like("genre"), like("star")]), START, {"elaborate": 1.0},
         Act("recommend", -1)),
        (EMPTY, START, {"mandatory": 0, "elaborate": 1.0}, Act("recommend", -1)),
        (EMPTY, START, {"opening": 0}, Act("recommend", -1)),
        (EMPTY, START, {"late": 10}, Act("recommend", -1)),
        (EMPTY, replace(START, streak=2), {}, Act("recommend", -1)),
        (EMPTY, replace(START, asked=(2, 0, 0)), {}, Act("request", 1)),
        (state(intents=["loses_patience"]), START, {}, Act("recommend", -1)),
        (state(soft=[like("star", "A"), like("star", "B")]), START, {}, Act("clarify", 1)),
        (REFUSED, OFFERED, {}, Act("reflect", 1)),
        (REFUSED, OFFERED, {"reflect": 1.0, "elaborate": 1.0}, Act("recommend", -1)),
        (REFUSED, OFFERED, {"between": 0}, Act("recommend", -1)),
        (state(intents=["asks_about_item", "small_talk"]), OFFERED, {}, Act("answer", -1)),
        (state(intents=["asks_about_item"]), replace(OFFERED, explained=True), {},
         Act("request", 1)),
        (state(intents=["asks_about_item"]), START, {}, Act("request", 0)),
        (state(intents=["knows_item"], hard=[like("genre"), like("star")]), OFFERED,
         {"elaborate": 1.0}, Act("recommend", -1)),
    ],
)  # fmt: skip
def test_the_highest_priority_decides(
    found: State, course: Course, settings: dict[str, Any], expected: Act
) -> None:
    assert act(found, course, **settings) == expected


def test_with_nothing_to_offer_the_facet_asked_least_is_asked_about() -> None:
    course = Course((3, 2, 4), 9, 0, False, 1, frozenset({0, 1, 2}))
    assert act(EMPTY, course) == Act("elaborate", 1)


FLAGS = st.sets(
    st.sampled_from(["asks_about_item", "rejects_item", "loses_patience", "knows_item"])
)
CONSTRAINTS = st.lists(
    st.builds(
        Constraint,
        facet=st.sampled_from(["genre", "star", "director", "other", "Actors"]),
        value=st.sampled_from(["drama", "Ada Lind", "cosy"]),
        wanted=st.booleans(),
    ),
    max_size=4,
)


@given(FLAGS, CONSTRAINTS, CONSTRAINTS, st.sampled_from([START, OFFERED]), st.data())
def test_any_order_of_priorities_is_kept(intents, hard, soft, course: Course, data) -> None:
    """What is done applies, and nothing that applies has a higher priority."""
    names = ("answer", "reflect", "clarify", "request", "recommend", "elaborate")
    order = data.draw(st.permutations(range(6)))
    priorities: dict[str, Any] = dict(zip(names, map(float, order), strict=True))
    settings = RACRSSettings(**priorities)
    found = state(intents=sorted(intents), hard=hard, soft=soft)
    applying = list(applicable(FILMS, found, course, settings))
    chosen = choose_act(FILMS, found, course, settings)
    assert chosen in applying
    rank = dict(zip(names, order, strict=True))
    assert rank[chosen.name] == max(rank[each.name] for each in applying)


@pytest.mark.parametrize(
    ("key", "value"),
    [
        ("pool", 9), ("pool", 1001), ("answer", "high"), ("fuse", 1.5),
        ("mandatory", -1), ("opening", -1), ("between", -1),
        ("late", -1), ("per_facet", 0), ("fuse", 0), ("hurry", 0), ("hurry", 5),
    ],
)  # fmt: skip
def test_settings_out_of_range_name_their_key(key: str, value: Any) -> None:
    with pytest.raises(ValueError, match=rf"planner\.{key} must be .*not {value!r}"):
        RACRSSettings(**{key: value})
