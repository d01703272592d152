"""The role ``score`` where cases come with it: the decision of Dreams(EA)."""

from dataclasses import asdict
from typing import Any

import pytest

from dialogue.snapshot import preferences_state, view_state
from planners.experience.choice import ChoiceSettings
from serving.advising import advise
from serving.handlers import HANDLERS
from serving.inputs import InputError
from tests.serving.asking import ORIGIN, WORLD, fresh_view

VIEW = view_state(fresh_view(), texts=False)
CASE = {"action": "ItemRec", "search": {"ItemRec": 0.8, "StarInquiry": 0.2}, "distance": 0.5}
CASES: dict[str, Any] = {"choice": asdict(ChoiceSettings()), "successes": [CASE], "failures": []}
QUERY = {"preferences": preferences_state(fresh_view().state), "text": "rain, please"}
GOOD: dict[str, Any] = {
    "catalog": ORIGIN, "view": VIEW, "scorer": {}, "cases": CASES, "query": QUERY, "depth": 2,
    "count": 2,
}  # fmt: skip


def with_case(**changes: Any) -> dict[str, Any]:
    return {"cases": {**CASES, "successes": [CASE | changes]}}


def test_the_successful_case_is_followed() -> None:
    found = advise(GOOD, WORLD)
    assert found["action"] == "ItemRec"
    assert [one["strategy"] for one in found["refinements"]] == ["drop_noise"]
    assert advise({**GOOD, "count": 0}, WORLD)["refinements"] == []
    assert advise({**GOOD, "query": None}, WORLD)["refinements"] == []
    asking = advise({**GOOD, **with_case(action="StarInquiry", search={})}, WORLD)
    assert asking == {"action": "StarInquiry", "refinements": []}


def test_an_endpoint_answers_it_at_the_role_score() -> None:
    assert "action" in HANDLERS["score"].compute(GOOD, _Here())  # type: ignore[arg-type]
    bare = {"catalog": ORIGIN, "view": VIEW, "scorer": {}}
    assert "scores" in HANDLERS["score"].compute(bare, _Here())  # type: ignore[arg-type]


class _Here:
    world = WORLD


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"cases": {}}, r"inputs\.cases\.choice"),
        ({"cases": None}, r"inputs\.cases"),
        ({"cases": {**CASES, "choice": {**CASES["choice"], "neighbours": 0}}}, "choice.neighbours"),
        ({"cases": {**CASES, "choice": {**CASES["choice"], "reach": 0.0}}}, "planner.reach"),
        (with_case(action="Quit"), r"no action 'Quit' \(there are GenreInquiry"),
        (with_case(search={"Quit": 0.5}), "no action 'Quit'"),
        (with_case(search={"ItemRec": 2.0}), r"successes\.0\.search"),
        (with_case(distance=-1.0), r"successes\.0\.distance"),
        (with_case(distance=float("nan")), r"successes\.0\.distance"),
        (
            {"cases": {**CASES, "failures": [CASE | {"distance": 2.0}, CASE]}},
            "the nearest comes first",
        ),
        ({"cases": {**CASES, "failures": [CASE] * 1001}}, r"inputs\.cases\.failures"),
        ({"scorer": {"wit": 1.0}}, "no 'wit'"),
        ({"scorer": {"ask": 1e6, "tired": 1e6}, "view": {**VIEW, "streak": 60}}, "any number"),
        ({"query": {"text": "x"}}, r"inputs\.query\.preferences"),
        ({"depth": -1}, r"inputs\.depth"),
        ({"count": 10**30}, r"inputs\.count"),
        ({"view": None}, r"inputs\.view"),
    ],
    ids=str,
)
def test_what_cannot_be_used_is_named(changes: dict[str, Any], message: str) -> None:
    with pytest.raises(InputError, match=message):
        advise({**GOOD, **changes}, WORLD)
