"""Who held the dialogues that the prefixes are from.

A floor (random), three rules, a single-call policy, a planner and an agent.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from typing import Any

from envs.crs import CRSEnv
from evaluation.prefixes.data import CATALOG

TIMESTEPS = 100_000
"""Steps that the agent is trained for: enough to behave sensibly."""


def recording_policies() -> dict[str, Callable[[], Any]]:
    """Factories by name, in the order that numbers their episodes; all roles are embedded."""
    from baselines.inter_crs import InterCRS
    from baselines.references import AlwaysRecommend, AskAll, RandomPolicy
    from planners.dreams import Dreams
    from planners.dreams_settings import DreamsSettings
    from planners.prior_only import PriorOnly
    from rewards.total import make_reward

    return {
        "random": RandomPolicy,
        "ask_all": AskAll,
        "always_recommend": AlwaysRecommend,
        "prior_only": PriorOnly,
        "inter_crs": InterCRS,
        "dreams": lambda: Dreams(DreamsSettings(), make_reward()),
        "maskable_ppo": _agent,
    }


@cache
def _agent() -> Any:
    from baselines.sb3_policy import policy_of
    from baselines.sb3_training import train_agent
    from rewards.total import DISCOUNT

    agent = train_agent(
        "maskable_ppo", _training_env, total_timesteps=TIMESTEPS, n_envs=8, seed=0,
        discount=DISCOUNT, hyperparameters={"n_steps": 256, "batch_size": 512, "ent_coef": 0.02},
    )  # fmt: skip
    return policy_of(agent)


def _training_env() -> CRSEnv:
    return CRSEnv(CATALOG, channel="acts", split="train")
