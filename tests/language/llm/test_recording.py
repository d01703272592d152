"""Recording a run and replaying it without an endpoint."""

import itertools
import json

import pytest

from language.llm import usage
from language.llm.errors import RunStopped
from language.llm.recording import Recording, Replay
from language.llm.request import Answer
from language.llm.roles import Roles
from tests.language.llm.calls import Said, Stub, call, on_stub, stubbed
from tests.language.llm.keeping import COUNT, keep_at_once

EMBEDDED = Said(reply="embedded")


def _counting() -> Stub:
    numbers = itertools.count()
    return Stub(lambda request: Answer(json.dumps({"reply": str(next(numbers))})))


def test_a_replay_goes_as_the_recorded_run(tmp_path):
    file = tmp_path / "runs" / "one.jsonl"
    questions = ["a", "b", "a", "c"]
    roles, _ = on_stub(_counting(), record=str(file))
    found = roles.map(lambda q: roles.ask(call(q), lambda: EMBEDDED), questions)
    vectors = roles.embed(["one", "three"], dict)
    roles.close()
    lines = [json.loads(line) for line in file.read_text().splitlines()]
    assert len(lines) == 5
    assert set(lines[0]) == {"key", "role", "request", "answer"}
    assert lines[0]["role"] == "track"

    again, stub = stubbed(RuntimeError("no call"), replay=str(file))
    with usage.collect() as counted:
        assert [again.ask(call(q), lambda: EMBEDDED) for q in questions] == found
        assert (again.embed(["one", "three"], dict) == vectors).all()
    assert counted.by_role()["track"]["cached"] == 4
    assert stub.requests == []
    again.close()


def test_a_miss_stops_the_run(tmp_path):
    file = tmp_path / "one.jsonl"
    file.write_text("")
    roles, _ = stubbed(Answer("{}"), replay=str(file))
    with pytest.raises(RunStopped, match="track") as error:
        roles.ask(call(), lambda: EMBEDDED)
    assert str(file) in str(error.value)
    with pytest.raises(RunStopped, match="embed"):
        roles.embed(["x"], dict)


def test_a_replay_needs_no_key(tmp_path, monkeypatch):
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)
    file = tmp_path / "one.jsonl"
    recorded, _ = on_stub(_counting(), base_url=None, record=str(file))
    recorded.ask(call(), lambda: EMBEDDED)
    recorded.close()
    replayed = Roles({"backend": "openai", "replay": str(file)})
    assert replayed.ask(call(), lambda: EMBEDDED) == Said(reply="0")


def test_a_recording_is_continued(tmp_path):
    file = tmp_path / "one.jsonl"
    first, _ = on_stub(_counting(), record=str(file))
    first.ask(call("a"), lambda: EMBEDDED)
    first.close()
    with open(file, "a") as torn:
        torn.write('{"key": "half')
    second, stub = on_stub(_counting(), record=str(file))
    assert second.ask(call("a"), lambda: EMBEDDED) == Said(reply="0")
    assert stub.requests == []
    second.ask(call("b"), lambda: EMBEDDED)
    second.close()
    assert len([json.loads(line) for line in file.read_text().splitlines()]) == 2


def test_a_recording_holds_what_the_cache_answered(tmp_path):
    cached, _ = on_stub(_counting(), cache=str(tmp_path))
    cached.ask(call(), lambda: EMBEDDED)
    cached.close()
    file = tmp_path / "one.jsonl"
    both, stub = on_stub(_counting(), cache=str(tmp_path), record=str(file))
    both.ask(call(), lambda: EMBEDDED)
    both.close()
    assert stub.requests == []
    assert len(file.read_text().splitlines()) == 1


def test_processes_write_to_one_file(tmp_path):
    file = tmp_path / "one.jsonl"
    first, second = keep_at_once("record", file)
    assert first == second
    replay = Replay(file)
    assert [replay.find(str(n), "track")["text"] for n in range(COUNT)] == first
    assert len(file.read_text().splitlines()) == COUNT


@pytest.mark.parametrize("kind", [Recording, Replay])
def test_a_file_that_holds_something_else_is_named(tmp_path, kind):
    file = tmp_path / "one.jsonl"
    file.write_text('{"key": "a", "answer": {}}\n[1]\n')
    with pytest.raises(RunStopped, match="line 2") as error:
        kind(file)
    assert str(file) in str(error.value)
    assert file.read_text().endswith("[1]\n")


def test_a_missing_replay_is_named(tmp_path):
    with pytest.raises(RunStopped, match=r"llm\.record="):
        Replay(tmp_path / "none.jsonl")


def test_a_file_that_cannot_be_written_is_named(tmp_path):
    with pytest.raises(RunStopped, match=r"llm\.record"):
        Recording(tmp_path)
