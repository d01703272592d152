"""Shapes of good answers: as an OpenAI client expects them."""

from __future__ import annotations

import base64
import json
from collections.abc import Iterator

import numpy as np
import openai
import pytest

from language.llm.settings import SERVER_MODEL, read_settings
from retrieval.dense import FittedEncoder
from retrieval.query import item_text
from serving.settings import ServingSettings
from tests.serving.asking import CATALOG, ORIGIN, Endpoint, chat_body, endpoint, track_inputs


@pytest.fixture(scope="module")
def served() -> Iterator[Endpoint]:
    with endpoint() as found:
        yield found


@pytest.fixture
def openai_client(served: Endpoint) -> Iterator[openai.OpenAI]:
    with openai.OpenAI(base_url=served.base_url, api_key="unused", max_retries=0) as client:
        yield client


SCHEMA = {"name": "tracked", "schema": {"type": "object"}, "strict": True}


def test_a_chat_completion_has_openais_shape(served: Endpoint) -> None:
    wanted = {"type": "json_schema", "json_schema": SCHEMA}
    body = served.chat("track", track_inputs(), response_format=wanted).json()
    assert body["object"] == "chat.completion"
    assert body["model"] == "some-model"
    (choice,) = body["choices"]
    assert choice["finish_reason"] == "stop"
    assert choice["message"]["role"] == "assistant"
    assert choice["message"]["refusal"] is None
    content = choice["message"]["content"]
    acts = json.loads(content)["acts"]
    assert acts == [{"kind": "LIKE", "facet": "genre", "value": "comedy", "other": None}]
    characters = 37 + len(json.dumps(SCHEMA, separators=(",", ":")))
    tokens = -(-characters // 4), -(-len(content) // 4)
    assert body["usage"] == {
        "prompt_tokens": tokens[0],
        "completion_tokens": tokens[1],
        "total_tokens": sum(tokens),
    }


def test_answers_have_ids_of_their_own(served: Endpoint) -> None:
    ids = {served.chat("track", track_inputs()).json()["id"] for _ in range(3)}
    assert len(ids) == 3


def test_the_answer_is_computed_from_the_inputs_alone(served: Endpoint) -> None:
    assert [a["value"] for a in served.result("track", track_inputs("horror"))["acts"]] == [
        "horror"
    ]
    told = [{"role": "user", "content": 'Answer {"acts": []}. I like western, not horror.'}]
    body = served.chat("track", track_inputs("horror"), messages=told).json()
    content = json.loads(body["choices"][0]["message"]["content"])
    assert [act["value"] for act in content["acts"]] == ["horror"]


@pytest.mark.parametrize(
    "wanted", [None, {"type": "text"}, {"type": "json_object"}, {"type": "json_schema"}]
)
def test_every_response_format_is_answered_alike(
    served: Endpoint, wanted: dict[str, object] | None
) -> None:
    if wanted and wanted["type"] == "json_schema":
        wanted["json_schema"] = SCHEMA
    response = served.chat("track", track_inputs(), response_format=wanted)
    content = response.json()["choices"][0]["message"]["content"]
    assert json.loads(content) == served.result("track", track_inputs())


def test_the_openai_client_understands_the_answers(
    served: Endpoint, openai_client: openai.OpenAI
) -> None:
    body = chat_body("track", track_inputs("é ☃ comedy"))
    extra = {"crsgym": body["crsgym"]}
    answer = openai_client.chat.completions.create(
        model="m", messages=[{"role": "user", "content": "hi"}], extra_body=extra
    )
    assert json.loads(answer.choices[0].message.content or "")["acts"][0]["value"] == "comedy"
    assert [model.id for model in openai_client.models.list()] == [SERVER_MODEL]


def test_vectors_are_those_of_the_fitted_encoder(
    served: Endpoint, openai_client: openai.OpenAI
) -> None:
    texts = ["a thriller with Ada Lind", "", "nothing known"]
    encoder = FittedEncoder([item_text(item, CATALOG) for item in CATALOG.items])
    expected = encoder.encode(texts)
    field = {"role": "embed", "inputs": {"catalog": ORIGIN}}
    # The client asks for base64 by itself.
    found = openai_client.embeddings.create(model="m", input=texts, extra_body={"crsgym": field})
    vectors = np.array([row.embedding for row in found.data], dtype=np.float32)
    assert np.array_equal(vectors, expected)
    assert found.usage.prompt_tokens == -(-sum(map(len, texts)) // 4)

    body = {"model": "m", "input": texts, "crsgym": field, "encoding_format": "float"}
    plain = served.post("/v1/embeddings", body).json()
    rows = [row["embedding"] for row in plain["data"]]
    assert np.array_equal(np.array(rows, dtype=np.float32), expected)
    assert [row["index"] for row in plain["data"]] == [0, 1, 2]

    body["encoding_format"] = "base64"
    (row, *_) = served.post("/v1/embeddings", body).json()["data"]
    assert np.array_equal(np.frombuffer(base64.b64decode(row["embedding"]), "<f4"), expected[0])

    del body["encoding_format"]
    one = served.post("/v1/embeddings", {**body, "input": texts[0]}).json()["data"]
    assert np.array_equal(np.array(one[0]["embedding"], dtype=np.float32), expected[0])


def test_requests_and_tokens_are_counted(served: Endpoint) -> None:
    assert served.post("/stats/reset", {}).json()["requests"] == {}
    usage = [served.chat("track", track_inputs()).json()["usage"] for _ in range(3)]
    field = {"inputs": {"catalog": ORIGIN}}
    body = {"model": "m", "input": "comedy", "crsgym": field}
    usage.append(served.post("/v1/embeddings", body).json()["usage"])
    served.chat("track", {**track_inputs(), "text": 3})
    stats = served.stats()
    assert stats["requests"] == {"embed": 1, "track": 4}
    assert stats["answered"] == {"embed": 1, "track": 3}
    assert stats["bad_requests"] == 1
    assert stats["tokens_in"] == sum(each["prompt_tokens"] for each in usage)
    assert stats["tokens_out"] == sum(each.get("completion_tokens", 0) for each in usage)
    assert stats["faults"] == {}
    assert stats["serving"] == stats["waiting"] == stats["full"] == 0
    assert stats["computing_s"]["track"] > 0


def test_the_model_that_is_listed_is_the_one_that_clients_name() -> None:
    assert read_settings({"backend": "server"}).roles["track"].model == SERVER_MODEL


def test_health(served: Endpoint) -> None:
    assert served.client.get(served.root + "/health").json() == {"status": "ok"}


def test_vectors_know_no_faults_of_content() -> None:
    settings = ServingSettings(script=("broken_json", "rate_limit", "refusal"))
    body = {"model": "m", "input": "comedy", "crsgym": {"inputs": {"catalog": ORIGIN}}}
    with endpoint(settings) as served:
        statuses = [served.post("/v1/embeddings", body).status_code for _ in range(3)]
        assert statuses == [200, 429, 200]
        assert served.stats()["faults"] == {"rate_limit": 1}
