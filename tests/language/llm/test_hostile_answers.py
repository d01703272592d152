"""Whatever an endpoint answers: a valid result, the embedded role, or a documented error."""

from __future__ import annotations

import json
import math
from collections.abc import Iterator

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from language.llm import usage
from language.llm.errors import DialogueFailed
from language.llm.request import Answer
from language.llm.roles import Roles
from tests.language.llm.calls import Everything, Said, call, stubbed
from tests.language.llm.fake_endpoint import FakeEndpoint, Reply

EMBEDDED = Everything(text="embedded", scores=[])

_numbers = (
    st.integers(-(10**400), 10**400)
    | st.floats()
    | st.sampled_from([10**4000, -1, 2**63, 2**64, 1e308, -0.0])
)
_json = st.recursive(
    st.none() | st.booleans() | _numbers | st.text(),
    lambda child: st.lists(child, max_size=3) | st.dictionaries(st.text(), child, max_size=3),
    max_leaves=8,
)
_score = st.fixed_dictionaries(
    {
        "action": st.sampled_from(["ask", "offer", "ASK", "", "offer "]) | _json,
        "score": _numbers | st.just("0.5") | _json,
        "count": st.integers(-(10**400), 10**400) | _json,
        "note": st.none() | st.text() | _json,
    },
    optional={"extra": _json},
)
_shaped = st.fixed_dictionaries({"text": st.text() | _json, "scores": st.lists(_score, max_size=3)})
_written = (_shaped | _json).map(json.dumps)
_halved = st.tuples(_written, st.floats(0, 1)).map(lambda t: t[0][: int(len(t[0]) * t[1])])
_wrapped = st.tuples(st.text(max_size=20), _written, st.text(max_size=20)).map("".join)
_bytes = st.binary(max_size=200).map(lambda data: data.decode("utf-8", "replace"))
_texts = _written | _halved | _wrapped | _bytes | st.text()
_answers = st.builds(
    Answer,
    _texts,
    finish=st.sampled_from(["stop", "length", "tool_calls", ""]),
    refused=st.booleans() | st.just(False),
)


@settings(max_examples=300)
@given(_answers, _answers)
def test_any_two_answers_end_in_a_result_or_the_embedded_role(first, second):
    roles, stub = stubbed(first, second)
    with usage.collect() as counted:
        found = roles.ask(call(result=Everything), lambda: EMBEDDED)
    track = counted.by_role()["track"]
    assert isinstance(found, Everything)
    if found is EMBEDDED:
        assert track["fallbacks"] == 1
        assert len(counted.fallbacks()) == 1
    else:
        # What is taken is of the declared shape, with numbers that mean something.
        Everything.model_validate(found.model_dump())
        assert all(math.isfinite(each.score) for each in found.scores)
        assert track["fallbacks"] == 0
    bad = sum(track["faults"].values())
    assert bad == track["repairs"] + track["fallbacks"]
    assert len(stub.requests) == track["calls"] == 1 + track["repairs"]


_envelopes = (
    st.binary(max_size=100)
    | _json.map(lambda value: json.dumps(value).encode())
    | st.fixed_dictionaries(
        {},
        optional={
            "choices": _json
            | st.lists(
                st.fixed_dictionaries(
                    {},
                    optional={
                        "message": _json
                        | st.fixed_dictionaries({"content": _json}, optional={"refusal": _json}),
                        "finish_reason": _json,
                    },
                ),
                max_size=2,
            ),
            "usage": _json
            | st.fixed_dictionaries({"prompt_tokens": _json, "completion_tokens": _json}),
            "error": _json | st.fixed_dictionaries({"message": _json}),
        },
    ).map(lambda value: json.dumps(value).encode())
)


@pytest.fixture(scope="module")
def bodies() -> Iterator[tuple[FakeEndpoint, Roles]]:
    endpoint = FakeEndpoint()
    roles = Roles(
        {"backend": "openai", "base_url": endpoint.base_url, "backoff_s": 0.0, "max_attempts": 2}
    )
    yield endpoint, roles
    roles.close()
    endpoint.close()


@settings(max_examples=150)
@given(given_bodies=st.lists(_envelopes, min_size=1, max_size=2))
def test_any_body_ends_in_a_result_the_embedded_role_or_a_documented_error(bodies, given_bodies):
    endpoint, roles = bodies
    endpoint.answers(*[Reply(body) for body in given_bodies])
    try:
        reply = roles.ask(call(), lambda: Said(reply="embedded")).reply
    except DialogueFailed as error:
        reply = error.reason
    assert isinstance(reply, str)
