"""What the group ``llm`` resolves to, and what it refuses."""

import pickle
from typing import Any

import pytest

from language.llm.call import ROLES
from language.llm.settings import LLMSettings, read_settings


@pytest.mark.parametrize("given", [None, {}, {"backend": "embedded"}, {"roles": {"judge": None}}])
def test_without_settings_every_role_is_embedded(given):
    settings = read_settings(given)
    assert list(settings.roles) == list(ROLES)
    assert not any(role.is_model for role in settings.roles.values())


@pytest.mark.parametrize(
    ("backend", "base_url", "model", "key"),
    [
        ("openai", "https://api.openai.com/v1", "gpt-4o-mini", "OPENAI_API_KEY"),
        ("server", "http://127.0.0.1:8765/v1", "embedded-roles", None),
        ("local", "", "smollm2-135m", None),
    ],
)
def test_a_backend_brings_its_defaults(backend, base_url, model, key):
    role = read_settings({"backend": backend}).roles["track"]
    assert (role.base_url, role.model, role.api_key_env) == (base_url, model, key)
    assert role.timeout_s == 60.0
    assert role.temperature is None


def test_an_openai_user_gets_an_embedding_model_for_embeddings():
    settings = read_settings({"backend": "openai", "model": "gpt-5"})
    assert settings.roles["track"].model == "gpt-5"
    assert settings.roles["embed"].model == "text-embedding-3-small"


def test_a_role_takes_from_the_top_what_it_leaves_null():
    settings = read_settings(
        {
            "backend": "openai",
            "model": "big",
            "timeout_s": 5,
            "temperature": 0.3,
            "price_in": 2,
            "price_out": 4,
            "roles": {"judge": {"model": "bigger", "temperature": 0.0}, "track": {"model": None}},
        }
    )
    judge, track = settings.roles["judge"], settings.roles["track"]
    assert (judge.model, judge.temperature, judge.timeout_s) == ("bigger", 0.0, 5.0)
    assert (track.model, track.temperature, track.price_out) == ("big", 0.3, 4.0)
    assert track.cost(1_000_000, 500_000) == 4.0


GPU = "http://gpu:8000/v1"


@pytest.mark.parametrize(
    ("top", "own", "prices"),
    [
        ({}, {}, (1.0, 4.0)),
        ({}, {"model": "gpt-4o-mini"}, (1.0, 4.0)),
        ({}, {"model": "gpt-5"}, (None, None)),
        ({}, {"base_url": GPU}, (None, None)),
        ({}, {"base_url": "https://api.openai.com/v1/"}, (1.0, 4.0)),
        ({"base_url": GPU}, {"base_url": "https://api.openai.com/v1"}, (None, None)),
        ({}, {"backend": "server"}, (None, None)),
        ({"backend": "embedded"}, {"backend": "openai"}, (None, None)),
        ({"backend": "server"}, {"backend": "openai"}, (None, None)),
        ({}, {"model": "gpt-5", "price_in": 2}, (2.0, None)),
        ({}, {"price_in": 2}, (2.0, 4.0)),
        ({}, {"backend": "local"}, (0.0, 0.0)),
        ({"backend": "local", "model": "a"}, {"model": "b"}, (0.0, 0.0)),
        ({"backend": "local"}, {}, (1.0, 4.0)),
        # The address of an own server is found when the run starts.
        ({"backend": "server"}, {"base_url": "http://127.0.0.1:4321/v1"}, (1.0, 4.0)),
        ({"backend": "server", "base_url": GPU}, {"base_url": "http://other/v1"}, (None, None)),
    ],
)
def test_prices_are_those_of_the_top_s_model_at_the_top_s_address(top, own, prices):
    given = {"backend": "openai", "price_in": 1, "price_out": 4, **top, "roles": {"user": own}}
    user = read_settings(given).roles["user"]
    assert (user.price_in, user.price_out) == prices


@pytest.mark.parametrize("backend", ["openai", "server"])
@pytest.mark.parametrize("own", [{}, {"model": "gpt-4o-mini"}, {"model": "embedded-roles"}])
def test_embeddings_never_cost_what_the_chat_model_does(backend, own):
    settings = read_settings({"backend": backend, "price_in": 1, "roles": {"embed": own}})
    assert settings.roles["embed"].price_in is None
    priced = read_settings({"backend": backend, "roles": {"embed": {"price_in": 0.1}}})
    assert priced.roles["embed"].price_in == 0.1


@pytest.mark.parametrize(
    ("own", "words"),
    [
        ({"model": "gpt-5"}, ["gpt-5", "role judge: set llm.roles.judge.price_in and llm.roles"]),
        ({"base_url": GPU, "price_in": 1}, ["role judge: set llm.roles.judge.price_out (USD"]),
        ({"backend": "server"}, ["embedded-roles", "role judge", "llm.roles.judge.price_out"]),
    ],
)
def test_a_budget_in_money_names_the_role_without_prices(own, words):
    given = {"backend": "openai", "price_in": 1, "price_out": 4, "max_cost_usd": 9}
    with pytest.raises(ValueError, match=r"llm\.max_cost_usd=9\.0 needs the prices") as error:
        read_settings({**given, "roles": {"judge": own}})
    for word in words:
        assert word in str(error.value)
    assert "set llm.price_in" not in str(error.value)
    whole = {**own, "price_in": 2, "price_out": 8}
    assert read_settings({**given, "roles": {"judge": whole}}).roles["judge"].price_out == 8.0


def test_a_role_thinks_as_the_top_s_does_unless_it_says_otherwise():
    given = {"backend": "openai", "reasoning_effort": "low", "thinking_tokens": 2000}
    own = {
        "judge": {"reasoning_effort": "high"},
        "track": {"thinking_tokens": 0},
        "user": {"backend": "server"},
    }
    roles = read_settings({**given, "roles": own}).roles
    found = {name: (roles[name].reasoning_effort, roles[name].thinking_tokens) for name in roles}
    assert found["reply"] == ("low", 2000)
    assert found["judge"] == ("high", 2000)
    assert found["track"] == ("low", 0)
    assert found["user"] == (None, 0)


def test_a_role_on_another_backend_takes_nothing_that_belongs_to_the_top_s():
    settings = read_settings(
        {
            "backend": "openai",
            "base_url": "http://gpu:8000/v1",
            "model": "llama",
            "api_key_env": "GPU_KEY",
            "price_in": 1,
            "timeout_s": 9,
            "roles": {"track": {"backend": "server"}, "judge": {"backend": "embedded"}},
        }
    )
    track = settings.roles["track"]
    assert track.base_url == "http://127.0.0.1:8765/v1"
    assert (track.model, track.api_key_env, track.price_in) == ("embedded-roles", None, None)
    assert track.timeout_s == 9.0
    assert not settings.roles["judge"].is_model


@pytest.mark.parametrize(
    ("given", "key"),
    [
        ({"base_url": "http://gpu:8000/v1"}, None),
        ({"base_url": "http://gpu:8000/v1", "api_key_env": "GPU_KEY"}, "GPU_KEY"),
        ({"roles": {"track": {"base_url": "http://gpu:8000/v1"}}}, None),
        ({"api_key_env": "MINE", "roles": {"track": {"base_url": "http://gpu:8000/v1"}}}, None),
        ({"api_key_env": "MINE", "roles": {"track": {"model": "x"}}}, "MINE"),
        ({"roles": {"track": {"base_url": "https://api.openai.com/v1/"}}}, "OPENAI_API_KEY"),
    ],
)
def test_a_key_is_sent_to_no_host_that_it_was_not_named_for(given, key):
    assert read_settings({"backend": "openai", **given}).roles["track"].api_key_env == key


@pytest.mark.parametrize(
    ("given", "words"),
    [
        ({"modle": "x"}, ["llm.modle", "'model'"]),
        ({"roles": {"jugde": {}}}, ["llm.roles.jugde", "'judge'"]),
        ({"roles": {"judge": {"temprature": 1}}}, ["llm.roles.judge.temprature", "'temperature'"]),
        ({"roles": {"judge": 3}}, ["llm.roles.judge", "mapping", "3"]),
        ({"backend": "opnai"}, ["llm.backend", "'opnai'", "'openai'"]),
        ({"timeout_s": 0}, ["llm.timeout_s", "0", "seconds"]),
        ({"timeout_s": float("nan")}, ["llm.timeout_s", "nan"]),
        ({"temperature": True}, ["llm.temperature", "True"]),
        ({"max_attempts": 0}, ["llm.max_attempts", "1 to 100"]),
        ({"concurrency": 2.5}, ["llm.concurrency", "2.5"]),
        ({"user_calls": 2}, ["llm.user_calls", "1 or 3"]),
        ({"cache": 7}, ["llm.cache", "7"]),
        ({"max_cost_usd": -1}, ["llm.max_cost_usd", "-1"]),
        ({"record": "a", "replay": "b"}, ["llm.record=a", "llm.replay=b"]),
        ({"base_url": "gpu:8000"}, ["llm.base_url", "gpu:8000"]),
        ({"max_cost_usd": 1}, ["llm.price_in", "gpt-4o-mini", "track"]),
        ({"thinking_tokens": -1}, ["llm.thinking_tokens", "-1", "whole number"]),
        ({"reasoning_effort": 3}, ["llm.reasoning_effort", "3"]),
        ({"reasoning_effort": "a b"}, ["llm.reasoning_effort", "one word"]),
    ],
)
def test_impossible_settings_are_named_with_a_remedy(given: dict[str, Any], words: list[str]):
    with pytest.raises(ValueError, match=r"llm") as error:
        read_settings({"backend": "openai", **given})
    for word in words:
        assert word in str(error.value)


@pytest.mark.parametrize(
    "given",
    [
        {"api_key_env": "sk-verysecret"},
        {"base_url": "https://me:verysecret@host/v1"},
        {"base_url": "https://host/v1?key=verysecret"},
    ],
)
def test_a_secret_in_the_wrong_place_is_not_repeated(given):
    with pytest.raises(ValueError, match=r"llm\.") as error:
        read_settings({"backend": "openai", **given})
    assert "verysecret" not in str(error.value)


def test_settings_can_be_pickled():
    settings = read_settings({"backend": "openai", "parallel": 4, "scorer": {"weight": 1}})
    again = pickle.loads(pickle.dumps(settings))
    assert isinstance(again, LLMSettings)
    assert again == settings
