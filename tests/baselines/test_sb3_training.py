"""Training: determinism, the learning curve, the discount, checks of what is asked for."""

from typing import Any

import gymnasium as gym
import numpy as np
import pytest
import torch

from baselines.sb3_agent import SB3Agent
from baselines.sb3_algorithms import ALGORITHMS, find_algorithm, split_hyperparameters
from baselines.sb3_training import FiniteHorizon, train_agent
from rewards.total import DISCOUNT
from tests.baselines.conftest import SMALL, small_training

CURVE = {
    "train/success_rate", "train/return", "train/turns", "train/invalid_actions",
    "train/reward_explore", "train/reward_retrieve", "train/reward_attitude", "train/reward_cost",
    "train/reward_accept", "rollout/ep_rew_mean",
}  # fmt: skip


def same_weights(first: SB3Agent, second: SB3Agent) -> bool:
    one, other = first.weights(), second.weights()
    return one.keys() == other.keys() and all(np.array_equal(one[k], other[k]) for k in one)


@pytest.mark.parametrize("algorithm", ALGORITHMS)
def test_the_same_seed_gives_the_same_weights(algorithm, make_movies, trained):
    assert same_weights(trained(algorithm), small_training(algorithm, make_movies))


def test_another_seed_gives_other_weights(make_movies, trained):
    assert not same_weights(
        trained("maskable_ppo"), small_training("maskable_ppo", make_movies, seed=1)
    )


def test_training_changes_the_weights(make_movies, trained):
    longer = small_training("maskable_ppo", make_movies, steps=512)
    assert longer.header.total_timesteps == 512
    assert not same_weights(trained("maskable_ppo"), longer)


@pytest.mark.parametrize("algorithm", ALGORITHMS)
def test_what_is_said_of_an_agent(algorithm, trained, make_movies):
    header = trained(algorithm).header
    env = make_movies().unwrapped
    assert header.algorithm == algorithm
    assert header.discount == DISCOUNT
    assert header.total_timesteps >= 256
    assert header.observation_names == env.observer.names
    assert header.action_names == env.domain.actions
    assert header.versions["torch"] == torch.__version__


@pytest.mark.parametrize("algorithm", ["maskable_ppo", "dqn"])
def test_the_learning_curve_is_in_tensorboard_and_in_the_hook(algorithm, make_movies, tmp_path):
    from tensorboard.backend.event_processing.event_accumulator import EventAccumulator

    points = []
    folder = tmp_path / "tensorboard"
    small_training(
        algorithm, make_movies, log_dir=folder, on_scalars=lambda v, t: points.append((t, v))
    )
    events = EventAccumulator(str(folder))
    events.Reload()
    assert set(events.Tags()["scalars"]) >= CURVE - (
        {"rollout/ep_rew_mean"} if algorithm == "dqn" else set()
    )
    received = {t: v["train/return"] for t, v in points if "train/return" in v}
    written = {e.step: e.value for e in events.Scalars("train/return")}
    assert received
    assert written == pytest.approx(received)
    success = [e.value for e in events.Scalars("train/success_rate")]
    assert success
    assert all(0.0 <= value <= 1.0 for value in success)


def test_terms_of_the_curve_sum_to_the_return(make_movies):
    points = []
    small_training("ppo", make_movies, on_scalars=lambda v, _: points.append(v))
    finished = [v for v in points if "train/return" in v]
    assert finished
    for values in finished:
        terms = sum(v for name, v in values.items() if name.startswith("train/reward_"))
        assert terms == pytest.approx(values["train/return"], abs=1e-3)


def test_masked_agents_never_act_illegally_while_training(make_movies):
    points: dict[str, list[dict[str, float]]] = {"ppo": [], "maskable_ppo": []}
    for algorithm, seen in points.items():
        small_training(algorithm, make_movies, on_scalars=lambda v, _, seen=seen: seen.append(v))
    shares = {
        name: [v["train/invalid_actions"] for v in values if "train/invalid_actions" in v]
        for name, values in points.items()
    }
    assert max(shares["maskable_ppo"]) == 0.0
    assert max(shares["ppo"]) > 0.0


def test_progress_moves_up_to_the_end(make_movies):
    seen = []
    small_training("ppo", make_movies, progress=lambda done, total: seen.append((done, total)))
    assert seen == sorted(seen)
    assert seen[-1] == (256, 256)
    assert len(seen) > 3


def test_one_thread_and_the_learning_rate_falls(make_movies):
    rates = []
    small_training(
        "ppo",
        make_movies,
        on_scalars=lambda v, _: rates.append(v.get("train/learning_rate")),
        settings={"learning_rate": 0.01, "learning_rate_final": 0.002},
    )
    rates = [rate for rate in rates if rate is not None]
    assert torch.get_num_threads() == 1
    assert rates == sorted(rates, reverse=True)
    assert 0.002 <= rates[-1] < rates[0] <= 0.01


def test_the_turn_limit_is_an_ending(make_movies):
    env = FiniteHorizon(make_movies(max_turns=2))
    env.reset(seed=0)
    env.step(0)
    _, _, terminated, truncated, _ = env.step(0)
    assert terminated
    assert not truncated
    assert env.get_wrapper_attr("action_masks")().any()


def test_any_gymnasium_environment_can_be_learned():
    agent = small_training("a2c", lambda: gym.make("CartPole-v1"))
    assert agent.header.observation_names == ()
    assert not agent.interface.by_view
    continuous = small_training("ppo", lambda: gym.make("Pendulum-v1"))
    assert continuous.predict(np.zeros(3, np.float32)).shape == (1,)


@pytest.mark.parametrize(
    ("algorithm", "settings", "message"),
    [
        ("ppo", {"n_step": 3}, "did you mean 'n_steps'"),
        ("dqn", {"gae_lambda": 0.9}, "dqn has no hyperparameter 'gae_lambda'"),
        ("ppo", {"lstm_hidden_size": 8}, "no hyperparameter 'lstm_hidden_size'"),
        ("ppo", {"gamma": 0.9}, "the discount is the reward's"),
        ("ppo", {"policy_kwargs": {}}, "give net_arch"),
        ("ppo", {"activation": "tan"}, "did you mean 'tanh'"),
        ("ppo", {"learning_rate_final": 0.0}, "needs learning_rate"),
    ],
)
def test_wrong_hyperparameters_are_named(algorithm, settings, message, make_movies):
    with pytest.raises(ValueError, match=message):
        small_training(algorithm, make_movies, settings=settings)


def test_wrong_algorithms_are_named(make_movies):
    with pytest.raises(ValueError, match="did you mean 'maskable_ppo'"):
        train_agent(
            "maskableppo", make_movies, total_timesteps=8, n_envs=1, seed=0, discount=DISCOUNT
        )


@pytest.mark.parametrize(
    "wrong", [{"total_timesteps": 0}, {"n_envs": 1.5}, {"seed": -1}, {"discount": 0.0}]
)
def test_wrong_numbers_are_named(wrong, make_movies):
    right = {"total_timesteps": 8, "n_envs": 1, "seed": 0, "discount": DISCOUNT}
    with pytest.raises(ValueError, match=next(iter(wrong))):
        train_agent("ppo", make_movies, **{**right, **wrong})


def test_environments_that_do_not_fit_are_told_why():
    def cart_pole():
        return gym.make("CartPole-v1")

    with pytest.raises(TypeError, match=r"maskable_ppo needs .*action_masks"):
        small_training("maskable_ppo", cart_pole)
    with pytest.raises(TypeError, match="dqn needs a Discrete action space"):
        small_training("dqn", lambda: gym.make("Pendulum-v1"))


@pytest.mark.parametrize("name", ALGORITHMS)
def test_settings_find_their_place(name):
    own, network, training = split_hyperparameters(
        find_algorithm(name), {**SMALL[name], "net_arch": [8], "finite_horizon": False}
    )
    assert network["net_arch"] == [8]
    assert training == {"finite_horizon": False}
    assert set(own) == set(SMALL[name]) - {"lstm_hidden_size"}


class Stuck(gym.Env[Any, Any]):
    """Somebody's environment in which at some point nothing is legal."""

    observation_space = gym.spaces.Box(0.0, 1.0, (2,))
    action_space = gym.spaces.Discrete(2)
    steps = 0

    def reset(self, *, seed: int | None = None, options: Any = None) -> tuple[Any, dict[str, Any]]:
        super().reset(seed=seed)
        self.steps = 0
        return np.zeros(2, np.float32), {}

    def step(self, action: Any) -> tuple[Any, float, bool, bool, dict[str, Any]]:
        self.steps += 1
        return np.zeros(2, np.float32), 0.0, False, False, {}

    def action_masks(self) -> Any:
        return np.full(2, self.steps < 3)


def test_a_mask_that_allows_nothing_ends_the_training():
    """The library would play an illegal action and go on."""
    with pytest.raises(ValueError, match="the action mask allows no action"):
        small_training("maskable_ppo", Stuck, steps=64)
