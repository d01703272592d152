"""Faults of transport against a real socket: what is sent again, what stops, what is counted."""

import random
import threading
import time
from collections import Counter
from types import SimpleNamespace
from typing import Any, cast

import pytest

from language.llm import transport, usage
from language.llm.errors import DialogueFailed, RunStopped
from language.llm.gate import GATE
from language.llm.request import Answer
from language.llm.roles import Roles
from language.llm.settings import RoleSettings
from tests.language.llm.calls import Said, Stub, call
from tests.language.llm.fake_endpoint import Reply, Seen, failed, said

GOOD = said({"reply": "hello"})


def _ask(roles: Roles, **kwargs: Any) -> tuple[Any, dict[str, Any], list[dict[str, Any]]]:
    with usage.collect() as counted:
        found = roles.ask(call(**kwargs), fallback=lambda: Said(reply="embedded"))
    return found, counted.by_role()["track"], counted.fallbacks()


def test_a_good_answer_is_one_call(endpoint, roles_at):
    endpoint.answers(said({"reply": "hi"}, tokens=(2_000_000, 500_000)))
    found, counted, fallbacks = _ask(roles_at(price_in=1.0, price_out=4.0, temperature=0.5))
    assert found == Said(reply="hi")
    assert counted == {
        "calls": 1, "cached": 0, "retries": 0, "repairs": 0, "fallbacks": 0,
        "tokens_in": 2_000_000, "tokens_out": 500_000, "cost_usd": 4.0, "faults": {},
    }  # fmt: skip
    assert fallbacks == []
    (seen,) = endpoint.seen
    assert seen.path == "/v1/chat/completions"
    assert seen.body["model"] == "gpt-4o-mini"
    assert seen.body["temperature"] == 0.5
    assert seen.body["max_tokens"] == 400
    assert seen.body["response_format"]["type"] == "json_schema"
    assert set(seen.body) == {"model", "messages", "temperature", "max_tokens", "response_format"}


@pytest.mark.parametrize(
    ("fault", "kind"),
    [
        (failed(429), "rate_limit"),
        (failed(500), "server_error"),
        (failed(503), "server_error"),
        (failed(409), "server_error"),
        (Reply(b"<html>busy</html>"), "server_error"),
        (Reply(b"[1]"), "server_error"),
        (Reply(b'{"error": {"message": "later", "code": 429}}'), "rate_limit"),
        (Reply(b'{"error": {"message": "later", "code": "busy"}}'), "server_error"),
        (Reply(b"", delay_s=1.2), "timeout"),
        (Reply(GOOD.body, drop="before"), "connection"),
        (Reply(GOOD.body, drop="amid"), "connection"),
    ],
)
def test_a_fault_is_counted_and_the_request_sent_again(endpoint, roles_at, fault, kind):
    endpoint.answers(fault, fault, GOOD)
    found, counted, _ = _ask(roles_at(timeout_s=0.5 if fault.delay_s else 30.0))
    assert found == Said(reply="hello")
    assert counted["faults"] == {kind: 2}
    assert (counted["calls"], counted["retries"]) == (1, 2)
    assert len(endpoint.seen) == 3
    assert endpoint.seen[0].body == endpoint.seen[2].body


def test_a_refused_connection_fails_the_dialogue(roles_at):
    roles = roles_at(base_url="http://127.0.0.1:9/v1", max_attempts=2)
    with usage.collect() as counted, pytest.raises(DialogueFailed, match="track") as error:
        roles.ask(call(), fallback=lambda: Said(reply=""))
    assert error.value.reason == "unreachable"
    assert "2 attempts" in str(error.value)
    assert "llm.max_attempts" in str(error.value)
    track = counted.by_role()["track"]
    assert track["faults"] == {"connection": 2}
    assert (track["calls"], track["retries"], track["fallbacks"]) == (0, 1, 0)


def test_attempts_are_used_up_after_as_many_as_are_set(endpoint, roles_at):
    endpoint.answers(failed(500, "boom"))
    with pytest.raises(DialogueFailed, match="boom"):
        _ask(roles_at(max_attempts=3))
    assert len(endpoint.seen) == 3


@pytest.mark.parametrize(
    ("fault", "words"),
    [
        (failed(401, "bad key"), "key is refused"),
        (failed(403, "no"), "key is refused"),
        (failed(404, "no such model"), "llm.model"),
        (failed(501, "not implemented"), "llm.base_url"),
        (failed(402, "pay"), "credit"),
        (failed(429, "quota", code="insufficient_quota"), "credit"),
        (Reply(b"", 307, {"Location": "http://elsewhere.invalid/"}), "llm.base_url"),
        (Reply(b'{"error": {"message": "who", "code": 401}}'), "key is refused"),
    ],
)
def test_what_nothing_can_mend_stops_the_run_at_once(endpoint, roles_at, fault, words):
    endpoint.answers(fault)
    with pytest.raises(RunStopped, match=words):
        _ask(roles_at())
    assert len(endpoint.seen) == 1


@pytest.mark.parametrize(
    "fault",
    [
        failed(400, "x", code="context_length_exceeded"),
        failed(400, "This model's maximum context length is 8192 tokens, max_tokens is too large"),
        failed(400, "the request exceeds the available context size, try increasing it"),
        failed(400, "The input token count (9) exceeds the maximum number of tokens allowed"),
        failed(413, "too large"),
    ],
)
def test_too_long_a_dialogue_fails_alone(endpoint, roles_at, fault):
    endpoint.answers(fault)
    with pytest.raises(DialogueFailed, match="context") as error:
        _ask(roles_at())
    assert error.value.reason == "context_overflow"
    assert len(endpoint.seen) == 1


@pytest.mark.parametrize("status", [400, 405, 422])
def test_a_rejected_request_fails_the_dialogue(endpoint, roles_at, status):
    endpoint.answers(failed(status, "messages are odd"))
    with pytest.raises(DialogueFailed, match="messages are odd") as error:
        _ask(roles_at())
    assert error.value.reason == "rejected"


def test_retry_after_is_waited_for(endpoint, roles_at):
    endpoint.answers(failed(429, headers={"Retry-After": "0.4"}), GOOD)
    start = time.monotonic()
    _ask(roles_at())
    assert 0.4 <= time.monotonic() - start < 2.0


def test_no_endpoint_can_make_us_wait_for_long(endpoint, roles_at, monkeypatch):
    monkeypatch.setattr(transport, "LONGEST_RETRY_AFTER_S", 0.05)
    endpoint.answers(failed(503, headers={"Retry-After": "86400"}), GOOD)
    start = time.monotonic()
    _ask(roles_at())
    assert time.monotonic() - start < 2.0


def test_waits_double_with_jitter_up_to_a_limit(roles_at):
    waits = roles_at(backoff_s=1.0)._transport
    for attempt, low, high in [(1, 0.5, 1.5), (3, 2.0, 6.0), (50, 15.0, 45.0)]:
        state = cast(Any, SimpleNamespace(attempt_number=attempt, outcome=None))
        found = {waits._wait(state) for _ in range(50)}
        assert len(found) > 1
        assert all(low <= wait <= high for wait in found)


def test_closing_ends_the_waits(endpoint, roles_at):
    endpoint.answers(failed(429, headers={"Retry-After": "30"}))
    roles = roles_at()
    waiting = roles.submit(lambda: _ask(roles))
    while not endpoint.seen:
        time.sleep(0.01)
    time.sleep(0.1)
    start = time.monotonic()
    roles.close()
    with pytest.raises(RunStopped, match="ended"):
        waiting.result(5.0)
    assert time.monotonic() - start < 5.0


def test_who_is_queued_when_the_run_ends_sends_nothing(endpoint, roles_at):
    """Neither those at the gate nor those in the pool, nor anybody later."""
    started, go_on = threading.Event(), threading.Event()

    def answer(seen: Seen) -> Reply:
        started.set()
        return GOOD

    endpoint.script = answer
    roles = roles_at(concurrency=1)
    with GATE.enter(1):
        queued = [roles.submit(lambda: _ask(roles)) for _ in range(6)]
        while len(GATE._queue) < 2:
            time.sleep(0.005)
        roles.close()
    for future in queued:
        with pytest.raises(RunStopped, match="ended"):
            future.result(5.0)
    for late in (
        lambda: _ask(roles),
        lambda: roles.submit(go_on.set),
        lambda: roles.map(str, [1, 2]),
    ):
        with pytest.raises(RunStopped, match="ended"):
            late()
    assert endpoint.seen == []
    assert not started.is_set()


def test_no_endpoint_is_opened_after_the_end():
    opened = []

    def connect(role: RoleSettings) -> Stub:
        opened.append(role)
        return Stub(lambda _: Answer(""))

    roles = Roles({"backend": "openai"}, connect)
    roles.close()
    with pytest.raises(RunStopped, match="ended"):
        roles._transport._endpoint(roles.settings.roles["track"])
    assert opened == []


def test_connections_are_used_again(endpoint, roles_at):
    roles = roles_at()
    for _ in range(5):
        _ask(roles)
    assert len(endpoint._open) == 1


def test_the_counters_equal_the_faults(endpoint, roles_at):
    """Many calls at a time with faults at random: none is lost, and each fault is counted once."""
    dice, injected = random.Random(7), Counter[str]()
    kinds = {
        "rate_limit": failed(429, headers={"Retry-After": "0"}),
        "server_error": failed(500),
        "connection": Reply(GOOD.body, drop="amid"),
        "malformed": said('{"reply": oops}'),
        "truncated": said('{"reply": "he', finish="length"),
        "empty": said(""),
        "schema": said({"reply": 3}),
        "refusal": said(None, refusal="no"),
    }

    def answer(seen: Seen) -> Reply:
        if dice.random() > 0.25:
            return said({"reply": seen.body["messages"][1]["content"].split("\n")[0]})
        kind = dice.choice(list(kinds))
        injected[kind] += 1
        return kinds[kind]

    endpoint.script = answer
    roles = roles_at(concurrency=8)
    with usage.collect() as counted:
        found = roles.map(
            lambda n: roles.ask(call(str(n)), lambda: Said(reply="embedded")).reply,
            list(range(300)),
        )
    track = counted.by_role()["track"]
    assert track["faults"] == dict(injected)
    transport_faults = sum(injected[kind] for kind in ("rate_limit", "server_error", "connection"))
    assert track["retries"] == transport_faults
    assert track["calls"] == len(endpoint.seen) - transport_faults == 300 + track["repairs"]
    assert found.count("embedded") == track["fallbacks"] == len(counted.fallbacks()) > 0
    assert all(reply in (str(n), "embedded") for n, reply in enumerate(found))
    assert endpoint.most_in_flight <= 8
