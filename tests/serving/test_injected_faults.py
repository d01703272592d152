"""Each fault as a client meets it, and that it is counted."""

from __future__ import annotations

import json
import time
from collections import Counter
from concurrent.futures import ThreadPoolExecutor

import httpx2
import openai
import pytest

from serving.faults import FAULTS
from serving.settings import ServingSettings
from tests.serving.asking import Endpoint, chat_body, endpoint, track_inputs


def once(fault: str, **settings: float) -> ServingSettings:
    return ServingSettings(script=(fault,), **settings)  # type: ignore[arg-type]


def ask(served: Endpoint) -> httpx2.Response:
    return served.chat("track", track_inputs())


@pytest.mark.parametrize(
    ("fault", "status", "code"),
    [
        ("rate_limit", 429, "rate_limit_exceeded"),
        ("auth", 401, "invalid_api_key"),
        ("overflow", 400, "context_length_exceeded"),
        ("no_model", 404, "model_not_found"),
        ("server_error", 500, None),
    ],
)
def test_errors(fault: str, status: int, code: str | None) -> None:
    with endpoint(once(fault, retry_after_s=0.25)) as served:
        response = ask(served)
        assert response.status_code == status
        assert response.json()["error"]["code"] == code
        retry_after = response.headers.get("retry-after")
        assert retry_after == ("0.25" if fault == "rate_limit" else None)
        assert ask(served).status_code == 200
        stats = served.stats()
    assert stats["faults"] == {fault: 1}
    assert stats["requests"] == {"track": 2}
    assert stats["answered"] == {"track": 1}


@pytest.mark.parametrize("fault", ["broken_json", "truncated", "empty", "refusal"])
def test_spoilt_content(fault: str) -> None:
    with endpoint(once(fault)) as served:
        (choice,) = ask(served).json()["choices"]
        good = ask(served).json()["choices"][0]["message"]["content"]
        stats = served.stats()
    message = choice["message"]
    assert choice["finish_reason"] == ("length" if fault == "truncated" else "stop")
    if fault == "refusal":
        assert message["content"] is None
        assert message["refusal"]
    else:
        assert message["refusal"] is None
        if fault == "broken_json":
            assert message["content"][-1] == good[-1], "it must not look like a truncated answer"
        else:
            assert good.startswith(message["content"])
        with pytest.raises(json.JSONDecodeError):
            json.loads(message["content"])
    assert stats["faults"] == {fault: 1}
    assert stats["answered"] == {"track": 2}, "a spoilt answer is an answer, and costs tokens"


def test_a_hang_lasts_until_the_client_goes_away() -> None:
    with endpoint(once("hang", capacity=1)) as served:
        begun = time.monotonic()
        with pytest.raises(httpx2.ReadTimeout):
            served.client.post(
                served.base_url + "/chat/completions",
                json=chat_body("track", track_inputs()),
                timeout=0.3,
            )
        assert 0.2 < time.monotonic() - begun < 2
        assert ask(served).status_code == 200
        assert served.stats()["faults"] == {"hang": 1}


def test_a_hang_takes_no_part_of_the_capacity_and_ends_with_the_server() -> None:
    with ThreadPoolExecutor(1) as pool:
        with endpoint(once("hang", capacity=1)) as served:
            hanging = pool.submit(ask, served)
            while not served.stats()["faults"]:
                time.sleep(0.01)
            assert ask(served).status_code == 200
            assert not hanging.done()
            begun = time.monotonic()
        assert time.monotonic() - begun < 2
        assert isinstance(hanging.exception(5), httpx2.TransportError)


def test_a_hang_ends_by_itself() -> None:
    with endpoint(once("hang", hang_s=0.1)) as served:
        with pytest.raises(httpx2.RemoteProtocolError):
            ask(served)
        assert ask(served).status_code == 200


def test_a_dropped_connection_is_a_connection_error_to_openai() -> None:
    body = chat_body("track", track_inputs())
    with (
        endpoint(once("drop")) as served,
        openai.OpenAI(base_url=served.base_url, api_key="unused", max_retries=0) as client,
    ):
        with pytest.raises(openai.APIConnectionError):
            client.chat.completions.create(
                model="m",
                messages=[{"role": "user", "content": "hi"}],
                extra_body={"crsgym": body["crsgym"]},
            )
        stats = served.stats()
        assert stats["faults"] == {"drop": 1}
        assert stats["answered"] == {}
        assert ask(served).status_code == 200


def test_a_bad_request_meets_no_fault() -> None:
    with endpoint(once("server_error")) as served:
        bad = served.chat("track", track_inputs(), stream=True)
        assert bad.status_code == 400
        assert served.stats()["faults"] == {}
        assert ask(served).status_code == 500


def outcome(served: Endpoint) -> str:
    """What a client makes of an answer."""
    try:
        response = ask(served)
    except httpx2.RemoteProtocolError:
        return "drop"
    names = {429: "rate_limit", 500: "server_error", 401: "auth", 400: "overflow", 404: "no_model"}
    if response.status_code != 200:
        return names[response.status_code]
    (choice,) = response.json()["choices"]
    message = choice["message"]
    if message["refusal"]:
        return "refusal"
    if choice["finish_reason"] == "length":
        return "truncated"
    if not message["content"]:
        return "empty"
    try:
        json.loads(message["content"])
    except ValueError:
        return "broken_json"
    return ""


def test_what_clients_meet_is_what_was_counted() -> None:
    kinds = [kind for kind in FAULTS if kind != "hang"]
    settings = ServingSettings(faults=dict.fromkeys(kinds, 0.06), seed=5)
    with endpoint(settings) as served, ThreadPoolExecutor(8) as pool:
        met = Counter(pool.map(outcome, [served] * 400))
        stats = served.stats()
    good = met.pop("")
    assert dict(met) == stats["faults"]
    assert set(met) == set(kinds)
    spoilt = sum(met[kind] for kind in ("broken_json", "truncated", "empty", "refusal"))
    assert stats["answered"]["track"] == good + spoilt
    assert stats["requests"]["track"] == 400


@pytest.mark.parametrize("json_object", [True, False])
def test_an_endpoint_without_json_schema_says_so(json_object: bool) -> None:
    settings = ServingSettings(json_schema=False, json_object=json_object)
    schema = {"type": "json_schema", "json_schema": {"name": "n", "schema": {}}}
    with endpoint(settings) as served:
        refused = served.chat("track", track_inputs(), response_format=schema)
        plain = served.chat("track", track_inputs(), response_format={"type": "json_object"})
        none = served.chat("track", track_inputs())
    assert refused.status_code == 400
    assert refused.json()["error"]["param"] == "response_format"
    assert "response_format of type 'json_schema' is not supported" in refused.text
    assert plain.status_code == (200 if json_object else 400)
    assert none.status_code == 200
