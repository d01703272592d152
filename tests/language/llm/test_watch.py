"""A role that mostly falls back is warned of once, early."""

import logging

import pytest

from language.llm.request import Answer
from language.llm.roles import Roles
from tests.language.llm.calls import Said, call, stubbed

GOOD = Answer('{"reply": "x"}')
CUT = Answer("", finish="length")
REFUSED = Answer("", refused=True)


def _asked(roles: Roles, count: int, role: str = "track") -> None:
    for _ in range(count):
        roles.ask(call(role=role), lambda: Said(reply=""))


@pytest.mark.parametrize("bad", [REFUSED, CUT])
def test_more_than_half_of_the_first_calls_are_a_warning(bad, caplog):
    roles, _ = stubbed(bad)
    with caplog.at_level(logging.WARNING, "crsgym.llm"):
        _asked(roles, 10)
        assert caplog.records == []
        _asked(roles, 90)
    (told,) = [record.getMessage() for record in caplog.records]
    assert "stands in for 11 of the first 11 calls of the role track" in told
    assert "gpt-4o-mini at http://x/v1" in told
    assert ("llm.thinking_tokens" in told) == (bad is CUT)
    assert ("refuse" in told) == (bad is REFUSED)


def test_half_of_them_is_none_nor_are_later_ones(caplog):
    roles, _ = stubbed(*[REFUSED] * 10, *[GOOD] * 10, REFUSED)
    with caplog.at_level(logging.WARNING, "crsgym.llm"):
        _asked(roles, 60)
    assert caplog.records == []


def test_each_role_is_looked_at(caplog):
    roles, _ = stubbed(REFUSED)
    with caplog.at_level(logging.WARNING, "crsgym.llm"):
        for role in ("track", "user"):
            _asked(roles, 20, role)
    assert ["role user" in record.getMessage() for record in caplog.records] == [False, True]
