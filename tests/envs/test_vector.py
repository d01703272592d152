"""Vector environments, both libraries' checkers, masks through wrappers and processes, pickling."""

import pickle
import random
import warnings
from collections.abc import Callable, Iterable
from functools import partial
from pathlib import Path
from typing import Any

import gymnasium as gym
import numpy as np
import pytest
from gymnasium.utils.env_checker import check_env as gymnasium_check
from numpy.typing import NDArray
from sb3_contrib.common.maskable.utils import get_action_masks, is_masking_supported
from stable_baselines3.common.env_checker import check_env as sb3_check
from stable_baselines3.common.vec_env import DummyVecEnv, SubprocVecEnv, VecMonitor

IDS = ("CRS/Redial-v0", "CRS/OpenDialKGMovie-v0", "CRS/OpenDialKGBook-v0", "CRS/Custom-v0")
GENRES = (
    "crime", "romance", "fantasy", "history", "travel", "humour", "horror", "science", "war",
    "poetry", "nature", "sport", "myth", "cooking",
)  # fmt: skip


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """A folder without data sets, so that every machine has the sample; and items of one's own."""
    path = tmp_path_factory.mktemp("no_data")
    rng = random.Random(0)
    rows = [
        f"{n},Book {n},{1950 + n % 70},{'|'.join(rng.sample(GENRES, 2))},Writer {n % 40}"
        for n in range(600)
    ]
    (path / "items.csv").write_text(
        "\n".join(["id,title,year,genre,writer", *rows]), encoding="utf-8"
    )
    return path


def arguments(name: str, folder: Path) -> dict[str, Any]:
    own = {"domain": "book", "items": str(folder / "items.csv")} if "Custom" in name else {}
    return {"data_dir": str(folder), **own}


def maker(name: str, folder: Path, **more: Any) -> Callable[[], gym.Env[Any, Any]]:
    return partial(gym.make, f"envs:{name}", **arguments(name, folder), **more)


def legal(masks: Iterable[Any], rng: np.random.Generator) -> NDArray[np.int64]:
    return np.array([rng.choice(np.flatnonzero(mask)) for mask in masks])


@pytest.mark.parametrize("channel", ["text", "acts"])
@pytest.mark.parametrize("name", IDS)
def test_checkers_say_nothing(name, channel, folder):
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        gymnasium_check(maker(name, folder, channel=channel)().unwrapped)
        sb3_check(maker(name, folder, channel=channel)(), warn=True)


@pytest.mark.parametrize("mode", ["sync", "async"])
@pytest.mark.parametrize("name", IDS)
def test_gymnasium_vectors(name, mode, folder):
    rng = np.random.default_rng(0)
    vector = gym.make_vec(
        f"envs:{name}",
        num_envs=3,
        vectorization_mode=mode,
        channel="acts",
        **arguments(name, folder),
    )
    try:
        observations, infos = vector.reset(seed=5)
        finished = 0
        for _ in range(40):
            observations, rewards, ended, cut, infos = vector.step(legal(infos["action_mask"], rng))
            assert observations.shape == vector.observation_space.shape
            finished += int((ended | cut).sum())
        assert finished >= 9
        assert np.isfinite(rewards).all()
    finally:
        vector.close()


def test_sync_and_async_vectors_agree(folder):
    played = []
    for mode in ("sync", "async"):
        rng = np.random.default_rng(1)
        vector = gym.make_vec(
            "envs:CRS/Redial-v0", num_envs=2, vectorization_mode=mode, channel="acts",
            **arguments("Redial", folder),
        )  # fmt: skip
        observations, infos = vector.reset(seed=2)
        rows = [observations]
        for _ in range(25):
            observations, _, _, _, infos = vector.step(legal(infos["action_mask"], rng))
            rows.append(observations)
        vector.close()
        played.append(np.stack(rows))
    np.testing.assert_array_equal(played[0], played[1])


@pytest.mark.parametrize("kind", [DummyVecEnv, SubprocVecEnv])
def test_sb3_vectors_with_masks(kind, folder):
    rng = np.random.default_rng(3)
    vector: Any = VecMonitor(kind([maker("CRS/Redial-v0", folder, channel="acts")] * 3))
    try:
        vector.seed(11)
        vector.reset()
        assert is_masking_supported(vector)
        finished = 0
        for _ in range(40):
            masks = get_action_masks(vector)
            np.testing.assert_array_equal(masks, np.stack(vector.env_method("action_masks")))
            assert masks.dtype == np.bool_
            assert masks.shape == (3, vector.action_space.n)
            assert masks.any(axis=1).all()
            _, _, done, infos = vector.step(legal(masks, rng))
            assert not any(info["invalid_action"] for info in infos)
            finished += int(done.sum())
        assert finished >= 9
    finally:
        vector.close()


def test_masks_after_an_automatic_reset_are_those_of_the_new_dialogue(folder):
    vector = DummyVecEnv([maker("CRS/Redial-v0", folder, channel="acts")])
    vector.seed(0)
    vector.reset()
    recommend = vector.get_attr("domain")[0].recommend
    done = np.array([False])
    while not done[0]:
        _, _, done, infos = vector.step(np.array([recommend]))
    reflect_and_explain = [recommend - 1, recommend + 1]
    assert infos[0]["action_mask"][recommend + 1]
    assert not get_action_masks(vector)[0][reflect_and_explain].any()


@pytest.mark.parametrize("channel", ["text", "acts"])
def test_a_pickled_environment_plays_on(channel, folder):
    env: Any = maker("CRS/Redial-v0", folder, channel=channel)()
    env.reset(seed=4)
    env.step(0)
    twin = pickle.loads(pickle.dumps(env))
    rng = np.random.default_rng(5)
    for _ in range(12):
        action = legal([env.unwrapped.action_masks()], rng)[0]
        one, other = env.step(action), twin.step(action)
        np.testing.assert_array_equal(one[0], other[0])
        assert one[1:4] == other[1:4]
        if one[2] or one[3]:
            np.testing.assert_array_equal(env.reset()[0], twin.reset()[0])
