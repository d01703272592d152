"""What an endpoint does not support is found out once, remembered and said."""

import json
import logging
from collections.abc import Callable
from typing import Any

import pytest

from language.llm import usage
from language.llm.errors import DialogueFailed
from language.llm.roles import Roles
from tests.language.llm.calls import Said, call
from tests.language.llm.fake_endpoint import FakeEndpoint, Reply, Seen, failed, said


def _ask(roles: Roles, **kwargs: Any) -> Said:
    found: Said = roles.ask(call(**kwargs), fallback=lambda: Said(reply="embedded"))
    return found


def _supporting(*formats: str) -> Callable[[Seen], Reply]:
    def answer(seen: Seen) -> Reply:
        wanted = seen.body.get("response_format", {}).get("type", "none")
        if wanted not in formats:
            return failed(400, f"response_format type '{wanted}' is not supported here")
        return said({"reply": wanted})

    return answer


@pytest.mark.parametrize(
    ("formats", "found", "requests"),
    [
        (("json_schema",), "json_schema", 1),
        (("json_object",), "json_object", 2),
        (("none",), "none", 3),
    ],
)
def test_formats_are_tried_from_the_strictest(endpoint, roles_at, formats, found, requests, caplog):
    endpoint.script = _supporting(*formats)
    roles = roles_at()
    with caplog.at_level(logging.WARNING, "crsgym.llm"), usage.collect() as counted:
        assert _ask(roles).reply == found
        assert len(endpoint.seen) == requests
        assert _ask(roles, text="again").reply == found
    assert len(endpoint.seen) == requests + 1
    assert len(caplog.records) == requests - 1
    track = counted.by_role()["track"]
    assert (track["calls"], track["retries"], track["faults"]) == (2, 0, {})
    told = endpoint.seen[-1].body["messages"]
    assert ("JSON schema" in told[0]["content"]) == (found != "json_schema")
    assert told[0]["content"].startswith("You answer.")


def test_without_a_system_message_one_is_added(endpoint, roles_at):
    endpoint.script = _supporting("none")
    _ask(roles_at(), messages=({"role": "user", "content": "hello"},))
    first, second = endpoint.seen[-1].body["messages"]
    assert first["role"] == "system"
    assert '"reply"' in first["content"]
    assert second == {"role": "user", "content": "hello"}


def test_the_length_limit_s_other_name_and_a_fixed_temperature(endpoint, roles_at, caplog):
    def answer(seen: Seen) -> Reply:
        if "max_tokens" in seen.body:
            message = "'max_tokens' is not supported with this model. Use 'max_completion_tokens'."
            return failed(400, message, param="max_tokens", code="unsupported_parameter")
        if "temperature" in seen.body:
            message = "Unsupported value: 'temperature' does not support 0.5 with this model."
            return failed(400, message, param="temperature", code="unsupported_value")
        return said({"reply": "hi"})

    endpoint.script = answer
    roles = roles_at(temperature=0.5)
    for _ in range(2):
        assert _ask(roles).reply == "hi"
    assert len(endpoint.seen) == 4
    assert endpoint.seen[-1].body["max_completion_tokens"] == 400
    assert [record.levelname for record in caplog.records] == ["WARNING", "WARNING"]


SCHEMA_COMPLAINTS = [
    'Invalid JSON payload received. Unknown name "additionalProperties" at '
    "'generation_config.response_schema': Cannot find field.",
    "GenerateContentRequest.generation_config.response_schema.properties[x].items: missing field.",
    "Function calling with a response mime type: 'application/json' is unsupported",
    "JSON mode is not enabled for this model",
    "output_format.schema: Extra inputs are not permitted",
    "the schema is too complex",
    "Unsupported keyword in schema: anyOf",
    "structured outputs are not available",
]


@pytest.mark.parametrize("message", SCHEMA_COMPLAINTS)
@pytest.mark.parametrize("listed", [False, True])
def test_complaints_about_the_schema_have_many_words(endpoint, roles_at, message, listed):
    def answer(seen: Seen) -> Reply:
        if "response_format" not in seen.body:
            return said({"reply": "hi"})
        error = {"error": {"message": message, "code": 400}}
        return Reply(json.dumps([error] if listed else error).encode(), 400)

    endpoint.script = answer
    assert _ask(roles_at()).reply == "hi"
    assert "JSON schema" in endpoint.seen[-1].body["messages"][0]["content"]


def _ignoring(seen: Seen) -> Reply:
    """Takes a response_format and answers as it likes, unless the shape is told in words."""
    told = any("JSON schema" in message["content"] for message in seen.body["messages"])
    return said({"reply": "hi"} if told else {"text": "hi"})


def test_an_endpoint_that_ignores_the_format_is_told_in_words(endpoint, roles_at, caplog):
    endpoint.script = _ignoring
    roles = roles_at()
    with caplog.at_level(logging.WARNING, "crsgym.llm"), usage.collect() as counted:
        for n in range(5):
            assert _ask(roles, text=str(n)).reply == "hi"
    track = counted.by_role()["track"]
    assert (track["repairs"], track["calls"], track["fallbacks"]) == (2, 7, 0)
    last = endpoint.seen[-1].body
    assert last["response_format"]["type"] == "json_schema"
    assert '"reply"' in last["messages"][0]["content"]
    (told,) = [record.getMessage() for record in caplog.records]
    assert "gpt-4o-mini" in told
    assert "does not keep to response_format" in told


def test_only_wrong_shapes_in_a_row_that_words_mend_count(endpoint, roles_at, caplog):
    roles, good, bad = roles_at(), said({"reply": "hi"}), said("hello there")
    cut, useless = said("", finish="length"), said({"reply": 3})
    rows = [
        (bad, good, good, bad, good, good),  # not in a row
        (cut, good, cut, good, cut, good),  # not the shape
        (bad, useless, bad, useless, bad, useless),  # words do not help
    ]
    for row in rows:
        endpoint.answers(*row, good)
        while len(endpoint.script) > 1:
            _ask(roles)
    assert "JSON schema" not in endpoint.seen[-2].body["messages"][0]["content"]
    assert caplog.records == []


def test_a_role_that_is_answered_well_hides_no_other(endpoint, roles_at):
    def answer(seen: Seen) -> Reply:
        if seen.body["messages"][1]["content"] == "reply":
            return said({"reply": "hi"})
        return _ignoring(seen)

    endpoint.script = answer
    roles = roles_at()
    with usage.collect() as counted:
        for _ in range(4):
            _ask(roles, text="track")
            _ask(roles, text="reply", role="reply")
    assert counted.by_role()["track"]["repairs"] == 2


def test_the_project_s_own_server_is_not_suspected(endpoint, roles_at, caplog):
    """Its faults are injected, and it does not read the messages."""
    endpoint.script = _ignoring
    roles = roles_at(backend="server")
    for _ in range(4):
        _ask(roles)
    assert len(endpoint.seen) == 8
    assert caplog.records == []


@pytest.mark.parametrize(
    "message",
    [
        "Unrecognized request argument supplied: reasoning_effort",
        "Unsupported parameter: 'reasoning.effort' is not supported with this model.",
        "Thinking budget is not supported for this model",
        "Input should be 'low', 'medium' or 'high': reasoning_effort",
    ],
)
def test_a_reasoning_effort_is_sent_as_given_and_left_out_if_refused(
    endpoint, roles_at, caplog, message
):
    def answer(seen: Seen) -> Reply:
        return failed(400, message) if "reasoning_effort" in seen.body else said({"reply": "hi"})

    endpoint.script = answer
    roles = roles_at(reasoning_effort="minimal", thinking_tokens=2000)
    for _ in range(2):
        assert _ask(roles).reply == "hi"
    assert endpoint.seen[0].body["reasoning_effort"] == "minimal"
    assert [seen.body["max_tokens"] for seen in endpoint.seen] == [2400] * 3
    assert len(caplog.records) == 1
    assert "reasoning_effort" in caplog.text


@pytest.mark.parametrize("field", ["temperature", "thinking"])
def test_what_was_not_sent_cannot_be_left_out(endpoint, roles_at, field, caplog):
    endpoint.answers(failed(400, f"{field} is not supported"))
    with pytest.raises(DialogueFailed, match="rejects"):
        _ask(roles_at())
    assert len(endpoint.seen) == 1
    assert caplog.records == []


@pytest.mark.parametrize(
    "message",
    [
        "max_tokens is too large: this model writes 100 at most",
        "temperature must be below 1",
        "the message about response times is odd",
    ],
)
def test_other_complaints_teach_nothing(endpoint, roles_at, message):
    endpoint.answers(failed(400, message))
    with pytest.raises(DialogueFailed, match="rejects"):
        _ask(roles_at(temperature=1.5))
    assert len(endpoint.seen) == 1


def test_what_concurrent_requests_run_into_is_announced_once(endpoint, roles_at, caplog):
    endpoint.script = _supporting("json_object")
    roles = roles_at()
    found = roles.map(lambda n: _ask(roles, text=str(n)).reply, list(range(20)))
    assert found == ["json_object"] * 20
    assert len(caplog.records) == 1


def test_models_and_addresses_are_kept_apart(endpoint, roles_at):
    endpoint.script = _supporting("none")
    _ask(roles_at(model="a"))
    before = len(endpoint.seen)
    _ask(roles_at(model="b"))
    assert endpoint.seen[before].body["response_format"]["type"] == "json_schema"


def test_a_filter_s_error_is_a_refusal(endpoint, roles_at):
    endpoint.answers(failed(400, "filtered", code="content_filter"))
    with usage.collect() as counted:
        assert _ask(roles_at()).reply == "embedded"
    assert counted.fallbacks() == [{"turn": 0, "role": "track", "fault": "refusal"}]
    assert len(endpoint.seen) == 1


def test_the_project_s_own_server_gets_the_inputs_and_no_other(endpoint: FakeEndpoint, roles_at):
    for backend in ("server", "openai"):
        _ask(roles_at(backend=backend))
    own, other = endpoint.seen
    assert own.body["crsgym"] == {
        "role": "track",
        "prompt": "track/1",
        "inputs": {"text": "hello"},
    }
    assert own.body["model"] == "embedded-roles"
    assert "crsgym" not in other.body
