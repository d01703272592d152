"""Policies from a configuration."""

from __future__ import annotations

import importlib
from collections.abc import Mapping
from functools import partial
from pathlib import Path
from typing import Any

from conf.experienced import EXPERIENCED, experienced_class, experienced_policy
from conf.models import model_settings
from conf.typed import constants_of, keys_of, typed
from language.llm.roles import Roles, open_roles
from planners.dreams import Dreams
from planners.dreams_settings import DreamsSettings
from planners.exploitation import RefinementSettings
from planners.prior_only import PriorOnly
from planners.scorer import ScorerSettings
from rewards.total import make_reward
from search import UCTSettings
from simulators.imagined import ImaginationSettings

COMPARATORS: dict[str, tuple[str, str, str]] = {
    "inter_crs": ("baselines.inter_crs", "InterCRS", "InterCRSSettings"),
    "macrs": ("baselines.macrs", "MACRS", "MACRSSettings"),
    "chat_crs": ("baselines.chat_crs", "ChatCRS", "ChatCRSSettings"),
    "pc_crs": ("baselines.pc_crs", "PCCRS", "PCCRSSettings"),
    "ra_crs": ("baselines.ra_crs", "RACRS", "RACRSSettings"),
    "sapient_llm": ("baselines.sapient_llm", "SapientLLM", "SapientSettings"),
}
"""By planner name: module, class, and the class of its settings."""

DREAMS = (
    "dreams", "dreams_no_exnode", "dreams_no_elnode", "dreams_no_elnode_no_json",
    "dreams_json_only",
)  # fmt: skip
"""Dreams and its ablations, which differ in their settings alone."""

_SEARCH = {
    "exploration": "exploration",
    "discount": "discount",
    "depth": "k_el",
    "w_tree": "w_tree",
    "w_prior": "w_llm",
    "prior_visits": "prior_visits",
    "selection": "selection",
    "normalize": "normalize",
    "virtual_loss": "virtual_loss",
}
"""The ELNode's settings by field: their keys in ``conf/planner/dreams.yaml``."""

_REFINEMENT = {
    "iterations": "n_ex",
    "w_match": "w_match",
    "w_accept": "w_accept",
    "diversity": "diversity",
    "top": "top",
    "exploration": "ex_exploration",
    "depth": "ex_depth",
    "wave": "ex_wave",
    "rerank": "rerank",
}
"""The EXNode's settings, likewise."""


def is_learning(config: Mapping[str, Any]) -> bool:
    """Whether the policy is an agent that is trained first."""
    return "algorithm" in config["planner"]


def make_policy(
    config: Mapping[str, Any], agent_file: str | None = None, experience_file: str | None = None
) -> Any:
    """Build the policy of a configuration.

    Args:
        config: The composed configuration as plain values.
        agent_file: For a learning policy, its saved parameters.
        experience_file: For a policy that decides by experience, its base.

    Raises:
        ValueError: A constant is out of range, or a file is missing or does not fit.
    """
    planner = config["planner"]
    if is_learning(config):
        return _load(config, agent_file)
    name, roles = planner["name"], open_roles(model_settings(config))
    if name in DREAMS:
        return _dreams(dreams_settings(planner), config["reward"]["terms"], roles)
    if name == "prior_only":
        return PriorOnly(typed(ScorerSettings, keys_of(planner, "scorer"), planner), roles)
    if name == "tuned_rule":
        return _tuned_rule(planner)
    if name in EXPERIENCED:
        return experienced_policy(planner, roles, experience_file)
    if name in COMPARATORS:
        return _comparator(planner, roles)
    return _reference(name)


def check_policy(config: Mapping[str, Any]) -> Any:
    """The policy, or the class of one that decides by experience, which may have to be made yet.

    Raises:
        ValueError: As :func:`make_policy`.
    """
    planner = config["planner"]
    if planner["name"] in EXPERIENCED:
        return experienced_class(planner)
    return make_policy(config, planner.get("load"))


def policy_factory(
    config: Mapping[str, Any],
    agent_file: Path | None = None,
    experience_file: Path | None = None,
) -> Any:
    """A picklable factory of :func:`make_policy`."""
    files = [None if file is None else str(file) for file in (agent_file, experience_file)]
    return partial(make_policy, config, *files)


def dreams_settings(planner: Mapping[str, Any]) -> DreamsSettings:
    """The settings of ``conf/planner/dreams.yaml`` as objects.

    Raises:
        ValueError: A constant is out of range.
    """
    same = (
        "n_el", "wave", "m", "user_model", "goals", "exact_outcomes", "look", "foresight",
        "first_inquiries", "force_reflection", "search_dislikes", "act", "context", "retrieve",
        "trace", "trace_depth", "trace_visits",
    )  # fmt: skip
    return DreamsSettings(
        search=typed(UCTSettings, _SEARCH, planner),
        refinement=typed(RefinementSettings, _REFINEMENT, planner),
        scorer=typed(ScorerSettings, keys_of(planner, "scorer"), planner),
        imagination=typed(ImaginationSettings, keys_of(planner, "imagination"), planner),
        **{name: planner[name] for name in same},
    )


def _dreams(settings: DreamsSettings, terms: Mapping[str, Any], roles: Roles) -> Dreams:
    from baselines.inter_crs import InterCRS

    choose = InterCRS(roles=roles).choose if settings.context == "history" else None
    return Dreams(settings, make_reward(terms), roles, choose)


def _tuned_rule(planner: Mapping[str, Any]) -> Any:
    from baselines.tuned_rule import TunedRule, TunedRuleSettings

    return TunedRule(TunedRuleSettings(**constants_of(planner)))


def _comparator(planner: Mapping[str, Any], roles: Roles) -> Any:
    """A method of the paper: ``Policy(settings, roles)``."""
    place, policy, settings = COMPARATORS[planner["name"]]
    module = importlib.import_module(place)
    return getattr(module, policy)(getattr(module, settings)(**constants_of(planner)), roles)


def _reference(name: str) -> Any:
    from baselines.references import AlwaysRecommend, AskAll, Oracle, RandomPolicy

    made = {
        "random": RandomPolicy,
        "ask_all": AskAll,
        "always_recommend": AlwaysRecommend,
        "oracle": Oracle,
    }
    return made[name]()


def _load(config: Mapping[str, Any], agent_file: str | None) -> Any:
    from baselines.sb3_interface import interface_of_factory
    from baselines.sb3_policy import load_policy
    from conf.environments import env_factory

    if agent_file is None:
        raise ValueError(
            "a learning policy is evaluated from a file; train it first or give planner.load=FILE"
        )
    interface = interface_of_factory(env_factory(config, channel="acts"))
    return load_policy(Path(agent_file), interface, config["planner"]["algorithm"])
