"""Every configuration composes, and says what the code's own defaults say."""

from collections.abc import Iterator, Mapping
from dataclasses import asdict
from itertools import product
from pathlib import Path
from typing import Any

import pytest
import yaml
from omegaconf import OmegaConf

from baselines.sb3_algorithms import ALGORITHMS
from conf import policies
from conf.overrides import CONF_DIR, GROUPS, options
from conf.policies import COMPARATORS, dreams_settings, is_learning, make_policy
from evaluation.logging import make_logger
from language.llm.settings import BACKENDS
from planners.dreams_settings import DreamsSettings
from planners.prior_only import PriorOnly
from planners.scorer import ScorerSettings
from rewards.total import DEFAULT_TERMS, DISCOUNT, make_reward
from tests.command_line import composed

LOGGERS = options("logger")
COMBINATIONS = [
    (env, planner, LOGGERS[(i + j) % len(LOGGERS)])
    for (i, env), (j, planner) in product(enumerate(options("env")), enumerate(options("planner")))
]
"""Every environment with every planner, each with every logger: groups touch in pairs."""

PLANNER_KEYS = {"name", "parallel"}
"""Keys of a planner's file that are about the run, not about the planner."""


def test_the_groups_are_there() -> None:
    assert set(options("env")) >= {"redial", "opendialkg_movie", "opendialkg_book", "custom"}
    assert set(options("logger")) == {"tensorboard", "wandb", "both", "none"}
    assert set(options("llm")) == set(BACKENDS)
    references = {"ask_all", "always_recommend", "random", "oracle", "prior_only"}
    others = {"dreams_ea", "t_epl", "tuned_rule"}
    planners = {*policies.DREAMS, *COMPARATORS, *others, *references, *ALGORITHMS}
    assert set(options("planner")) == planners
    assert {path.name for path in CONF_DIR.iterdir() if path.is_dir()} >= set(GROUPS)


def test_the_combinations_hold_every_pair() -> None:
    groups = [options(name) for name in ("env", "planner", "logger")]
    for a, b in ((0, 1), (0, 2), (1, 2)):
        pairs = {(chosen[a], chosen[b]) for chosen in COMBINATIONS}
        assert pairs == set(product(groups[a], groups[b]))


@pytest.mark.parametrize(("env", "planner", "logger"), COMBINATIONS, ids=str)
def test_every_combination_composes(env: str, planner: str, logger: str) -> None:
    config = composed(f"env={env}", f"planner={planner}", f"logger={logger}")
    assert config["env"]["name"] == env
    assert config["planner"]["name"] == planner
    assert config["logger"]["kind"] == logger
    assert config["env"]["id"].startswith("envs:CRS/")
    assert make_reward(config["reward"]["terms"]).names
    assert config["run_dir"] is None
    assert config["episodes"] is None


@pytest.mark.parametrize("name", options("planner"))
def test_every_planner_is_built(name: str) -> None:
    config = composed(f"planner={name}")
    if is_learning(config):
        from baselines.sb3_algorithms import find_algorithm, policy_arguments, split_hyperparameters

        planner = config["planner"]
        algorithm = find_algorithm(planner["algorithm"])
        _, network, _ = split_hyperparameters(algorithm, planner["hyperparameters"])
        assert policy_arguments(network)
        assert planner["load"] is None
        assert planner["total_timesteps"] > 0
        with pytest.raises(ValueError, match=r"planner\.load=FILE"):
            make_policy(config)
    else:
        assert hasattr(policies.check_policy(config), "decide")


@pytest.mark.parametrize("kind", ["none", "tensorboard"])
def test_loggers_are_built(kind: Any, tmp_path: Path) -> None:
    config = composed(f"logger={kind}")
    with make_logger(config["logger"]["kind"], tmp_path) as logger:
        logger.start(config)
    assert (tmp_path / "tensorboard").exists() == (kind == "tensorboard")


EXPERIMENTS = {
    "smoke": {"episodes": 20, "logger.kind": "none"},
    "paper": {"planner.n_el": 5, "planner.k_el": 3, "planner.n_ex": 3, "planner.name": "dreams"},
    "trace": {"episodes": 3, "workers": 1, "planner.trace": True, "planner.name": "dreams"},
}


@pytest.mark.parametrize("name", options("experiment"))
def test_an_experiment_sets_what_it_says(name: str) -> None:
    """Its values win over the defaults of the main file; the command line wins over both."""
    config = OmegaConf.create(composed(f"experiment={name}"))
    for key, value in EXPERIMENTS.get(name, {}).items():
        assert OmegaConf.select(config, key) == value
    assert composed(f"experiment={name}", "episodes=7", "seed=3")["episodes"] == 7


def test_the_known_experiments_are_there() -> None:
    assert set(EXPERIMENTS) <= set(options("experiment"))


# Defaults: one truth, in two places


def test_dreams_defaults_are_those_of_the_code() -> None:
    assert dreams_settings(composed("planner=dreams")["planner"]) == DreamsSettings()


def test_prior_only_scores_as_dreams_does() -> None:
    config = composed("planner=prior_only")
    assert ScorerSettings(**config["planner"]["scorer"]) == ScorerSettings()
    assert isinstance(make_policy(config), PriorOnly)


def test_reward_defaults_are_those_of_the_code() -> None:
    reward = composed()["reward"]
    assert reward["terms"] == {name: weight for name, (_, weight) in DEFAULT_TERMS.items()}
    assert reward["discount"] == DISCOUNT
    built = make_reward(reward["terms"])
    assert built.names == tuple(DEFAULT_TERMS)
    assert built.weights == make_reward().weights


def test_the_discount_is_the_rewards() -> None:
    planner = composed("reward.discount=0.8")["planner"]
    assert dreams_settings(planner).search.discount == 0.8


# Every constant of Dreams reaches it

CHANGED: dict[str, Any] = {"n_el": 7, "wave": 2, "selection": "puct", "user_model": "generic"}
CHANGED |= {"act": "prior", "context": "history", "retrieve": "state"}


def leaves(raw: Mapping[str, Any], path: tuple[str, ...] = ()) -> Iterator[tuple[str, ...]]:
    for key, value in raw.items():
        if isinstance(value, Mapping):
            yield from leaves(value, (*path, key))
        elif key not in PLANNER_KEYS:
            yield (*path, key)


def another(key: str, value: Any) -> Any:
    """Another value that is in range."""
    if key in CHANGED:
        return CHANGED[key]
    if isinstance(value, bool):
        return not value
    return value + 1 if isinstance(value, int) else value * 0.5 or 0.5


DREAMS = yaml.safe_load((CONF_DIR / "planner" / "dreams.yaml").read_text(encoding="utf-8"))


@pytest.mark.parametrize("path", list(leaves(DREAMS)), ids=".".join)
def test_a_constant_reaches_dreams(path: tuple[str, ...]) -> None:
    planner = composed("planner=dreams")["planner"]
    if path == ("context",):  # without a state nothing can be searched
        planner["act"] = "prior"
    before, entry = dreams_settings(planner), planner
    for key in path[:-1]:
        entry = entry[key]
    entry[path[-1]] = another(path[-1], entry[path[-1]])
    assert dreams_settings(planner) != before


def test_every_constant_of_the_code_is_in_the_file() -> None:
    names = {path[-1] for path in leaves(DREAMS)}
    renamed = {"depth": {"k_el", "ex_depth"}, "exploration": {"exploration", "ex_exploration"}}
    renamed |= {"iterations": {"n_ex"}, "w_prior": {"w_llm"}}
    for key in leaves(asdict(DreamsSettings())):
        assert renamed.get(key[-1], {key[-1]}) <= names, key
