"""Environments from a configuration."""

import pickle
from pathlib import Path
from typing import Any

import gymnasium as gym
import pytest

from catalogs.domain import DomainError
from conf.environments import env_factory, make_env
from conf.overrides import options
from tests.command_line import composed

CSV = (
    "id,title,genre,writer\n"
    "a,Glass Rooms,Mystery|Drama,Ada Lind\n"
    "b,The Salt Road,Mystery|Drama,Ada Lind\n"
    "c,Low Tide,Comedy,Otto Brand\n"
)


@pytest.fixture(autouse=True)
def _no_data(no_data: str) -> None:
    """The bundled samples."""


@pytest.mark.parametrize("name", sorted(set(options("env")) - {"custom"}))
def test_every_environment_is_made(name: str) -> None:
    made: Any = make_env(composed(f"env={name}"))
    assert made.unwrapped.channel == "text"
    assert made.unwrapped.split == "test"
    assert made.unwrapped.max_turns == 10
    assert ("Book" in made.spec.id) == (made.unwrapped.domain.name == "book")
    made.reset(seed=0)


def test_settings_reach_the_environment() -> None:
    config = composed("env.max_turns=7", "reward.terms.cost=0.25", "split=heldout")
    made: Any = make_env(config).unwrapped
    assert (made.max_turns, made.split) == (7, "heldout")
    assert made.reward.weight("cost") == 0.25
    training: Any = make_env(config, channel="acts", split="train").unwrapped
    assert (training.channel, training.split) == ("acts", "train")


def test_the_retriever_is_chosen() -> None:
    worlds = [
        make_env(composed(f"env.retrieval={name}")).unwrapped.world  # type: ignore[attr-defined]
        for name in ("structured", "lexical")
    ]
    assert type(worlds[0].retriever) is not type(worlds[1].retriever)
    with pytest.raises(ValueError, match="no retriever 'lexicl'; did you mean 'lexical'"):
        make_env(composed("env.retrieval=lexicl"))


def test_items_that_would_be_ignored_are_refused() -> None:
    with pytest.raises(ValueError, match=r"env\.domain needs env=custom"):
        make_env(composed("env=redial", "env.domain=book"))


def test_items_of_your_own(tmp_path: Path) -> None:
    items = tmp_path / "mine.csv"
    items.write_text(CSV, encoding="utf-8")
    config = composed("env=custom", "env.domain=book", f"env.items={items}")
    made: Any = make_env(config)
    assert len(made.unwrapped.catalog) == 3
    made.reset(seed=0)
    assert made.unwrapped.catalog.source == "custom"


def test_custom_without_items_says_what_is_missing() -> None:
    with pytest.raises(ValueError, match="needs items"):
        make_env(composed("env=custom"))
    with pytest.raises(DomainError, match=r"no domain file mine\.yaml"):
        make_env(composed("env=custom", "env.domain=mine.yaml", "env.items=mine.csv"))


def test_another_environment_gets_its_own_arguments_only() -> None:
    config = composed("env.id=CartPole-v1", "+env.kwargs.sutton_barto_reward=true")
    made: Any = make_env(config)
    assert made.unwrapped._sutton_barto_reward


def test_an_unregistered_id_names_the_nearest() -> None:
    with pytest.raises(ValueError, match=r"env\.id=CartPol-v1 is not registered; did you mean"):
        make_env(composed("env.id=CartPol-v1"))
    with pytest.raises(ValueError, match=r"env\.id=Cart Pole is not registered.*Name-v0"):
        make_env(composed("env.id='Cart Pole'"))
    with pytest.raises(ValueError, match="before ':' is a module"):
        make_env(composed("env.id=no_such_module:Walk-v0"))


@pytest.mark.parametrize(
    ("override", "message"),
    [
        ("env.items=5", "env.items must be the name of a file or null, not 5"),
        ("env.items=''", "env.items must be the name of a file or null, not ''"),
        ("env.domain=[a]", "env.domain must be the name of a file or null"),
        ("env.retrieval=[a]", "env.retrieval must be a text, not ['a']"),
        ("env.name=null", "env.name must be a text, not None"),
        ("+env.kwargs.foo=3", "unexpected keyword argument 'foo'; see env.kwargs"),
    ],
)
def test_settings_of_another_kind_are_named_alone(override: str, message: str) -> None:
    with pytest.raises(ValueError, match="env") as caught:
        make_env(composed("env=custom", "env.items=mine.csv", override))
    assert message in str(caught.value)
    assert len(str(caught.value)) < 200


def test_factories_can_be_sent_to_processes() -> None:
    factory = pickle.loads(pickle.dumps(env_factory(composed(), channel="acts")))
    made = factory()
    assert isinstance(made, gym.Env)
    assert made.get_wrapper_attr("channel") == "acts"
