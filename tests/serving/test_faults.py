"""Which request meets which fault, and what becomes of an answer."""

from __future__ import annotations

import json
from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st

from language.llm import usage
from serving.faults import CONTENT, COUNTED_AS, FAULTS, FaultPlan, spoil


def drawn(plan: FaultPlan, count: int) -> list[str]:
    return [plan.draw().fault for _ in range(count)]


def test_each_fault_has_one_name_at_the_client() -> None:
    """A breach of the schema cannot be injected, and three faults are not lived through."""
    assert set(FAULTS) - set(COUNTED_AS) == {"auth", "overflow", "no_model"}
    assert sorted(COUNTED_AS.values()) == sorted(set(usage.FAULTS) - {"schema"})


def test_equal_seeds_draw_equal_faults() -> None:
    faults = dict.fromkeys(FAULTS, 0.05)
    first, second = (drawn(FaultPlan(faults, (), 7), 500) for _ in range(2))
    assert first == second
    assert first != drawn(FaultPlan(faults, (), 8), 500)


def test_faults_come_as_often_as_they_should() -> None:
    faults = {"rate_limit": 0.05, "hang": 0.02, "broken_json": 0.2}
    counts = Counter(drawn(FaultPlan(faults, (), 0), 20_000))
    assert set(counts) == {"", *faults}
    for kind, chance in faults.items():
        spread = (chance * (1 - chance) / 20_000) ** 0.5
        assert abs(counts[kind] / 20_000 - chance) < 5 * spread


@pytest.mark.parametrize("faults", [{"drop": 1.0}, {"hang": 0.7, "drop": 0.2, "empty": 0.1}])
def test_a_sum_of_one_leaves_no_good_answer(faults: dict[str, float]) -> None:
    assert "" not in drawn(FaultPlan(faults, (), 0), 5_000)


def test_a_script_comes_first_and_shifts_nothing() -> None:
    faults = {"drop": 0.5}
    plain = drawn(FaultPlan(faults, (), 3), 40)
    assert drawn(FaultPlan(faults, ("hang", "", "empty"), 3), 40) == [
        "hang",
        "",
        "empty",
        *plain[3:],
    ]


def test_wobbles_cover_the_spread() -> None:
    plan = FaultPlan({}, (), 0)
    wobbles = [plan.draw().wobble for _ in range(1000)]
    assert -1 <= min(wobbles) < -0.9
    assert 0.9 < max(wobbles) < 1


values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3),
    max_leaves=8,
)


@given(values, st.dictionaries(st.text(), values, max_size=4), st.sampled_from(CONTENT))
def test_spoilt_answers_are_spoilt(value: object, others: dict[str, object], fault: str) -> None:
    result = {"acts": value, **others}
    content, refused, finish = spoil(fault, json.dumps(result))
    assert (finish == "length") == (fault == "truncated")
    assert (refused is not None) == (content is None) == (fault == "refusal")
    if content is not None:
        with pytest.raises(json.JSONDecodeError):
            json.loads(content)


def test_other_kinds_leave_the_answer_alone() -> None:
    for kind in ("", *(set(FAULTS) - set(CONTENT))):
        assert spoil(kind, '{"a":1}') == ('{"a":1}', None, "stop")
