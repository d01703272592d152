"""Budgets are never exceeded, not even by what is in flight."""

import threading
import time

import pytest

from language.llm import usage
from language.llm.attempt import TransportError
from language.llm.budget import Budget
from language.llm.errors import DialogueFailed, RunStopped
from language.llm.request import Answer
from language.llm.roles import Roles
from tests.language.llm.calls import Said, Stub, call, on_stub, stubbed

GOOD = Answer('{"reply": "x"}', tokens_in=100, tokens_out=10)
EMBEDDED = Said(reply="embedded")


def _all(roles: Roles, count: int) -> int:
    def ask(n: int) -> bool:
        try:
            roles.ask(call(str(n)), lambda: EMBEDDED)
        except RunStopped:
            return False
        return True

    return sum(roles.map(ask, list(range(count))))


def test_calls_stop_at_their_limit():
    def answer(request):
        time.sleep(0.002)
        return GOOD

    roles, stub = on_stub(Stub(answer), max_calls=17)
    assert _all(roles, 60) == 17
    assert len(stub.requests) == 17
    with pytest.raises(RunStopped, match="17 calls") as error:
        roles.ask(call(), lambda: EMBEDDED)
    assert "llm.max_calls=17" in str(error.value)
    assert "resume=true" in str(error.value)


def test_cost_stops_below_its_limit():
    prices = {"price_in": 10.0, "price_out": 40.0}
    roles, _ = stubbed(GOOD, max_cost_usd=0.1, **prices)
    done = _all(roles, 200)
    cost = done * (100 * 10.0 + 10 * 40.0) / 1e6
    spent = roles._transport.budget.spent
    assert spent[0] == done
    assert spent[1] == pytest.approx(cost)
    assert 0.05 < cost <= 0.1
    assert done < 200


def test_what_the_endpoint_does_not_count_is_taken_for_the_most_that_it_can_be():
    roles, _ = stubbed(Answer('{"reply": "x"}'), max_cost_usd=0.1, price_in=10.0, price_out=40.0)
    assert 0 < _all(roles, 200) < 20


def test_a_call_that_fails_costs_nothing_and_one_that_times_out_may_have():
    for kind, spent in [("server_error", 0), ("timeout", 3)]:
        roles, _ = stubbed(TransportError("no", kind), max_attempts=3, max_calls=50)
        with pytest.raises(DialogueFailed):
            roles.ask(call(), lambda: EMBEDDED)
        assert roles._transport.budget.spent[0] == spent


UNCOUNTED = Answer('{"reply": "x"}')
PRICES = {"price_in": 10.0, "price_out": 40.0}


@pytest.mark.parametrize("limit", [{}, {"max_cost_usd": 5.0}, {"max_calls": 50}])
def test_the_account_has_what_the_budget_was_charged_with(limit):
    """Also without a budget: one may be set when the run is resumed."""
    roles, _ = stubbed(
        TransportError("no", "timeout"),
        UNCOUNTED,
        GOOD,
        TransportError("no", "server_error"),
        GOOD,
        **PRICES,
        **limit,
    )
    with usage.collect() as counted:
        for n in range(3):
            roles.ask(call(str(n)), lambda: EMBEDDED)
    track = counted.by_role()["track"]
    assert (track["calls"], track["faults"]["timeout"]) == (3, 1)
    assert track["cost_usd"] == pytest.approx(2 * (100 * 10.0 + 10 * 40.0) / 1e6)
    assert track["cost_reserved_usd"] > 2 * 400 * 40.0 / 1e6
    calls, cost = roles.paid
    assert calls == track["calls"] + track["faults"]["timeout"]
    assert cost == pytest.approx(track["cost_usd"] + track["cost_reserved_usd"])


def test_a_thinking_model_may_cost_its_thoughts():
    spent = []
    for tokens in (0, 1000):
        roles, _ = stubbed(UNCOUNTED, **PRICES, thinking_tokens=tokens)
        roles.ask(call(), lambda: EMBEDDED)
        spent.append(roles.paid[1])
    assert spent[1] - spent[0] >= 1000 * 40.0 / 1e6


def test_what_is_counted_or_has_no_price_reserves_nothing():
    for roles in (stubbed(GOOD, **PRICES)[0], stubbed(UNCOUNTED)[0]):
        with usage.collect() as counted:
            roles.ask(call(), lambda: EMBEDDED)
        assert "cost_reserved_usd" not in counted.by_role()["track"]


def test_what_an_earlier_start_spent_counts():
    roles, stub = stubbed(GOOD, max_calls=10)
    roles.spent(9, 0.5)
    assert _all(roles, 5) == 1
    assert len(stub.requests) == 1


def test_kept_answers_cost_nothing(tmp_path):
    roles, _ = stubbed(GOOD, max_calls=1, cache=str(tmp_path))
    for _ in range(5):
        roles.ask(call(), lambda: EMBEDDED)
    roles.close()


def test_the_last_call_waits_for_one_in_flight_that_may_fail():
    budget = Budget(max_calls=1, max_cost_usd=None)
    budget.reserve("track", 0.0)
    done = []

    def last() -> None:
        budget.reserve("track", 0.0)
        done.append("reserved")
        budget.settle(0.0, 1, 0.0)

    thread = threading.Thread(target=last)
    thread.start()
    time.sleep(0.05)
    assert done == []
    budget.settle(0.0, 0, 0.0)
    thread.join(5.0)
    assert done == ["reserved"]
    with pytest.raises(RunStopped):
        budget.reserve("track", 0.0)


def test_without_limits_what_is_spent_is_still_known():
    budget = Budget(None, None)
    budget.reserve("track", 5.0)
    budget.settle(5.0, 1, 2.0)
    assert budget.spent == (1, 2.0)
