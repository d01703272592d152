"""Which cases are most like a situation: its structure decides, not what was named."""

from dataclasses import fields, replace

import pytest

from planners.experience.similarity import CaseIndex, SimilaritySettings
from tests.planners.experience.cases import FACETS, base, case, facet_state, facts

STATE = {facet: facet_state() for facet in FACETS}
RULES = SimilaritySettings(**{field.name: 1.0 for field in fields(SimilaritySettings)})


def features(**changes: float) -> list[float]:
    return CaseIndex([], FACETS, RULES).features(STATE, facts(**changes))


def test_the_same_situation_is_at_distance_zero() -> None:
    index = CaseIndex([case(0), case(1, success=False)], FACETS, RULES)
    pair = index.nearest(STATE, facts(), 1)
    assert [near.distance for near in (*pair.successes, *pair.failures)] == [0.0, 0.0]
    assert (pair.successes[0].case.episode, pair.failures[0].case.episode) == (0, 1)


def test_one_success_and_one_failure_are_found_however_many_there_are() -> None:
    cases = [
        case(k, success=k % 2 == 0, facts=facts(turn=k, streak=k), turn=k + 1) for k in range(8)
    ]
    pair = CaseIndex(cases, FACETS, RULES).nearest(STATE, facts(turn=5, streak=5), 1)
    assert [near.case.episode for near in pair.successes] == [4]
    assert [near.case.episode for near in pair.failures] == [5]


def test_nearest_first_and_earlier_first_among_equals() -> None:
    cases = [case(0, facts=facts(turn=3)), case(1), case(2), case(3, facts=facts(turn=1))]
    pair = CaseIndex(cases, FACETS, RULES).nearest(STATE, facts(), 9)
    assert [near.case.episode for near in pair.successes] == [1, 2, 3, 0]
    assert pair.failures == ()


def test_what_was_named_does_not_matter() -> None:
    rain = {**STATE, "star": facet_state(status="stated", like=["Ada Lind"], best=0.6)}
    sun = {**STATE, "star": facet_state(status="stated", like=["Tom Hollis"], best=0.6)}
    known = facts(confidence_star=0.6)
    index = CaseIndex([case(state=rain, facts=known)], FACETS, RULES)
    assert index.nearest(sun, known, 1).successes[0].distance == 0.0


@pytest.mark.parametrize(
    "change",
    [
        {"turn": 4}, {"streak": 1}, {"rejections": 1}, {"impatience": 1}, {"just_rejected": 1},
        {"details": 1}, {"candidates": 2}, {"score.1": 0.5}, {"acceptance.1": 0.8},
        {"acceptance.1": 0.5, "acceptance.2": 0.5}, {"patience": 1.0}, {"fatigue": 1.0},
        {"confidence.star": 0.6}, {"asked.genre": 1}, {"reason.director": 1},
    ],
    ids=str,
)  # fmt: skip
def test_each_fact_counts(change: dict[str, float]) -> None:
    assert CaseIndex([], FACETS, RULES).features(STATE, facts() | change) != features()


@pytest.mark.parametrize(
    "change", [{"closed": True}, {"evasions": 1}, {"ambiguous": [["a", "b"]]}], ids=str
)
def test_each_part_of_a_facets_state_counts(change: dict[str, object]) -> None:
    changed = {**STATE, "star": facet_state(**change)}
    assert CaseIndex([], FACETS, RULES).features(changed, facts()) != features()


EVENTFUL = facts(
    turn=3, streak=2, rejections=1, impatience=1, just_rejected=1, details=1, acceptance_1=0.7,
    patience=1.0, fatigue=1.0, confidence_star=0.6, asked_star=1, reason_star=1,
)  # fmt: skip
OPEN = {**STATE, "star": facet_state(closed=True, evasions=2, ambiguous=[["a", "b"]])}
NOTHING = {field.name: 0.0 for field in fields(SimilaritySettings)}


@pytest.mark.parametrize("name", NOTHING)
def test_each_weight_has_a_feature(name: str) -> None:
    alone = CaseIndex([], FACETS, SimilaritySettings(**NOTHING | {name: 1.0}))
    assert any(alone.features(OPEN, EVENTFUL))
    none = CaseIndex([], FACETS, SimilaritySettings(**NOTHING))
    assert not any(none.features(OPEN, EVENTFUL))


@pytest.mark.parametrize("value", [-1.0, float("inf"), float("nan"), True, "1"])
def test_a_weight_out_of_range_is_named(value: float) -> None:
    with pytest.raises(ValueError, match=r"planner\.similarity\.streak must be a number"):
        SimilaritySettings(streak=value)


def test_a_base_that_lacks_a_fact_is_refused_with_its_place() -> None:
    broken = replace(case(7, turn=3), facts={"turn": 1})
    with pytest.raises(ValueError, match=r"lacks 'acceptance.1' in episode 7, turn 3"):
        CaseIndex(base([broken]).experiences, FACETS, RULES)
