"""The cache: a repeated run makes no call and goes as the first did."""

import itertools
import json
import sqlite3
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest

from language.llm import usage
from language.llm.cache import FILE, Cache
from language.llm.errors import RunStopped
from language.llm.request import Answer, ChatRequest
from language.llm.roles import Roles
from language.llm.settings import read_settings
from tests.language.llm.calls import Everything, Said, Stub, call, on_stub, stubbed
from tests.language.llm.fake_endpoint import failed, said
from tests.language.llm.keeping import COUNT, keep, keep_at_once

GOOD = Answer('{"reply": "good"}', tokens_in=5, tokens_out=2)
EMBEDDED = Said(reply="embedded")


def _ask(roles: Roles, **kwargs: Any) -> tuple[Said, dict[str, Any]]:
    with usage.collect() as counted:
        found = roles.ask(call(**kwargs), lambda: EMBEDDED)
    return found, counted.by_role()["track"]


def test_a_repeated_run_makes_no_call(tmp_path):
    first, stub = stubbed(Answer("{oops"), GOOD, cache=str(tmp_path))
    found = _ask(first)[0]
    assert len(stub.requests) == 2
    first.close()

    again, stub = stubbed(RuntimeError("no call"), cache=str(tmp_path))
    repeated, counted = _ask(again)
    assert repeated == found == Said(reply="good")
    assert stub.requests == []
    assert (counted["calls"], counted["cached"], counted["repairs"]) == (0, 2, 1)
    assert (counted["tokens_in"], counted["cost_usd"]) == (0, 0.0)
    again.close()


@pytest.mark.parametrize(
    "other",
    [{"text": "other"}, {"sample": 1}, {"max_tokens": 9}, {"result": Everything}],
)
def test_another_request_is_another_answer(tmp_path, other):
    roles, stub = stubbed(GOOD, cache=str(tmp_path))
    _ask(roles)
    before = len(stub.requests)
    roles.ask(call(**other), lambda: EMBEDDED)
    assert len(stub.requests) > before
    roles.close()


@pytest.mark.parametrize("other", [{"model": "x"}, {"base_url": "http://y/v1"}, {"temperature": 1}])
def test_another_model_is_another_answer(tmp_path, other):
    _ask(stubbed(GOOD, cache=str(tmp_path))[0])
    roles, stub = stubbed(GOOD, cache=str(tmp_path), **other)
    _ask(roles)
    assert len(stub.requests) == 1


@pytest.mark.parametrize("other", [{"reasoning_effort": "low"}, {"thinking_tokens": 500}])
def test_a_model_that_thinks_otherwise_is_another_answer(tmp_path, other):
    """Where neither is set, the key is what it was before there were these settings."""
    settings: list[dict[str, Any]] = [{}, other]
    plain, thinking = (
        ChatRequest(
            read_settings({"backend": "openai", **given}).roles["track"], (), Said, 400
        ).described()
        for given in settings
    )
    assert set(plain) == {
        "base_url", "model", "messages", "response_format", "temperature", "max_tokens", "sample",
    }  # fmt: skip
    assert thinking == plain | other


def test_inputs_prompt_names_and_turns_do_not_matter(tmp_path):
    roles, stub = stubbed(GOOD, cache=str(tmp_path))
    _ask(roles)
    _ask(roles, prompt="track/2", turn=4, inputs=lambda: {"other": 1})
    assert len(stub.requests) == 1


def test_inputs_decide_what_the_projects_own_server_answers(tmp_path):
    roles, stub = stubbed(GOOD, cache=str(tmp_path), backend="server")
    for number in (1, 2, 1):
        _ask(roles, inputs=lambda number=number: {"rng": number})
    assert len(stub.requests) == 2


def test_the_same_question_at_the_same_time_has_one_answer(tmp_path):
    numbers = itertools.count()
    stub = Stub(lambda request: Answer(json.dumps({"reply": str(next(numbers))})))
    roles, _ = on_stub(stub, cache=str(tmp_path))
    found = roles.map(lambda _: _ask(roles)[0].reply, list(range(32)))
    assert len(set(found)) == 1
    roles.close()


def test_faults_are_not_kept(tmp_path, endpoint, roles_at):
    endpoint.answers(failed(500), said({"reply": "hi"}))
    roles = roles_at(cache=str(tmp_path))
    assert _ask(roles)[0].reply == "hi"
    with sqlite3.connect(tmp_path / FILE) as connection:
        rows = connection.execute("SELECT answer FROM answers").fetchall()
    connection.close()
    assert [json.loads(row[0])["text"] for row in rows] == ['{"reply": "hi"}']


def test_processes_share_it(tmp_path):
    first, second = keep_at_once("cache", tmp_path)
    assert first == second
    assert len(first) == COUNT


def test_threads_share_it(tmp_path):
    with ThreadPoolExecutor(4) as pool:
        found = list(pool.map(lambda text: keep("cache", str(tmp_path), text), "abcd"))
    assert all(each == found[0] for each in found)


def test_a_broken_file_is_named_with_a_remedy(tmp_path):
    (tmp_path / FILE).write_bytes(b"this is no database " * 100)
    with pytest.raises(RunStopped, match="delete the file") as error:
        Cache(tmp_path)
    assert str(tmp_path / FILE) in str(error.value)


def test_a_broken_answer_is_named_with_a_remedy(tmp_path):
    cache = Cache(tmp_path)
    with sqlite3.connect(cache.file) as connection:
        connection.execute("INSERT INTO answers VALUES ('k', 'track', '[1')")
    connection.close()
    with pytest.raises(RunStopped, match="delete the file"):
        cache.find("k", "track")
    cache.close()


def test_an_answer_of_another_shape_is_named(tmp_path):
    roles, _ = stubbed(GOOD, cache=str(tmp_path))
    _ask(roles)
    roles.embed(["a"], dict)
    with sqlite3.connect(tmp_path / FILE) as connection:
        connection.execute("UPDATE answers SET answer = '{\"colour\": 1}'")
    connection.close()
    for again in (lambda: _ask(roles), lambda: roles.embed(["a"], dict)):
        with pytest.raises(RunStopped, match="colour"):
            again()
    roles.close()


def test_a_file_of_another_program_s_version_is_refused(tmp_path):
    with sqlite3.connect(tmp_path / FILE) as connection:
        connection.execute("PRAGMA user_version=7")
    connection.close()
    with pytest.raises(RunStopped, match="format 7"):
        Cache(tmp_path)


def test_a_folder_that_cannot_be_made_is_named(tmp_path):
    (tmp_path / "file").write_text("x")
    with pytest.raises(RunStopped, match=r"llm\.cache"):
        Cache(tmp_path / "file" / "folder")


def test_nothing_is_kept_after_the_end(tmp_path):
    cache = Cache(tmp_path)
    cache.close()
    assert cache.keep("k", "track", {}, {"text": "x"}) == {"text": "x"}
    assert cache.find("k", "track") is None
