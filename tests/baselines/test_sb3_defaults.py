"""The committed hyperparameters: complete, known to the library, and usable."""

import inspect
from pathlib import Path
from typing import Any

import pytest
import yaml

from baselines.sb3_algorithms import ALGORITHMS, find_algorithm, split_hyperparameters
from baselines.sb3_training import train_agent
from rewards.total import DISCOUNT

FOLDER = Path(__file__).parents[2] / "conf" / "planner"
KEYS = {"name", "algorithm", "total_timesteps", "n_envs", "load", "hyperparameters"}


def read(name: str) -> dict[str, Any]:
    content: dict[str, Any] = yaml.safe_load((FOLDER / f"{name}.yaml").read_text(encoding="utf-8"))
    return content


@pytest.mark.parametrize("name", ALGORITHMS)
def test_files_are_complete(name):
    config = read(name)
    assert set(config) == KEYS
    assert config["name"] == config["algorithm"] == name
    assert config["load"] is None


@pytest.mark.parametrize("name", ALGORITHMS)
def test_every_key_says_what_it_is_and_where_it_comes_from(name):
    lines = (FOLDER / f"{name}.yaml").read_text(encoding="utf-8").splitlines()
    start = lines.index(next(line for line in lines if line.startswith("hyperparameters:")))
    for line in lines[start + 1 :]:
        key, _, rest = line.partition(":")
        assert len(rest.partition("#")[2]) > 15, f"{name}.yaml: {key.strip()} has no comment"
        if key.strip() not in ("finite_horizon", "activation"):
            assert "library" in rest, f"{name}.yaml: {key.strip()} names no source"


@pytest.mark.parametrize("name", ALGORITHMS)
def test_what_is_marked_as_the_librarys_default_is_it(name):
    own, _, _ = split_hyperparameters(find_algorithm(name), read(name)["hyperparameters"])
    parameters = inspect.signature(ALGORITHMS[name].model_class().__init__).parameters
    lines = (FOLDER / f"{name}.yaml").read_text(encoding="utf-8").splitlines()
    for line in lines:
        key = line.partition(":")[0].strip()
        if key not in own:
            continue
        default = parameters[key].default
        comment = line.partition("#")[2]
        assert ("tuned" in comment) == (own[key] != default), f"{name}.yaml: {key}"
        if "tuned" in comment:
            said = comment.partition("(library: ")[2].partition(")")[0]
            assert yaml.safe_load(said) == default, f"{name}.yaml: {key}"


@pytest.mark.parametrize("name", ALGORITHMS)
def test_the_hyperparameters_train(name, make_movies):
    config = read(name)
    smaller = {"n_steps": 8, "batch_size": 16, "learning_starts": 16}
    settings = {key: smaller.get(key, value) for key, value in config["hyperparameters"].items()}
    agent = train_agent(
        name,
        make_movies,
        total_timesteps=64,
        n_envs=config["n_envs"],
        seed=0,
        discount=DISCOUNT,
        hyperparameters=settings,
    )
    assert agent.header.total_timesteps >= 64
    assert agent.header.hyperparameters == settings
