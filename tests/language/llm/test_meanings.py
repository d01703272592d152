"""What an endpoint's errors mean, whatever shape they come in."""

import json
import time
from email.utils import formatdate

import pytest

from language.llm import usage
from language.llm.errors import DialogueFailed, RunStopped
from language.llm.meanings import error_in, retry_after
from language.llm.roles import Roles
from tests.language.llm.calls import Said, call
from tests.language.llm.fake_endpoint import Reply, failed, said

EMBEDDED = Said(reply="embedded")


def _ask(roles: Roles) -> Said:
    found: Said = roles.ask(call(), lambda: EMBEDDED)
    return found


def _listed(status: int, message: str, **error: object) -> Reply:
    """An error as Gemini's compatible endpoint sends it."""
    body = [{"error": {"code": status, "message": message, **error}}]
    return Reply(json.dumps(body).encode(), status)


BAD_KEYS = [
    "API key not valid. Please pass a valid API key.",
    "API Key not found. Please pass a valid API key.",
    "API key expired. Please renew the API key.",
    "The api_key is missing",
    "Invalid API key provided: AI...xyz",
    "API_KEY_INVALID",
    "No API-key was given",
]


@pytest.mark.parametrize("message", BAD_KEYS)
@pytest.mark.parametrize("shape", [_listed, failed])
def test_a_bad_request_that_is_a_bad_key_stops_the_run(endpoint, roles_at, shape, message):
    endpoint.answers(shape(400, message))
    with pytest.raises(RunStopped, match="key is refused") as error:
        _ask(roles_at())
    assert "llm.api_key_env" in str(error.value)
    assert message not in str(error.value)
    assert len(endpoint.seen) == 1


def test_a_bad_key_may_come_with_a_success(endpoint, roles_at):
    endpoint.answers(Reply(_listed(400, BAD_KEYS[0]).body, 200))
    with pytest.raises(RunStopped, match="key is refused"):
        _ask(roles_at())


@pytest.mark.parametrize(
    "message", ["the tool's key is odd", "an api is missing its key", "invalid value at 'contents'"]
)
def test_other_bad_requests_fail_the_dialogue_and_are_quoted(endpoint, roles_at, message):
    endpoint.answers(_listed(400, message))
    with pytest.raises(DialogueFailed) as error:
        _ask(roles_at())
    assert error.value.reason == "rejected"
    assert f"({message})" in str(error.value)


def test_errors_in_a_list_mean_what_others_do(endpoint, roles_at):
    roles = roles_at()
    endpoint.answers(_listed(429, "later"), _listed(503, "busy"), said({"reply": "hi"}))
    with usage.collect() as counted:
        assert _ask(roles) == Said(reply="hi")
    assert counted.by_role()["track"]["faults"] == {"rate_limit": 1, "server_error": 1}
    endpoint.answers(_listed(400, "filtered", type="content_filter"))
    assert _ask(roles) == EMBEDDED
    endpoint.answers(_listed(429, "quota", type="insufficient_quota"))
    with pytest.raises(RunStopped, match="credit"):
        _ask(roles)
    endpoint.answers(_listed(400, "The input token count (9) exceeds the maximum"))
    with pytest.raises(DialogueFailed) as error:
        _ask(roles)
    assert error.value.reason == "context_overflow"


@pytest.mark.parametrize(
    "body", [None, [], {}, [[]], "no", {"error": 5}, {"error": ""}, [{"message": "no"}]]
)
def test_what_holds_no_error_has_none(body):
    assert error_in(body) is None


@pytest.mark.parametrize(
    ("headers", "low", "high"),
    [
        ({"retry-after": "7"}, 7, 7),
        ({"retry-after": "-3"}, 0, 0),
        ({"retry-after": "soon"}, None, None),
        ({"retry-after": "inf"}, None, None),
        ({}, None, None),
        ({"retry-after-ms": "250", "retry-after": "9"}, 0.25, 0.25),
        ({"retry-after": "Wed, 21 Oct 2015 07:28:00 GMT"}, 0, 0),
    ],
)
def test_retry_after_is_seconds_or_a_date(headers, low, high):
    found = retry_after(headers)
    assert (found is None) == (low is None)
    assert found is None or low <= found <= high


@pytest.mark.parametrize("usegmt", [True, False])
def test_retry_after_may_be_a_moment_to_come(usegmt):
    found = retry_after({"retry-after": formatdate(time.time() + 300, usegmt=usegmt)})
    assert found is not None
    assert 200 <= found <= 300


def test_a_schema_error_that_the_endpoint_finds_is_a_bad_answer(endpoint, roles_at):
    """It is sent back once to be mended; the dialogue goes on."""
    broken = failed(400, "Failed to generate JSON", code="json_validate_failed")
    endpoint.answers(broken, said({"reply": "mended"}))
    with usage.collect() as counted:
        assert _ask(roles_at()) == Said(reply="mended")
    found = counted.by_role()["track"]
    assert (found["repairs"], found["fallbacks"], found["faults"]) == (1, 0, {"malformed": 1})


def test_an_error_that_is_a_text_is_tried_again(endpoint, roles_at):
    endpoint.answers(Reply(json.dumps({"error": "overloaded"}).encode()), said({"reply": "hi"}))
    with usage.collect() as counted:
        assert _ask(roles_at()) == Said(reply="hi")
    assert counted.by_role()["track"]["faults"] == {"server_error": 1}


@pytest.mark.parametrize(
    "date", ["Mon, 01 Jan 2024 00:00:99999999999999999999 GMT", "Mon, 01 Jan 2024 0:0:0 +9999999"]
)
def test_a_date_that_no_clock_shows_counts_as_unset(date):
    assert retry_after({"retry-after": date}) is None or retry_after({"retry-after": date}) == 0.0


def test_half_a_character_does_not_end_a_dialogue(endpoint, roles_at):
    endpoint.answers(said({"reply": "hi"}))
    assert roles_at().ask(call("a title with \ud800"), lambda: EMBEDDED) == Said(reply="hi")


def test_a_header_that_cannot_be_sent_stops_the_run(endpoint, roles_at, monkeypatch):
    monkeypatch.setenv("OPENAI_ORG_ID", "\u00e9\u4e2d")
    endpoint.answers(said({"reply": "hi"}))
    with pytest.raises(RunStopped, match="OPENAI_ORG_ID"):
        _ask(roles_at())
