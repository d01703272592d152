"""Whatever a request holds, it is answered, or refused with a message; never an error of ours."""

from __future__ import annotations

import copy
import json
import logging
from collections.abc import Callable, Iterator
from typing import Any, cast

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from baselines.inter_crs import InterCRSSettings
from language.llm.call import Call
from planners.dreams import Dreams
from planners.dreams_settings import DreamsSettings
from planners.exploitation import RefinementSettings
from serving.handlers import HANDLERS
from serving.settings import ServingSettings
from tests.planners.stand_in import StandIn
from tests.serving.asking import (
    CATALOG,
    ORIGIN,
    WORLD,
    Endpoint,
    chat_body,
    endpoint,
    refusal,
    track_inputs,
)
from tests.serving.dialogues import play
from tests.small_world import env_of

CHAT = "/v1/chat/completions"


@pytest.fixture(scope="module")
def served() -> Iterator[Endpoint]:
    with endpoint() as found:
        yield found


@pytest.fixture(autouse=True)
def _quiet(caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.CRITICAL, "serving.app")


@pytest.mark.parametrize(
    ("changes", "told"),
    [
        ({"crsgym": None}, "has no language model"),
        ({"crsgym": []}, "crsgym must be an object"),
        ({"crsgym": {"role": "track", "inputs": None}}, "inputs must be an object"),
        ({"crsgym": {"role": "track", "inputs": {}}}, "must say how to open"),
        ({"crsgym": {"role": "track", "prompt": 1, "inputs": {}}}, "prompt must be a text"),
        ({"stream": True}, "stream=true is not supported"),
        ({"n": 2}, "n must be 1"),
        ({"model": None}, "model must name a model"),
        ({"model": ["m"]}, "model must name a model"),
        ({"messages": []}, "messages must be a list"),
        ({"messages": "hi"}, "messages must be a list"),
        ({"messages": ["hi"]}, "each message needs"),
        ({"messages": [{"role": "user"}]}, "each message needs"),
        ({"messages": [{"role": "user", "content": [{"type": "text"}]}]}, "each message needs"),
        ({"response_format": "json"}, "response_format must have the type"),
        ({"response_format": {"type": ["json_object"]}}, "response_format must have the type"),
        ({"response_format": {"type": "yaml"}}, "response_format must have the type"),
        ({"response_format": {"type": "json_schema"}}, "needs a name and a schema"),
    ],
)
def test_frames(served: Endpoint, changes: dict[str, Any], told: str) -> None:
    assert told in refusal(served.chat("track", track_inputs(), **changes))


@pytest.mark.parametrize(
    ("raw", "told"),
    [
        (b"", "not JSON"),
        (b"{", "not JSON"),
        (b"\xff\xfe\xfa", "not JSON"),
        (b'{"model": NaN}', "not JSON"),
        (b'{"n": ' + b"9" * 5000 + b"}", "not JSON"),
        (b"[" * 200_000, "nested too deeply"),
        (b"[]", "must be a JSON object"),
        (b"null", "must be a JSON object"),
    ],
)
@pytest.mark.parametrize("path", [CHAT, "/v1/embeddings"])
def test_bodies(served: Endpoint, path: str, raw: bytes, told: str) -> None:
    assert told in refusal(served.post(path, raw))


@pytest.mark.parametrize("role", ["tracks", "embed", "", None, 3, ["track"], {"a": 1}, "x" * 9999])
def test_unknown_roles(served: Endpoint, role: object) -> None:
    body = chat_body("track", track_inputs())
    body["crsgym"]["role"] = role
    told = refusal(served.post(CHAT, body))
    assert "there are track, score, user" in told
    assert ("did you mean 'track'?" in told) == (role == "tracks")


@pytest.mark.parametrize(
    ("changes", "told"),
    [
        ({"input": 3}, "input must be a text or a list of texts"),
        ({"input": [[1, 2]]}, "input must be a text or a list of texts"),
        ({"input": []}, "1..2048 texts, not 0"),
        ({"input": ["x"] * 2049}, "1..2048 texts, not 2049"),
        ({"encoding_format": "hex"}, "'float' or 'base64'"),
        ({"dimensions": 3}, "dimensions cannot be chosen"),
        ({"crsgym": None}, "has no language model"),
        ({"crsgym": {"role": "track", "inputs": {"catalog": ORIGIN}}}, "role 'embed' only"),
    ],
)
def test_embeddings(served: Endpoint, changes: dict[str, Any], told: str) -> None:
    body = {"model": "m", "input": "x", "crsgym": {"inputs": {"catalog": ORIGIN}}}
    assert told in refusal(served.post("/v1/embeddings", {**body, **changes}))


def test_another_number_of_items_is_refused(served: Endpoint) -> None:
    told = refusal(served.chat("track", track_inputs(catalog={**ORIGIN, "n_items": 13})))
    assert "'test films' has 13 items and the server's 12" in told


def test_a_request_that_is_too_long_is_refused() -> None:
    with endpoint(ServingSettings(largest_body=4000)) as served:
        assert served.chat("track", track_inputs()).status_code == 200
        told = refusal(served.chat("track", track_inputs("x" * 100_000)))
        assert "at most 4000 are read" in told
        assert served.chat("track", track_inputs()).status_code == 200


def test_addresses_and_methods(served: Endpoint) -> None:
    missing = served.client.get(served.root + "/v2/models")
    wrong = served.client.get(served.root + CHAT)
    assert (missing.status_code, wrong.status_code) == (404, 405)
    assert "/v2/models" in missing.json()["error"]["message"]
    assert wrong.json()["error"]["type"] == "invalid_request_error"


def good_inputs() -> dict[str, dict[str, Any]]:
    """Inputs of each role from the middle of a dialogue."""
    found: dict[str, dict[str, Any]] = {}
    before = CATALOG.origin
    CATALOG.origin = ORIGIN
    try:
        play(WORLD, 0, 1, [0, 4, 3, 1], lambda role, inputs, _: found.update({role: inputs}))
    finally:
        CATALOG.origin = before
    facts = {
        "catalog": ORIGIN,
        "lines": [["user", "hi"]],
        "candidates": [1, 2],
        "offered": "0x1",
        "last_offer": 0,
        "legal": [0, 1, 4],
        "turns_left": 7,
        "rules": InterCRSSettings().rules().model_dump(mode="json"),
    }
    lines = {"catalog": ORIGIN, "lines": [["user", "hi"], ["system", "Which genre?"]]}
    return {**found, **planner_inputs(), "policy": facts, "judge": lines}


def planner_inputs() -> dict[str, dict[str, Any]]:
    """Inputs of the planner's roles, after an offer that the user asks about."""
    asked: list[tuple[str, dict[str, Any]]] = []

    class Kept(StandIn):
        def ask(self, call: Call[Any], fallback: Callable[[], Any]) -> Any:
            inputs = json.loads(json.dumps(call.inputs()))
            asked.append((call.role, {**inputs, "catalog": ORIGIN}))
            return super().ask(call, fallback)

    env = env_of(WORLD)
    env.reset(seed=0, options={"episode": 0})
    env.step(0)
    rules = DreamsSettings(n_el=2, goals=5, refinement=RefinementSettings(depth=2))
    policy = Dreams(rules, roles=cast(Any, Kept(WORLD)))
    policy.reset(env.view, np.random.default_rng(0))
    policy.decide(env.view, np.random.default_rng(0))
    found = dict(reversed(asked))
    assert set(found) == {"score", "imagine", "refine"}
    found["imagine"]["user"]["state"]["known"] = [[2, True]]
    return found


GOOD = good_inputs()
NESTED: Any = [[[[{}]]]]
WRONG: list[Any] = [
    None, True, -1, -2, 7, 10**30, 0.5, 1e308, "", "x", "0x" + "f" * 40, [], {}, [-1], [[99]],
    [10**30], {"x": 1}, NESTED,
]  # fmt: skip


def paths(value: Any, prefix: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    """Every place in a nested value."""
    entries: Any = ()
    if isinstance(value, dict):
        entries = value.items()
    elif isinstance(value, list):
        entries = enumerate(value)
    for key, inner in entries:
        yield (*prefix, key)
        yield from paths(inner, (*prefix, key))


def changed(inputs: dict[str, Any], path: tuple[Any, ...], *value: Any) -> dict[str, Any]:
    """A copy with another value at a place, or without the place."""
    new = copy.deepcopy(inputs)
    inner: Any = new
    for key in path[:-1]:
        inner = inner[key]
    if value:
        inner[path[-1]] = value[0]
    else:
        del inner[path[-1]]
    return new


@pytest.mark.parametrize("role", GOOD)
def test_anything_anywhere_is_answered_or_refused(served: Endpoint, role: str) -> None:
    assert served.chat(role, GOOD[role]).status_code == 200
    refused = tried = 0
    for number, path in enumerate(paths(GOOD[role])):
        for value in WRONG[number % 4 :: 4]:
            response = served.chat(role, changed(GOOD[role], path, value))
            tried += 1
            if response.status_code != 200:
                refusal(response)
                refused += 1
    assert refused > tried / 2


NOT_NEEDED = {
    ("catalog", "name"),  # The test's own worlds need no name.
    ("catalog", "n_items"),
    ("view", "exchanges"),
    ("view", "suggested"),
    ("step",),
}


def is_needed(role: str, path: tuple[Any, ...]) -> bool:
    """Constants of the scorer have defaults, and tracking goes without scores."""
    if path in NOT_NEEDED or isinstance(path[-1], int):
        return False
    return path[0] != "scorer" or (len(path) == 1 and role != "track")


@pytest.mark.parametrize("role", GOOD)
def test_whatever_is_missing_is_named(served: Endpoint, role: str) -> None:
    for path in paths(GOOD[role]):
        if is_needed(role, path):
            response = served.chat(role, changed(GOOD[role], path))
            assert str(path[-1]) in refusal(response), (path, response.text)
            assert response.status_code == (400 if path == ("catalog",) else 422)


@pytest.mark.parametrize(
    ("role", "path", "value", "field"),
    [
        ("score", ("scorer", "asks"), 1.0, "inputs.scorer: no 'asks'"),
        ("score", ("scorer", "ask"), "2", "inputs.scorer.ask"),
        ("score", ("scorer", "ask"), -1, "inputs.scorer.ask"),
        ("score", ("scorer", "ask"), 1e400, "inputs.scorer.ask"),
        ("score", ("view", "asked"), [0], "inputs.view.asked: 1 entries for 3 facets"),
        ("score", ("view", "preferences", "likes", 0), [99], "inputs.view.preferences.likes: 99"),
        ("imagine", ("view", "details"), 99, "inputs.view.details"),
        ("imagine", ("user", "goal"), [], "inputs.user.goal"),
        ("imagine", ("user", "acceptable"), "0xfffff", "inputs.user.acceptable"),
        ("imagine", ("user", "behaviour", "slip"), 2, "inputs.user.behaviour: behaviour: slip"),
        ("imagine", ("user", "behaviour", "fatigue"), 1e400, "inputs.user.behaviour"),
        ("imagine", ("user", "state", "remaining"), [[99], [], []], "inputs.user.state"),
        ("imagine", ("user", "state", "known"), [[2, 1]], "inputs.user.state.known"),
        ("imagine", ("user", "state", "known"), [[True, True]], "inputs.user.state.known"),
        ("imagine", ("user", "state", "known"), [[99, True]], "inputs.user.state.known"),
        ("imagine", ("rng",), "AAAA", "inputs.rng"),
        ("imagine", ("rng",), "/" * 3332 + "/w==", "inputs.rng"),
        ("imagine", ("action",), -1, "inputs.action"),
        ("refine", ("query", "preferences", "best"), [2, 0, 0], "inputs.query.preferences.best"),
        ("refine", ("query", "preferences", "likes"), [[]], "inputs.query.preferences.likes"),
        ("refine", ("query", "preferences", "odd"), [], "inputs.query.preferences.odd"),
        ("refine", ("query", "text"), None, "inputs.query.text"),
        ("refine", ("strategies",), ["formalize"], "inputs.strategies: no strategy 'formalize'"),
        ("refine", ("depth",), 0, "inputs.depth"),
        ("refine", ("count",), 10**30, "inputs.count"),
    ],
)
def test_planners_inputs_are_refused_by_field(
    served: Endpoint, role: str, path: tuple[Any, ...], value: Any, field: str
) -> None:
    body = json.dumps(chat_body(role, changed(GOOD[role], path, value))).replace(
        "Infinity", "1e400"
    )
    response = served.post(CHAT, body.encode())
    assert response.status_code == 422
    assert field in refusal(response)


@pytest.mark.parametrize("action", [4, 5])
@pytest.mark.parametrize("role", ["user", "imagine"])
def test_an_offer_needs_an_item(served: Endpoint, role: str, action: int) -> None:
    response = served.chat(role, {**GOOD[role], "action": action, "item": -1})
    assert response.status_code == 422
    assert "inputs.item: Item" in refusal(response)


def test_constants_whose_scores_are_beyond_any_number(served: Endpoint) -> None:
    """One power is too large for a float, one product is."""
    for streak in (100, 51):
        inputs = copy.deepcopy(GOOD["score"])
        inputs["view"]["streak"], inputs["scorer"]["tired"] = streak, 1e6
        inputs["scorer"]["ask"] = inputs["scorer"]["again"] = 1e6
        assert "inputs.scorer: these constants" in refusal(served.chat("score", inputs))


junk = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(), inner, max_size=4),
    max_leaves=10,
)


@given(
    role=st.sampled_from(list(HANDLERS)),
    inputs=st.dictionaries(st.sampled_from(["view", "text", "action", "item", "user"]), junk),
)
@settings(max_examples=100)
def test_junk_is_refused(served: Endpoint, role: str, inputs: dict[str, Any]) -> None:
    refusal(served.chat(role, {"catalog": ORIGIN, **inputs}))


@given(st.binary(max_size=200))
@settings(max_examples=100)
def test_bytes_are_refused(served: Endpoint, raw: bytes) -> None:
    refusal(served.post(CHAT, raw))


def test_a_role_that_fails_is_refused_and_not_asked_again(
    served: Endpoint, monkeypatch: pytest.MonkeyPatch
) -> None:
    def broken(*_: object) -> None:
        raise ZeroDivisionError("of our own making")

    monkeypatch.setattr("serving.handlers.restore_view", broken)
    response = served.chat("track", track_inputs())
    assert response.status_code == 422
    assert "ZeroDivisionError: of our own making" in refusal(response)
