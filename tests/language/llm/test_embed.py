"""Vectors: batches, order, what is kept, what is refused."""

import base64
import json
import struct

import numpy as np
import pytest

from language.llm import usage
from language.llm.errors import DialogueFailed, RunStopped
from language.llm.request import Answer
from tests.language.llm.calls import stubbed
from tests.language.llm.fake_endpoint import Reply, Seen


def _vectors(seen: Seen) -> Reply:
    data = [
        {"index": n, "embedding": [float(len(text)), 0.1]}
        for n, text in enumerate(seen.body["input"])
    ]
    body = {"data": data[::-1], "usage": {"prompt_tokens": 7, "total_tokens": 7}}
    return Reply(json.dumps(body).encode())


def test_vectors_come_in_the_order_of_the_texts(endpoint, roles_at):
    endpoint.script = _vectors
    with usage.collect() as counted:
        found = roles_at(roles={"embed": {"price_in": 1.0}}).embed(["aaa", "b", "aaa", ""], dict)
    assert found.dtype == np.float32
    assert found[:, 0].tolist() == [3.0, 1.0, 3.0, 1.0]
    assert endpoint.seen[0].path == "/v1/embeddings"
    assert endpoint.seen[0].body == {
        "model": "text-embedding-3-small",
        "input": ["aaa", "b", " "],
    }
    embed = counted.by_role()["embed"]
    assert (embed["calls"], embed["tokens_in"], embed["tokens_out"]) == (1, 7, 0)
    assert embed["cost_usd"] == pytest.approx(7e-6)


def test_a_budget_in_money_needs_the_price_of_embeddings(endpoint, roles_at):
    """Not the chat model's, and not before anything is embedded."""
    endpoint.script = _vectors
    chat = {"price_in": 1.0, "price_out": 4.0, "max_cost_usd": 1.0}
    with pytest.raises(
        RunStopped, match=r"llm\.max_cost_usd=1\.0 needs .* the role embed"
    ) as error:
        roles_at(**chat).embed(["a"], dict)
    assert "set llm.roles.embed.price_in (USD" in str(error.value)
    assert endpoint.seen == []
    roles_at(**chat, roles={"embed": {"price_in": 0.1}}).embed(["a"], dict)
    assert len(endpoint.seen) == 1


def test_no_texts_are_no_call():
    roles, stub = stubbed(Answer(""))
    assert roles.embed([], dict).shape == (0, 0)
    assert stub.batches == []


def test_many_texts_are_several_requests():
    roles, stub = stubbed(Answer(""))
    texts = [f"text {n}" for n in range(600)] + ["x" * 150_000, "y" * 150_000]
    assert roles.embed(texts, dict).shape == (602, 3)
    assert sorted(len(batch) for batch in stub.batches) == [1, 89, 256, 256]
    assert {text for batch in stub.batches for text in batch} == set(texts)


def test_vectors_are_kept_by_text(tmp_path):
    roles, stub = stubbed(Answer(""), cache=str(tmp_path))
    first = roles.embed(["a", "bb"], dict)
    roles.close()
    roles, stub = stubbed(Answer(""), cache=str(tmp_path))
    with usage.collect() as counted:
        assert (roles.embed(["bb", "a"], dict) == first[::-1]).all()
    assert stub.batches == []
    assert counted.by_role()["embed"]["cached"] == 1
    roles.embed(["a", "ccc"], dict)
    assert stub.batches == [("ccc",)]
    roles.close()


def test_the_project_s_own_server_gets_the_inputs(endpoint, roles_at):
    endpoint.script = _vectors
    roles_at(backend="server").embed(["a"], lambda: {"catalog": {"name": "x"}})
    assert endpoint.seen[0].body["crsgym"] == {
        "role": "embed",
        "inputs": {"catalog": {"name": "x"}},
    }


def test_vectors_may_come_as_base64(endpoint, roles_at):
    packed = base64.b64encode(struct.pack("<2f", 1.5, -2.0)).decode()
    endpoint.answers(Reply(json.dumps({"data": [{"embedding": packed}]}).encode()))
    assert roles_at().embed(["a"], dict).tolist() == [[1.5, -2.0]]


@pytest.mark.parametrize(
    "data",
    [
        None,
        [],
        [{"index": 0, "embedding": []}],
        [{"index": 0, "embedding": ["x"]}],
        [{"index": 5, "embedding": [1.0]}],
        [{"index": 0, "embedding": "!!"}],
        [{"index": 0, "embedding": [float("inf")]}],
        [3],
    ],
)
def test_what_is_no_vector_is_asked_for_again(endpoint, roles_at, data):
    endpoint.answers(Reply(json.dumps({"data": data}).encode()))
    with usage.collect() as counted, pytest.raises(DialogueFailed, match="no usable vectors"):
        roles_at(max_attempts=3).embed(["a"], dict)
    assert counted.by_role()["embed"]["faults"] == {"server_error": 3}


def test_vectors_of_two_lengths_stop_the_run(tmp_path, endpoint, roles_at):
    roles = roles_at(cache=str(tmp_path))
    for text, vector in [("a", [1.0]), ("b", [1.0, 2.0])]:
        endpoint.answers(Reply(json.dumps({"data": [{"embedding": vector}]}).encode()))
        roles.embed([text], dict)
    with pytest.raises(RunStopped, match="lengths"):
        roles.embed(["a", "b"], dict)
