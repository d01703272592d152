"""The key is in the request's header and nowhere else."""

import contextlib
import io
import logging
import pickle
import sys
import traceback

import pytest

from language.llm.endpoint import OpenAIEndpoint
from language.llm.errors import ModelError, RunStopped
from language.llm.settings import read_settings
from tests.language.llm.calls import Said, call
from tests.language.llm.fake_endpoint import Reply, Seen, failed, said

KEY = "sk-0123456789verysecret"
EMBEDDED = Said(reply="embedded")


@pytest.fixture(autouse=True)
def key(monkeypatch):
    monkeypatch.setenv("TEST_KEY", KEY)


def _echo(seen: Seen) -> Reply:
    """A careless endpoint: it writes the key that it was given into its answer."""
    return said({"reply": seen.headers["authorization"]})


def _shown(error: BaseException) -> str:
    """Everything that a traceback can show, chained exceptions and local variables included.

    Without its first frame, the test's own, which has the key among its variables.
    """
    out = io.StringIO()
    assert error.__traceback__ is not None
    error = error.with_traceback(error.__traceback__.tb_next)
    found = traceback.TracebackException.from_exception(error, capture_locals=True)
    print("".join(found.format(chain=True)), file=out)
    linked: BaseException | None = error
    while linked is not None:
        print(repr(linked), linked.args, vars(linked), file=out)
        linked = linked.__cause__ or linked.__context__
    return out.getvalue()


def test_the_key_goes_to_the_endpoint(endpoint, roles_at):
    roles_at(api_key_env="TEST_KEY").ask(call(), lambda: EMBEDDED)
    assert endpoint.seen[0].headers["authorization"] == f"Bearer {KEY}"
    assert KEY not in str(endpoint.seen[0].body)


def test_an_endpoint_without_a_key_gets_none(endpoint, roles_at, monkeypatch):
    monkeypatch.setenv("OPENAI_API_KEY", KEY)
    roles_at().ask(call(), lambda: EMBEDDED)
    assert endpoint.seen[0].headers["authorization"] == "Bearer none"
    assert KEY not in str(endpoint.seen[0].headers)


@pytest.mark.parametrize(
    "fault",
    [
        failed(401, f"Incorrect API key provided: {KEY}"),
        failed(400, f"you sent {KEY}"),
        failed(404, f"you sent {KEY}"),
        failed(429, f"{KEY} is over its limit", code="insufficient_quota"),
        failed(500, f"crashed on Bearer {KEY}"),
        Reply(f'{{"error": {{"message": "you sent {KEY}"}}}}'.encode()),
        Reply(f'{{"error": {{"message": "you sent {KEY}", "code": 404}}}}'.encode()),
        Reply(b"", drop="before"),
        Reply(b"", delay_s=0.5),
    ],
)
def test_no_error_shows_it(endpoint, roles_at, fault, caplog):
    endpoint.answers(fault)
    roles = roles_at(api_key_env="TEST_KEY", max_attempts=2, timeout_s=0.1)
    with caplog.at_level(logging.DEBUG), pytest.raises(ModelError) as error:
        roles.ask(call(), lambda: EMBEDDED)
    assert error.value.__context__ is None
    assert error.value.__cause__ is None
    assert KEY not in _shown(error.value)
    assert KEY not in caplog.text
    assert KEY not in "".join(str(vars(record)) for record in caplog.records)


def test_no_file_holds_it(endpoint, roles_at, tmp_path):
    endpoint.script = _echo
    roles = roles_at(
        api_key_env="TEST_KEY", cache=str(tmp_path / "cache"), record=str(tmp_path / "run.jsonl")
    )
    assert roles.ask(call(), lambda: EMBEDDED) == Said(reply="Bearer ***")
    held = [file.read_bytes() for file in tmp_path.rglob("*") if file.is_file()]
    assert any(b"Bearer ***" in data for data in held)
    assert not any(KEY.encode() in data for data in held)


def test_nothing_that_is_printed_or_pickled_holds_it(endpoint, roles_at, caplog):
    roles = roles_at(api_key_env="TEST_KEY")
    with caplog.at_level(logging.DEBUG):
        roles.ask(call(), lambda: EMBEDDED)
    (connection,) = roles._transport._endpoints.values()
    shown = f"{roles} {roles.settings} {connection} {roles._transport} {vars(roles)}"
    assert "TEST_KEY" in shown
    assert KEY not in shown
    assert KEY not in caplog.text
    assert KEY.encode() not in pickle.dumps(roles) + pickle.dumps(roles.settings)
    with pytest.raises(TypeError, match="key"):
        pickle.dumps(connection)


@pytest.mark.parametrize("value", [None, "", "  "])
def test_a_missing_key_stops_the_run_with_the_remedy(monkeypatch, value):
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)
    if value is not None:
        monkeypatch.setenv("OPENAI_API_KEY", value)
    role = read_settings({"backend": "openai"}).roles["track"]
    with pytest.raises(RunStopped, match="export OPENAI_API_KEY="):
        OpenAIEndpoint(role)


def test_a_key_with_line_ends_is_refused_unseen(monkeypatch):
    monkeypatch.setenv("TEST_KEY", f"{KEY}\nX: y")
    role = read_settings({"backend": "openai", "api_key_env": "TEST_KEY"}).roles["track"]
    with pytest.raises(RunStopped, match="TEST_KEY") as error:
        OpenAIEndpoint(role)
    assert KEY not in _shown_message(error.value)


def _shown_message(error: BaseException) -> str:
    out = io.StringIO()
    with contextlib.redirect_stderr(out):
        sys.excepthook(type(error), error, error.__traceback__)
    return out.getvalue()
