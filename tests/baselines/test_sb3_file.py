"""Agent files: round trips, every kind of wrong file, and nothing that runs code."""

import io
import json
import os
import pickle
import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import gymnasium as gym
import numpy as np
import pytest

from baselines.sb3_agent import load_agent
from baselines.sb3_algorithms import ALGORITHMS
from baselines.sb3_file import SCHEMA, AgentFileError
from baselines.sb3_interface import interface_of
from baselines.sb3_policy import SB3Policy
from tests.baselines.conftest import small_training

Entries = dict[str, bytes]


@pytest.fixture(scope="module")
def movies(make_movies):
    return interface_of(make_movies())


@pytest.fixture
def saved(trained, tmp_path):
    path = tmp_path / "maskable_ppo.zip"
    trained("maskable_ppo").save(path)
    return path


def rewrite(path: Path, change: Callable[[Entries], object]) -> None:
    """Apply a change to the entries (name -> bytes) of a zip file."""
    with zipfile.ZipFile(path) as file:
        entries = {name: file.read(name) for name in file.namelist()}
    change(entries)
    with zipfile.ZipFile(path, "w") as file:
        for name, data in entries.items():
            file.writestr(name, data)


def rewrite_header(path: Path, **changes: Any) -> None:
    def change(entries: Entries) -> None:
        header = json.loads(entries["header.json"]) | changes
        entries["header.json"] = json.dumps(header).encode()

    rewrite(path, change)


def first_weight(entries: Entries) -> str:
    return next(name for name in entries if name.startswith("weights/"))


@pytest.mark.parametrize("algorithm", ALGORITHMS)
def test_round_trip(algorithm, trained, movies, tmp_path):
    agent, path = trained(algorithm), tmp_path / "deep" / "agent.zip"
    agent.save(path)
    again = load_agent(path, movies, algorithm)
    assert again.header == agent.header
    observations = np.random.default_rng(0).random((50, *movies.observation_space.shape))
    mask = np.array([True, True, False, True, True, False])
    agent.forget()
    for row in observations.astype(np.float32):
        assert again.predict(row, mask) == agent.predict(row, mask)
    again.save(tmp_path / "twice.zip")
    assert (tmp_path / "twice.zip").read_bytes() == path.read_bytes()
    assert [file.name for file in path.parent.iterdir()] == ["agent.zip"]


def test_loading_draws_no_random_numbers(saved, movies):
    import torch

    torch.manual_seed(3)
    expected = torch.rand(4)
    torch.manual_seed(3)
    load_agent(saved, movies)
    assert torch.equal(torch.rand(4), expected)


def test_the_file_holds_only_text_and_plain_arrays(saved):
    with zipfile.ZipFile(saved) as file:
        for name in file.namelist():
            if name == "header.json":
                header = json.loads(file.read(name))
            else:
                array = np.load(io.BytesIO(file.read(name)), allow_pickle=False)
                assert array.dtype == np.float32
    assert header["schema"] == SCHEMA
    assert header["algorithm"] == "maskable_ppo"


def test_a_missing_file_names_the_nearest(saved, movies):
    with pytest.raises(AgentFileError, match=r"no agent file .*did you mean .*maskable_ppo\.zip"):
        load_agent(saved.with_name("maskble_ppo.zip"), movies)
    with pytest.raises(AgentFileError, match=r"did you mean .*maskable_ppo\.zip"):
        load_agent(saved.parent / "gone" / "maskable_ppo.zip", movies)
    empty = saved.parent / "empty"
    empty.mkdir()
    with pytest.raises(AgentFileError, match=r"no \.zip near it"):
        load_agent(empty / "agent.zip", movies)


def test_another_algorithm(saved, movies):
    with pytest.raises(AgentFileError, match="is of algorithm maskable_ppo, not ppo"):
        load_agent(saved, movies, "ppo")


def test_another_domain(saved, make_books):
    with pytest.raises(
        AgentFileError, match=r"another domain: its observation entries lack writer"
    ):
        load_agent(saved, interface_of(make_books()))


def test_another_environment(tmp_path):
    path = tmp_path / "agent.zip"
    small_training("ppo", lambda: gym.make("CartPole-v1")).save(path)
    with pytest.raises(AgentFileError, match=r"another environment: its observation space"):
        load_agent(path, interface_of(gym.make("MountainCar-v0")))


def test_not_a_zip(tmp_path, movies):
    path = tmp_path / "agent.zip"
    for content in (b"", b"hello", pickle.dumps([1, 2])):
        path.write_bytes(content)
        with pytest.raises(AgentFileError, match="is not an agent file, or was cut off"):
            load_agent(path, movies)


@pytest.mark.parametrize("share", [0.1, 0.5, 0.9, 0.999])
def test_a_truncated_file(saved, movies, share):
    data = saved.read_bytes()
    saved.write_bytes(data[: int(len(data) * share)])
    with pytest.raises(AgentFileError, match="cut off"):
        load_agent(saved, movies)


def test_a_flipped_byte(saved, movies):
    with zipfile.ZipFile(saved) as file:
        info = max(file.infolist(), key=lambda entry: entry.compress_size)
    data = bytearray(saved.read_bytes())
    data[info.header_offset + info.compress_size // 2] ^= 0xFF
    saved.write_bytes(data)
    with pytest.raises(AgentFileError, match=r"cannot be (read|used)"):
        load_agent(saved, movies)


def test_a_file_of_the_library_is_not_read(tmp_path, make_movies, movies):
    from stable_baselines3 import PPO

    PPO("MlpPolicy", make_movies(), n_steps=8, batch_size=8).save(tmp_path / "library.zip")
    with pytest.raises(AgentFileError, match="hold pickles and are not read"):
        load_agent(tmp_path / "library.zip", movies)


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"schema": "crsgym.agent/9"}, "this version reads"),
        ({"algorithm": "alpha_zero"}, "algorithm 'alpha_zero'; there are"),
        ({"seed": "x"}, r"cannot be used.*seed"),
        ({"network": {"net_arch": [10**9]}}, r"cannot be used.*4096"),
        ({"network": {"net_arch": [8] * 99}}, r"cannot be used.*16"),
        ({"network": {"activation": "os.system"}}, r"cannot be used"),
        ({"network": {"features_extractor_class": "os.system"}}, r"cannot be used"),
        ({"network": {"net_arch": [8, 8]}}, "not those of this network"),
        ({"network": {"net_arch": [9]}}, "this network has float32"),
        ({"unknown": 1}, r"cannot be used.*unknown"),
    ],
)
def test_headers_that_do_not_fit(changes, message, saved, movies):
    rewrite_header(saved, **changes)
    with pytest.raises(AgentFileError, match=f"(?s){message}"):
        load_agent(saved, movies)


def test_weights_missing_or_left_over(saved, movies):
    rewrite(saved, lambda entries: entries.pop(first_weight(entries)))
    with pytest.raises(AgentFileError, match="not those of this network"):
        load_agent(saved, movies)


class Bomb:
    """Runs a command when it is unpickled."""

    def __init__(self, path: Path) -> None:
        self.path = path

    def __reduce__(self) -> tuple[Any, ...]:
        return os.mkdir, (str(self.path),)


def npy_with_objects(value: object) -> bytes:
    data = io.BytesIO()
    np.save(data, np.array([value], dtype=object), allow_pickle=True)
    return data.getvalue()


@pytest.mark.parametrize("where", ["array", "entry", "header", "file"])
def test_a_malicious_pickle_is_refused(where, saved, movies, tmp_path):
    hit = tmp_path / "hit"
    bomb = pickle.dumps(Bomb(hit))
    if where == "file":
        saved.write_bytes(bomb)
    else:

        def plant(entries: Entries) -> None:
            name = "header.json" if where == "header" else first_weight(entries)
            entries[name] = npy_with_objects(Bomb(hit)) if where == "array" else bomb

        rewrite(saved, plant)
    with pytest.raises(AgentFileError):
        load_agent(saved, movies)
    assert not hit.exists()
    pickle.loads(bomb)
    assert hit.exists(), "the bomb would have worked"


def test_an_inflated_entry_is_refused(saved, movies):
    def inflate(entries: Entries) -> None:
        entries[first_weight(entries)] = bytes(50_000_000)

    rewrite(saved, inflate)
    with pytest.raises(AgentFileError, match="larger than its weights can be"):
        load_agent(saved, movies)


def test_policies_save_and_load(saved, trained, movies, tmp_path):
    policy = SB3Policy(trained("maskable_ppo"))
    policy.save(tmp_path / "copy.zip")
    assert (tmp_path / "copy.zip").read_bytes() == saved.read_bytes()
    other = SB3Policy(load_agent(saved, movies))
    other.load(tmp_path / "copy.zip")
    assert other.agent.header == policy.agent.header
