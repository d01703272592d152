"""Settings, and the command line that gives them."""

from __future__ import annotations

import re
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from serving.__main__ import parse
from serving.background import arguments
from serving.faults import FAULTS
from serving.settings import ServingSettings


@pytest.mark.parametrize(
    ("wrong", "told"),
    [
        ({"latency_s": -0.1}, "latency_s must be"),
        ({"latency_s": float("nan")}, "latency_s must be"),
        ({"hang_s": float("inf")}, "hang_s must be"),
        ({"retry_after_s": -1.0}, "retry_after_s must be"),
        ({"jitter": 1.5}, "jitter must be in [0, 1]"),
        ({"capacity": 0}, "capacity must be at least 1"),
        ({"when_full": "panic"}, "'wait' or 'reject'"),
        ({"port": 70000}, "port must be"),
        ({"largest_body": 0}, "largest_body must be"),
        ({"faults": {"rate_limits": 0.1}}, "did you mean 'rate_limit'?"),
        ({"script": ("", "hangs")}, "did you mean 'hang'?"),
        ({"faults": {"hang": -0.1}}, "the probability of hang"),
        ({"faults": {"hang": float("nan")}}, "the probability of hang"),
        ({"faults": {"hang": 0.6, "drop": 0.5}}, "sum to 1.1"),
    ],
)
def test_wrong_settings_are_refused(wrong: dict[str, Any], told: str) -> None:
    with pytest.raises(ValueError, match=re.escape(told)):
        ServingSettings(**wrong)


chances = st.dictionaries(st.sampled_from(FAULTS), st.floats(0, 1 / len(FAULTS)))


@given(
    st.builds(
        ServingSettings,
        port=st.integers(0, 65535),
        latency_s=st.floats(0, 10),
        jitter=st.floats(0, 1),
        capacity=st.none() | st.integers(1, 99),
        when_full=st.sampled_from(["wait", "reject"]),
        faults=chances,
        script=st.lists(st.sampled_from(["", *FAULTS]), min_size=2).map(tuple) | st.just(()),
        hang_s=st.floats(0, 1e4),
        retry_after_s=st.floats(0, 10),
        seed=st.integers(0, 10**9),
        json_schema=st.booleans(),
        json_object=st.booleans(),
        largest_body=st.integers(1, 10**9),
    )
)
def test_a_command_line_gives_the_same_settings(settings: ServingSettings) -> None:
    assert parse(arguments(settings)) == settings


@pytest.mark.parametrize(
    ("words", "told"),
    [
        (["--fault", "hang"], "write KIND=PROBABILITY"),
        (["--fault", "hang=often"], "'often' is no number"),
        (["--fault", "hangs=0.1"], "did you mean 'hang'?"),
        (["--capacity", "0"], "capacity must be at least 1"),
        (["--latencies", "1"], "unrecognized arguments"),
    ],
)
def test_a_wrong_command_line_says_what_is_wrong(
    words: list[str], told: str, capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(SystemExit) as stopped:
        parse(words)
    assert stopped.value.code == 2
    assert told in capsys.readouterr().err
