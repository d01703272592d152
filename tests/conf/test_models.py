"""Which models a run has, in how many threads, with which keys, and what records say of them."""

from typing import Any

import pytest

from conf.models import (
    PARALLEL,
    check_keys,
    dialogues_at_once,
    has_models,
    model_settings,
    models_of_run,
    unpriced,
)
from conf.run_errors import RunError
from language.llm.errors import RunStopped
from tests.command_line import composed

USER = "llm.roles.user.backend"
KEYLESS = "llm.base_url=http://127.0.0.1:7/v1"


@pytest.mark.parametrize(
    ("overrides", "threads"),
    [
        ((), 1),
        (("llm=openai",), 8),
        (("llm=openai", "llm.parallel=3"), 3),
        (("llm=openai", "llm.parallel=null"), PARALLEL),
        (("llm=local",), 1),
        (("llm=local", "llm.parallel=null"), 1),
        (("llm.parallel=3",), 1),
        ((f"{USER}=openai",), PARALLEL),
        ((f"{USER}=server",), PARALLEL),
        ((f"{USER}=server", "llm.parallel=2"), 2),
        ((f"{USER}=local",), 1),
        ((f"{USER}=local", "llm.roles.reply.backend=openai"), PARALLEL),
        (("llm.roles.judge.backend=openai",), 1),
    ],
)
def test_threads_are_for_who_waits_for_an_endpoint(
    overrides: tuple[str, ...], threads: int
) -> None:
    config = composed(*overrides)
    assert dialogues_at_once(config) == threads
    if not any("local" in override for override in overrides):
        assert has_models(config) == (threads > 1)


def test_an_impossible_setting_is_an_error_of_the_run() -> None:
    with pytest.raises(RunError, match="did you mean 'openai'"):
        has_models(composed("llm.backend=opnai"))


@pytest.mark.parametrize(
    ("change", "together"),
    [
        ({}, True),
        ({"timeout_s": 5}, True),
        ({"price_in": 5}, True),
        ({"temperature": 0.7}, False),
        ({"model": "another"}, False),
        ({"base_url": "http://127.0.0.1:8/v1"}, False),
        ({"backend": "embedded"}, False),
    ],
)
def test_tracking_and_first_scores_are_one_call_of_one_model(
    change: dict[str, Any], together: bool
) -> None:
    config = composed("planner=dreams", "llm=openai", "llm.temperature=0")
    for role in ("score", "track"):
        given = dict(config["llm"]["roles"][role])
        config["llm"]["roles"][role] = given | change
        scorer = model_settings(config)["scorer"]
        assert scorer == (config["planner"]["scorer"] if together else None)
        config["llm"]["roles"][role] = given


def test_the_judge_is_not_of_the_run() -> None:
    config = composed("llm=openai", "llm.price_in=1", "llm.roles.judge.model=another")
    assert "judge" not in models_of_run(config)
    assert "judge" not in unpriced(config)
    assert "track" in unpriced(config)
    assert unpriced(composed("llm=local")) == []


def test_what_records_may_say() -> None:
    """The environment names its own roles; vectors are asked for by one encoder alone."""
    assert models_of_run(composed()) == {}
    config = composed("llm=openai", "llm.roles.refine.backend=embedded")
    found = models_of_run(config)
    assert set(found) == {"score", "imagine", "policy"}
    assert found["score"] == {"model": "gpt-4o-mini", "prompt": found["score"]["prompt"]}
    assert found["score"]["prompt"].startswith("score/")
    embedding = models_of_run(composed("llm=openai", "retrieval.encoder=openai"))["embed"]
    assert embedding == {"model": "text-embedding-3-small", "prompt": None}


@pytest.mark.parametrize(
    ("overrides", "asks", "speaks"),
    [
        (("llm=openai",), (), True),
        ((f"{USER}=openai",), (), True),
        (("llm.roles.policy.backend=openai",), ("policy",), False),
        (("llm.roles.embed.backend=openai", "retrieval.encoder=openai"), (), False),
        (("llm=server", KEYLESS, "llm.roles.user.api_key_env=OPENAI_API_KEY"), (), True),
    ],
)
def test_a_key_that_is_missing_is_named(
    overrides: tuple[str, ...],
    asks: tuple[str, ...],
    speaks: bool,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    config = composed(*overrides)
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)
    with pytest.raises(RunStopped, match="OPENAI_API_KEY is not set"):
        check_keys(config, asks, speaks)
    monkeypatch.setenv("OPENAI_API_KEY", "sk-bad \x7f")
    with pytest.raises(RunStopped, match="characters that no key has") as refused:
        check_keys(config, asks, speaks)
    assert "sk-bad" not in str(refused.value)
    monkeypatch.setenv("OPENAI_API_KEY", "sk-good")
    check_keys(config, asks, speaks)


@pytest.mark.parametrize(
    ("overrides", "asks", "speaks"),
    [
        ((), ("score",), True),
        (("llm=openai",), (), False),
        (("llm=openai", KEYLESS), ("score",), True),
        (("llm=openai", "llm.replay=answers.jsonl"), ("score",), True),
        (("llm=openai", "llm.cache=answers"), ("score",), True),
        (("llm.roles.judge.backend=openai",), ("score",), True),
        (("llm.roles.policy.backend=openai",), ("score",), True),
        (("llm.roles.embed.backend=openai",), ("score",), True),
    ],
)
def test_a_key_that_nobody_asks_for_may_be_missing(
    overrides: tuple[str, ...],
    asks: tuple[str, ...],
    speaks: bool,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)
    check_keys(composed(*overrides), asks, speaks)
