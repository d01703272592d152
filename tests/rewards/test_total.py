"""The weighted sum: defaults, configuration, terms of one's own, errors."""

import math
from typing import Any

import gymnasium as gym
import numpy as np
import pytest

from dialogue.acts import Kind, UserAct
from rewards.total import DEFAULT_TERMS, DISCOUNT, make_reward
from rewards.transition import Transition
from tests.rewards.test_terms import transition


class Talkative:
    """A term of one's own: the number of acts in the reply."""

    def __call__(self, made: Transition) -> float:
        return float(len(made.acts))


class Broken:
    """A term that fails while it is built."""

    def __init__(self) -> None:
        raise RuntimeError("broken")


class Needy:
    """A term that cannot be built without an argument."""

    def __init__(self, needed: int) -> None:
        self.needed = needed

    def __call__(self, made: Transition) -> float:
        return 0.0


def test_defaults() -> None:
    reward = make_reward()
    assert reward.names == ("explore", "retrieve", "attitude", "cost", "accept")
    assert reward.weights == (0.5, 0.5, 0.5, 0.1, 10.0)
    assert 0 < DISCOUNT < 1
    made = transition(accepted=True, overlap_before=0.5)
    assert reward.parts(made) == pytest.approx([0.0, 0.0, 0.5, -0.1, 10.0])
    made = transition(left=True, legal=False, overlap_before=0.5)
    assert reward.parts(made) == pytest.approx([0.0, -0.25, -0.5, -0.2, 0.0])


def test_weights_from_configuration() -> None:
    reward = make_reward({"cost": 1, "accept": {"weight": 3.0}, "explore": 0})
    assert reward.names == ("retrieve", "attitude", "cost", "accept")
    assert reward.weight("cost") == 1.0
    assert reward.weight("accept") == 3.0
    assert reward.weight("retrieve") == 0.5
    assert reward.weight("explore") == reward.weight("nothing") == 0.0
    assert make_reward({"cost": 1}).parts(transition()) == pytest.approx([0, 0, 0, -1, 0])
    assert DEFAULT_TERMS["cost"][1] == 0.1


@pytest.mark.parametrize("term", [Talkative(), "tests.rewards.test_total:Talkative"])
def test_a_term_is_added_or_replaced(term: Any) -> None:
    said = transition(acts=(UserAct(int(Kind.OTHER)),) * 3)
    added = make_reward({"talk": {"term": term, "weight": 2}})
    assert added.names[-1] == "talk"
    assert added.parts(said)[-1] == 6.0
    assert make_reward({"talk": {"term": term}}).parts(said)[-1] == 3.0
    replaced = make_reward({"cost": {"term": term}})
    assert replaced.names == make_reward().names
    assert replaced.parts(said)[3] == pytest.approx(0.3)


@pytest.mark.parametrize(
    ("config", "message"),
    [
        ({"exploer": 1.0}, r"no term 'exploer'; did you mean 'explore'\? \(there are explore, "),
        ({"zzz": 1.0}, "no term 'zzz'; give it a 'term'"),
        ({"cost": "much"}, "reward.cost: the weight must be a finite number, not 'much'"),
        ({"cost": True}, "reward.cost: the weight must be"),
        ({"cost": float("nan")}, "reward.cost: the weight must be"),
        ({"cost": float("inf")}, "reward.cost: the weight must be"),
        ({"cost": None}, "reward.cost: the weight must be"),
        ({"cost": 10**400}, "reward.cost: the weight must be"),
        ({"cost": {"wieght": 1}}, "reward.cost: unknown key 'wieght'"),
        ({"x": {"term": "no.such.module:X"}}, "reward.x: cannot build 'no.such.module:X'"),
        ({"x": {"term": "rewards.terms:Acept"}}, "reward.x: cannot build"),
        ({"x": {"term": "rewards.terms"}}, "reward.x: cannot build"),
        ({"x": {"term": "tests.rewards.test_total:Needy"}}, "reward.x: cannot build"),
        (
            {"x": {"term": "tests.rewards.test_total:Broken"}},
            "cannot build .* RuntimeError: broken",
        ),
        ({"x": {"term": 5}}, "reward.x: a term must be callable with a Transition, got 5"),
        (["cost"], "reward: must map term names to weights"),
    ],
)
def test_wrong_configurations(config: Any, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        make_reward(config)


@pytest.mark.parametrize("value", [math.nan, math.inf, "much", None, np.float64("nan"), [1.0]])
def test_a_term_that_returns_no_number_is_an_error(value: Any) -> None:
    reward = make_reward({"mine": {"term": lambda _: value}})
    with pytest.raises(ValueError, match=r"reward\.mine: a term must return a finite number"):
        reward.parts(transition())


@pytest.mark.parametrize("value", [np.float32(0.5), np.int64(2), True, 3])
def test_a_term_may_return_any_number(value: Any) -> None:
    (*_, part) = make_reward({"mine": {"term": lambda _: value}}).parts(transition())
    assert type(part) is float
    assert part == float(value)


def test_through_gym_make(no_data: str) -> None:
    env = gym.make(
        "envs:CRS/Redial-v0",
        channel="acts",
        data_dir=no_data,
        reward={"explore": 0, "cost": 1, "talk": {"term": "tests.rewards.test_total:Talkative"}},
    )
    env.reset(seed=0)
    _, reward, *_, info = env.step(0)
    terms = info["reward_terms"]
    assert list(terms) == ["retrieve", "attitude", "cost", "accept", "talk"]
    assert terms["cost"] == -1.0
    assert terms["talk"] == len(env.unwrapped.conversation.heard) >= 1  # type: ignore[attr-defined]
    assert reward == sum(terms.values())
    with pytest.raises(ValueError, match="did you mean 'accept'"):
        gym.make("envs:CRS/Redial-v0", data_dir=no_data, reward={"acept": 1})


def test_without_any_term_the_reward_is_zero(no_data: str) -> None:
    weights = dict.fromkeys(DEFAULT_TERMS, 0)
    env = gym.make("envs:CRS/Redial-v0", channel="acts", data_dir=no_data, reward=weights)
    env.reset(seed=0)
    _, reward, *_, info = env.step(0)
    assert (reward, info["reward_terms"]) == (0, {})
    assert info["is_success"] is False
