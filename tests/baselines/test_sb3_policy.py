"""Agents as policies: over the view and over observations, in the real runner."""

from functools import partial
from typing import Any

import gymnasium as gym
import numpy as np
import pytest

from baselines.sb3_agent import SB3Agent
from baselines.sb3_algorithms import ALGORITHMS
from baselines.sb3_interface import interface_of
from baselines.sb3_policy import SB3ObservationPolicy, SB3Policy, load_policy, policy_of
from dialogue.policy import Policy, Saveable
from evaluation.protocols import ObservationPolicy
from evaluation.records import RECORDS
from evaluation.runner import evaluate
from tests.baselines.conftest import small_training


def actions_by_view(agent: SB3Agent, env: gym.Env[Any, Any], episodes: int) -> list[Any]:
    policy, rng = SB3Policy(agent), np.random.default_rng(0)
    base: Any = env.unwrapped
    actions = []
    for episode in range(episodes):
        env.reset(seed=0, options={"episode": episode})
        policy.reset(base.view, rng)
        ended = False
        while not ended:
            actions.append(policy.decide(base.view, rng))
            _, _, terminated, truncated, _ = base.play(actions[-1])
            ended = terminated or truncated
    return actions


def actions_by_observation(agent: SB3Agent, env: gym.Env[Any, Any], episodes: int) -> list[Any]:
    policy, rng = SB3ObservationPolicy(agent), np.random.default_rng(0)
    actions = []
    for episode in range(episodes):
        observation, info = env.reset(seed=0, options={"episode": episode})
        policy.start(env.action_space, rng)
        ended = False
        while not ended:
            actions.append(policy.act(observation, info["action_mask"], rng))
            observation, _, terminated, truncated, info = env.step(actions[-1])
            ended = terminated or truncated
    return actions


@pytest.mark.parametrize("algorithm", ALGORITHMS)
def test_the_view_and_the_observation_lead_to_the_same_actions(algorithm, trained, make_movies):
    agent, env = trained(algorithm), make_movies(split="heldout")
    actions = actions_by_view(agent, env, 4)
    assert actions == actions_by_observation(agent, env, 4)
    assert all(isinstance(action, int) for action in actions)


def test_protocols(trained, make_movies):
    policy = policy_of(trained("ppo"))
    assert isinstance(policy, SB3Policy)
    assert isinstance(policy, Policy)
    assert isinstance(policy, Saveable)
    assert isinstance(SB3ObservationPolicy(trained("ppo")), ObservationPolicy)


def test_a_recurrent_agent_remembers_within_a_dialogue_and_forgets_between(trained, make_movies):
    agent = trained("recurrent_ppo")
    env = make_movies()
    policy, rng = SB3Policy(agent), np.random.default_rng(0)
    env.reset(seed=1, options={"episode": 3})

    def states(count: int) -> list[Any]:
        found = []
        for _ in range(count):
            policy.decide(env.unwrapped.view, rng)
            found.append(agent._memory[0].copy())
        return found

    policy.reset(env.unwrapped.view, rng)
    first = states(2)
    assert not np.array_equal(*first)
    policy.reset(env.unwrapped.view, rng)
    np.testing.assert_array_equal(first, states(2))


def test_masked_agents_never_act_illegally(trained, make_movies):
    env = make_movies(channel="text", split="test")
    policy, rng = SB3Policy(trained("maskable_ppo")), np.random.default_rng(0)
    for episode in range(10):
        env.reset(seed=0, options={"episode": episode})
        policy.reset(env.unwrapped.view, rng)
        ended = False
        while not ended:
            action = policy.decide(env.unwrapped.view, rng)
            _, _, terminated, truncated, info = env.unwrapped.play(action)
            assert not info["invalid_action"]
            ended = terminated or truncated


def test_an_empty_mask_is_an_error(trained):
    agent = trained("maskable_ppo")
    observation = np.zeros(agent.interface.observation_space.shape, np.float32)
    for mask in (None, np.zeros(6, np.bool_)):
        with pytest.raises(ValueError, match="needs a mask that allows an action"):
            agent.predict(observation, mask)


@pytest.mark.parametrize("algorithm", ["maskable_ppo", "recurrent_ppo"])
def test_a_loaded_agent_writes_the_same_records_in_two_workers(
    algorithm, trained, make_movies, tmp_path
):
    path = tmp_path / "agent.zip"
    trained(algorithm).save(path)
    make_env = partial(make_movies, channel="text", split="test")
    makers = {
        1: partial(policy_of, trained(algorithm)),
        2: partial(load_policy, path, interface_of(make_env()), algorithm),
    }
    files = []
    for workers, make_policy in makers.items():
        folder = tmp_path / str(workers)
        evaluate(make_env, make_policy, episodes=6, seed=7, run_dir=folder, workers=workers)
        files.append((folder / RECORDS).read_bytes())
    assert files[0] == files[1]


def test_a_plain_environment_under_the_runner(tmp_path):
    def make_env():
        return gym.make("CartPole-v1")

    agent = small_training("ppo", make_env)
    policy = policy_of(agent)
    assert isinstance(policy, SB3ObservationPolicy)
    done = evaluate(make_env, lambda: policy, episodes=3, seed=0, run_dir=tmp_path)
    assert all(record["length"] >= 8 for record in done.records)


def test_the_retriever_of_the_run_does_not_change_what_an_agent_sees(trained, make_movies):
    policy, rng = SB3Policy(trained("ppo")), np.random.default_rng(0)
    env = make_movies(retrieval="lexical")
    observation, _ = env.reset(seed=0, options={"episode": 1})
    policy.reset(env.unwrapped.view, rng)
    np.testing.assert_array_equal(
        policy._observer_of(env.unwrapped.view).encode(env.unwrapped.view), observation
    )


def test_a_recurrent_agent_that_enters_in_the_middle_sees_what_came_before(trained, make_movies):
    """Its decision is that of one that was there from the start."""
    agent, env = trained("recurrent_ppo"), make_movies(split="heldout")
    base, rng = env.unwrapped, np.random.default_rng(0)
    there, late = SB3Policy(agent), SB3Policy(trained("recurrent_ppo"))
    memories = []
    for newcomer in (False, True):
        env.reset(seed=0, options={"episode": 1})
        policy = late if newcomer else there
        policy.reset(base.view, rng)
        for action in (1, 2, 0):
            if not newcomer:
                policy.decide(base.view, rng)
            base.play(action)
        policy.decide(base.view, rng)
        memories.append([part.copy() for part in agent._memory])
        seen = len(base.view.exchanges)
        assert policy._witnessed == seen == 4
    for one, other in zip(*memories, strict=True):
        np.testing.assert_array_equal(one, other)
