"""The limit of calls in flight."""

import threading
import time

import pytest

from language.llm.gate import Gate


def test_those_who_wait_are_let_in_as_they_came():
    gate, order = Gate(), []

    def visit(n: int) -> None:
        with gate.enter(1):
            order.append(n)

    with gate.enter(1):
        threads = []
        for n in range(5):
            threads.append(threading.Thread(target=visit, args=(n,)))
            threads[-1].start()
            while len(gate._queue) <= n:
                time.sleep(0.001)
        assert order == []
    for thread in threads:
        thread.join(5.0)
    assert order == [0, 1, 2, 3, 4]
    assert gate.inside == 0


def test_an_error_inside_lets_the_next_in():
    gate = Gate()
    with pytest.raises(KeyError), gate.enter(1):
        raise KeyError
    with gate.enter(1):
        assert gate.inside == 1


def test_limits_may_differ():
    gate = Gate()
    with gate.enter(1), gate.enter(2), gate.enter(3):
        assert gate.inside == 3
