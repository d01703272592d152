"""Steps of the comparators in a request: what does not fit is refused by its field, not a fault."""

from __future__ import annotations

import copy
import json
from collections.abc import Callable, Iterator
from functools import cache
from typing import Any

import numpy as np
import pytest

from baselines.act_words import saying
from baselines.chat_crs import ChatCRS, ChatCRSSettings
from baselines.inter_crs import InterCRS
from baselines.macrs import MACRS, MACRSSettings
from baselines.methods import STEPS
from baselines.pc_crs import PCCRS, PCCRSSettings
from baselines.ra_crs import RACRS, RACRSSettings
from baselines.steps import Player
from language.prompts.single_call import Situation
from serving.handlers import policy
from serving.inputs import InputError
from tests.baselines.served import served_answer
from tests.baselines.texts_only import Players, opened, say
from tests.serving.asking import CATALOG, ORIGIN, WORLD

RNG = np.random.default_rng(0)
METHODS: tuple[Callable[[Player], Any], ...] = (
    lambda roles: InterCRS(roles=roles),
    lambda roles: MACRS(MACRSSettings(), roles),
    lambda roles: ChatCRS(ChatCRSSettings(), roles),
    lambda roles: PCCRS(PCCRSSettings(), roles),
    lambda roles: RACRS(RACRSSettings(), roles),
)
SAID = (
    "A western with Ada Lind.", "Ada Lind.", "No, no crime.", "Seen it.",
    *["Tell me more about it."] * 4,
)  # fmt: skip
WORST: list[Any] = [
    None, True, -1, -2, 99, 10**30, 0.5, "", "x", "ItemRec", [], {}, [-1], [[99]], [10**30],
    {"x": 1},
]  # fmt: skip


@cache
def asked() -> dict[str, dict[str, Any]]:
    """Inputs of the single call (``""``) and of every step, from the middle of a dialogue."""
    found: dict[str, dict[str, Any]] = {}
    for make in METHODS:
        players = Players(lambda call: served_answer(CATALOG, call))
        view = opened(CATALOG)
        for user in SAID:
            turn = make(players).decide(view, RNG)
            item = turn.ranking[0] if turn.ranking else -1
            item = view.offers[-1][0] if turn.action == CATALOG.domain.explain else item
            say(view, turn.action, item, turn.text or "", user, ())
        for call in players.calls:
            inputs = json.loads(json.dumps({**call.inputs(), "catalog": ORIGIN}))
            found[inputs.get("step", "")] = inputs
    situation = Situation(CATALOG, (("user", "Hm."),), (1, 2), 1, 0, (0, 1, 2, 3, 4, 5))
    for name in STEPS:
        if name.startswith(("sapient_llm/", "t_epl/")):
            step = STEPS[name]
            fields = step.given.model_fields
            given = saying(CATALOG, "clarify", 0, ("crime", "drama")) if fields else step.given()
            found[name] = json.loads(
                json.dumps({**step.call(situation, given, 1).inputs(), "catalog": ORIGIN})
            )
    assert found.keys() == {"", *STEPS}
    return found


NAMES = ("", *STEPS)


def paths(value: Any, prefix: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    entries: Any = ()
    if isinstance(value, dict):
        entries = value.items()
    elif isinstance(value, list):
        entries = list(enumerate(value))[:3]
    for key, inner in entries:
        yield (*prefix, key)
        yield from paths(inner, (*prefix, key))


def changed(name: str, path: tuple[Any, ...], value: Any) -> dict[str, Any]:
    new = copy.deepcopy(asked()[name])
    inner: Any = new
    for key in path[:-1]:
        inner = inner[key]
    inner[path[-1]] = value
    return new


@pytest.mark.parametrize("name", NAMES)
def test_anything_anywhere_is_computed_or_refused(name: str) -> None:
    """Nothing but an InputError comes out, so nothing is logged as a fault of the endpoint."""
    assert policy(asked()[name], WORLD)
    told: list[str] = []
    for path in paths(asked()[name]):
        for value in WORST:
            try:
                assert policy(changed(name, path, value), WORLD)
            except InputError as error:
                told.append(str(error))
    assert len(told) > 50
    assert all(message.startswith("inputs") and len(message) < 500 for message in told)


@pytest.mark.parametrize("value", [len(CATALOG), 99, 10**30])
@pytest.mark.parametrize(
    ("name", "path", "field"),
    [
        ("pc_crs/strategy", ("item",), "item"),
        ("pc_crs/explain", ("item",), "item"),
        ("pc_crs/check", ("item",), "item"),
        ("ra_crs/explain", ("item",), "item"),
        ("ra_crs/answer", ("item",), "item"),
        ("ra_crs/ask", ("facet",), "facet"),
        ("ra_crs/items", ("offers", 0), "offers"),
    ],
)
def test_indices_must_fit_the_catalogue(
    name: str, path: tuple[Any, ...], field: str, value: int
) -> None:
    with pytest.raises(InputError, match=rf"^inputs\.given\.{field}: .* is not in 0\.\.\d+$"):
        policy(changed(name, ("given", *path), value), WORLD)


def test_a_refined_text_is_about_an_item() -> None:
    explained = asked()["pc_crs/refine"]
    assert policy(explained, WORLD)
    with pytest.raises(InputError, match=r"^inputs\.given\.item: 99 is not in"):
        policy(changed("pc_crs/refine", ("given", "item"), 99), WORLD)


@pytest.mark.parametrize(
    ("name", "goal"), [("macrs/recommend", None), ("chat_crs/reply", "ItemRec")]
)
def test_an_offer_needs_a_candidate(name: str, goal: str | None) -> None:
    inputs = changed(name, ("candidates",), [])
    inputs["given"] |= {} if goal is None else {"goal": goal}
    with pytest.raises(InputError, match=r"^inputs\.candidates: there is none"):
        policy(inputs, WORLD)


@pytest.mark.parametrize(
    ("name", "goal"), [("macrs/chat", None), ("chat_crs/reply", "ItemExplanation")]
)
def test_an_explanation_needs_an_offer(name: str, goal: str | None) -> None:
    inputs = changed(name, ("last_offer",), -1)
    inputs["legal"] = [0]
    inputs["given"] |= {} if goal is None else {"goal": goal}
    with pytest.raises(InputError, match=r"^inputs\.last_offer: nothing was offered"):
        policy(inputs, WORLD)
    with pytest.raises(InputError, match=r"^inputs\.legal: nothing was offered"):
        policy({**inputs, "legal": [5]}, WORLD)


def test_goals_and_facts_must_be_ones() -> None:
    with pytest.raises(InputError, match=r"^inputs\.given\.goal: 'Dance' is none of Genre"):
        policy(changed("chat_crs/reply", ("given", "goal"), "Dance"), WORLD)
    with pytest.raises(InputError, match=r"^inputs\.given\.knowledge: 2 names are no item"):
        policy(changed("chat_crs/reply", ("given", "knowledge"), [["a", "b"]]), WORLD)


def test_an_unknown_step_is_refused() -> None:
    with pytest.raises(InputError, match=r"^inputs\.step: no step 'dance' \(there are macrs/"):
        policy(changed("macrs/plan", ("step",), "dance"), WORLD)
