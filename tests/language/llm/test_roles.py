"""The facade: repairs, fallbacks, refusals, and where calls are booked."""

import copy
import pickle
import subprocess
import sys
import threading
import time
from typing import Any

import pytest

import language.llm.roles
from language.llm import usage
from language.llm.call import Call
from language.llm.errors import DialogueFailed, RunStopped
from language.llm.gate import GATE
from language.llm.request import Answer
from language.llm.roles import Roles, close_roles, open_roles
from tests.language.llm.calls import Said, Stub, call, on_stub, stubbed
from tests.language.llm.fake_endpoint import Reply, failed, said

GOOD = Answer('{"reply": "good"}')
EMBEDDED = Said(reply="embedded")


def _ask(
    roles: Roles, asked: Call[Any] | None = None
) -> tuple[Any, dict[str, Any], list[dict[str, Any]]]:
    with usage.collect() as counted:
        found = roles.ask(asked or call(turn=3), fallback=lambda: EMBEDDED)
    return found, counted.by_role()["track"], counted.fallbacks()


@pytest.mark.parametrize(
    ("bad", "kind"),
    [
        (Answer("{oops"), "malformed"),
        (Answer('{"reply": "x'), "truncated"),
        (Answer('{"reply": "x"}', finish="length"), "truncated"),
        (Answer(""), "empty"),
        (Answer('{"reply": 3}'), "schema"),
    ],
)
def test_a_bad_answer_is_mended_or_the_embedded_role_stands_in(bad, kind):
    found, counted, fallbacks = _ask(stubbed(bad, GOOD)[0])
    assert found == Said(reply="good")
    assert (counted["calls"], counted["repairs"], counted["fallbacks"]) == (2, 1, 0)
    assert counted["faults"] == {kind: 1}
    assert fallbacks == []

    roles, stub = stubbed(bad)
    found, counted, fallbacks = _ask(roles)
    assert found is EMBEDDED
    assert (counted["calls"], counted["repairs"], counted["fallbacks"]) == (2, 1, 1)
    assert counted["faults"] == {kind: 2}
    assert fallbacks == [{"turn": 3, "role": "track", "fault": kind}]
    assert len(stub.requests) == 2


@pytest.mark.parametrize("reason", ["context_overflow", "rejected"])
@pytest.mark.parametrize(
    ("bad", "kind"), [(Answer("{oops"), "malformed"), (Answer("", finish="length"), "truncated")]
)
def test_a_repair_that_the_endpoint_does_not_take_is_a_fallback(bad, kind, reason):
    """The dialogue fits: only with the bad answer and the plea does it not."""
    roles, stub = stubbed(bad, DialogueFailed("too long", reason))
    found, counted, fallbacks = _ask(roles)
    assert found is EMBEDDED
    assert (counted["calls"], counted["repairs"], counted["fallbacks"]) == (1, 1, 1)
    assert counted["faults"] == {kind: 1}
    assert fallbacks == [{"turn": 3, "role": "track", "fault": kind}]
    assert len(stub.requests) == 2


@pytest.mark.parametrize(
    "error", [DialogueFailed("down", "unreachable"), RunStopped("the budget is spent")]
)
def test_a_repair_that_shows_what_ends_more_does_end_it(error):
    with pytest.raises(type(error), match=str(error)):
        _ask(stubbed(Answer("{oops"), error)[0])


def test_what_was_cut_off_gets_more_room():
    roles, stub = stubbed(Answer("", finish="length"), GOOD)
    _ask(roles)
    assert [request.max_tokens for request in stub.requests] == [400, 800]


def test_a_refusal_is_not_argued_with():
    roles, stub = stubbed(Answer("I cannot help with that", refused=True))
    found, counted, fallbacks = _ask(roles)
    assert found is EMBEDDED
    assert (counted["calls"], counted["repairs"], counted["fallbacks"]) == (1, 0, 1)
    assert fallbacks[0]["fault"] == "refusal"
    assert len(stub.requests) == 1


def test_a_refusal_to_mend_is_a_refusal():
    _, counted, fallbacks = _ask(stubbed(Answer("{"), Answer("", refused=True))[0])
    assert counted["faults"] == {"truncated": 1, "refusal": 1}
    assert fallbacks[0]["fault"] == "refusal"


def test_refusals_arrive_as_endpoints_send_them(endpoint, roles_at):
    for reply in (
        said(None, refusal="I cannot help"),
        said({"reply": "x"}, finish="content_filter"),
    ):
        endpoint.answers(reply)
        assert _ask(roles_at())[0] is EMBEDDED


def test_messages_come_in_several_shapes(endpoint, roles_at):
    roles = roles_at()
    endpoint.answers(said(None))
    assert _ask(roles)[1]["faults"] == {"empty": 2}
    body = b'{"choices": [{"message": {"content": [{"type": "text", "text": "{\\"reply\\": '
    endpoint.answers(Reply(body + b'\\"parts\\"}"}]}}]}'))
    found, counted, _ = _ask(roles)
    assert found == Said(reply="parts")
    assert counted["tokens_in"] == 0


@pytest.mark.parametrize("error", [RunStopped("stop"), DialogueFailed("fail", "rejected")])
def test_what_ends_a_run_or_a_dialogue_passes_through(error):
    with pytest.raises(type(error)):
        _ask(stubbed(error)[0])


def test_an_error_of_the_fallback_passes_through():
    def fallback():
        raise KeyError("embedded")

    with pytest.raises(KeyError, match="embedded"):
        stubbed(Answer(""))[0].ask(call(), fallback)


def test_which_roles_are_models_is_told():
    roles = Roles({"backend": "openai", "roles": {"judge": {"backend": "embedded"}}})
    assert roles.is_model("track")
    assert not roles.is_model("judge")
    assert roles.described()["embed"] == "text-embedding-3-small"
    assert "judge" not in roles.described()
    with pytest.raises(ValueError, match="'judge'"):
        roles.is_model("jduge")
    with pytest.raises(ValueError, match="embedded"):
        roles.ask(call(role="judge"), lambda: None)
    assert Roles(None).described() == {}


def test_results_come_in_the_order_of_the_jobs():
    roles = Roles(None)

    def late(n: int) -> int:
        time.sleep(0.02 * (4 - n))
        return n * n

    assert roles.map(late, [0, 1, 2, 3, 4]) == [0, 1, 4, 9, 16]
    assert roles.map(late, []) == []


def test_the_first_error_in_order_counts_and_no_job_is_left_behind():
    roles, done = Roles(None), []

    def job(n: int) -> int:
        time.sleep(0.05 if n == 1 else 0.0)
        done.append(n)
        if n in (1, 2):
            raise ValueError(f"job {n}")
        return n

    with pytest.raises(ValueError, match="job 1"):
        roles.map(job, [0, 1, 2, 3])
    assert sorted(done) == [0, 1, 2, 3]


def test_jobs_that_map_do_not_wait_for_each_other():
    roles = Roles({"concurrency": 1})

    def outer(n: int) -> list[int]:
        return roles.map(lambda m: n * m, [1, 2, 3])

    assert roles.map(outer, list(range(8)))[7] == [7, 14, 21]


def test_calls_of_threads_are_booked_to_their_own_dialogue():
    roles = stubbed(GOOD)[0]
    totals: dict[int, int] = {}

    def dialogue(n: int) -> None:
        with usage.collect() as counted:
            pending = roles.submit(lambda: roles.ask(call(), lambda: EMBEDDED))
            roles.map(lambda _: roles.ask(call(), lambda: EMBEDDED), list(range(n)))
            pending.result()
        totals[n] = counted.by_role()["track"]["calls"]

    threads = [threading.Thread(target=dialogue, args=(n,)) for n in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert totals == {n: n + 1 for n in range(8)}


def test_no_more_calls_are_in_flight_than_set():
    most, lock = [0], threading.Lock()

    def answer(request):
        with lock:
            most[0] = max(most[0], GATE.inside)
        time.sleep(0.005)
        return GOOD

    roles, _ = on_stub(Stub(answer), concurrency=3)
    roles.map(lambda _: roles.ask(call(), lambda: EMBEDDED), list(range(30)))
    assert most[0] == 3
    assert GATE.inside == 0


def test_who_waits_to_try_again_is_not_in_flight(endpoint, roles_at):
    def answer(seen):
        if seen.body["messages"][1]["content"] == "slow" and len(endpoint.seen) == 1:
            return failed(429, headers={"Retry-After": "2"})
        return said({"reply": "hi"})

    endpoint.script = answer
    roles = roles_at(concurrency=1)
    waiting = roles.submit(lambda: roles.ask(call("slow"), lambda: EMBEDDED))
    while not endpoint.seen:
        time.sleep(0.005)
    start = time.monotonic()
    assert roles.ask(call("quick"), lambda: EMBEDDED) == Said(reply="hi")
    assert time.monotonic() - start < 1.8
    assert waiting.result() == Said(reply="hi")


def test_equal_settings_share_their_roles():
    given = {"backend": "server", "roles": {"judge": {"backend": "embedded"}, "track": None}}
    roles = open_roles(given)
    assert open_roles(copy.deepcopy(given)) is roles
    assert open_roles({**given, "timeout_s": 5}) is not roles
    assert open_roles(None) is open_roles()
    assert pickle.loads(pickle.dumps(roles)) is roles
    assert copy.deepcopy(roles) is roles
    roles.close()
    assert open_roles(given) is not roles


def test_roles_that_are_open_can_be_closed_by_their_settings(monkeypatch):
    given = {"backend": "server", "timeout_s": 7}
    roles, other = open_roles(given), open_roles({"backend": "server", "timeout_s": 8})
    close_roles(copy.deepcopy(given))
    assert roles.closed
    assert not other.closed
    again = open_roles(given)
    assert again is not roles
    again.close()
    other.close()
    monkeypatch.setattr(language.llm.roles, "Roles", lambda given: pytest.fail("opened"))
    close_roles(given)
    close_roles({"backend": "server", "timeout_s": 9})
    with pytest.raises(ValueError, match="plain values"):
        close_roles({"cache": object()})


def test_totals_have_everything_in_a_dialogue_or_not(tmp_path):
    good, bad = Answer('{"reply": "x"}', tokens_in=100, tokens_out=10), Answer("{oops")
    refused = Answer("", refused=True)
    roles, _ = stubbed(
        good, bad, good, refused, good, price_in=1.0, price_out=4.0, cache=str(tmp_path)
    )
    assert roles.totals() == {}
    dialogues = []
    for texts in (["a", "b"], ["c", "a"]):
        with usage.collect() as counted:
            for text in texts:
                roles.ask(call(text), lambda: EMBEDDED)
        dialogues.append(counted.by_role()["track"])
    known = roles.totals()["track"]
    for count in ("calls", "cached", "repairs", "fallbacks", "tokens_in", "cost_usd"):
        assert known[count] == pytest.approx(sum(track[count] for track in dialogues))
    assert (known["calls"], known["cached"], known["fallbacks"]) == (4, 1, 1)
    assert known["faults"] == {"malformed": 1, "refusal": 1}
    roles.spent(100, 5.0)
    roles.ask(call("d", role="reply"), lambda: EMBEDDED)
    assert roles.totals()["track"] == known
    assert roles.totals()["reply"]["calls"] == 1
    roles.close()
    assert roles.totals()["reply"]["calls"] == 1


def test_totals_are_right_with_many_threads():
    roles = stubbed(Answer('{"reply": "x"}', tokens_in=3, tokens_out=1))[0]
    roles.map(lambda n: roles.ask(call(str(n)), lambda: EMBEDDED), list(range(200)))
    assert (roles.totals()["track"]["calls"], roles.totals()["track"]["tokens_in"]) == (200, 600)


def test_settings_that_are_no_plain_values_are_named():
    with pytest.raises(ValueError, match="plain values"):
        open_roles({"cache": object()})


def test_inputs_are_made_once_and_only_when_sent(endpoint, roles_at):
    made = []

    def inputs():
        made.append(1)
        return {}

    endpoint.answers(said(""), said({"reply": "hi"}))
    _ask(roles_at(backend="server"), call(inputs=inputs))
    assert len(endpoint.seen) == 2
    assert made == [1]
    endpoint.answers(said({"reply": "hi"}))
    _ask(roles_at(), call(inputs=inputs))
    assert made == [1]


def test_embedded_roles_do_not_load_the_client():
    program = (
        "import sys; from language.llm.roles import open_roles; open_roles(None); "
        "sys.exit('openai' in sys.modules)"
    )
    assert subprocess.run([sys.executable, "-c", program], check=False).returncode == 0
