"""Holding dialogues in tests: a policy, an environment, the hidden side sealed while it decides."""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from dialogue.policy import Policy
from dialogue.streams import Role, generator
from dialogue.view import SystemTurn
from envs.crs import CRSEnv


@dataclass(frozen=True)
class Outcome:
    """One finished dialogue."""

    episode: int
    persona: str
    success: bool
    rewards: tuple[float, ...]
    decisions: tuple[int | SystemTurn, ...]

    @property
    def earned(self) -> float:
        """The undiscounted return."""
        return sum(self.rewards)

    @property
    def turns(self) -> int:
        """Number of system turns."""
        return len(self.decisions)


def hold(env: CRSEnv, policy: Policy, seed: int, episode: int, split: str = "test") -> Outcome:
    """Hold one dialogue to its end."""
    env.reset(seed=seed, options={"episode": episode, "split": split})
    talk = env.conversation
    inform: Any = getattr(policy, "inform", None)
    if inform is not None:
        inform(talk.user.acceptable)
    rewards: list[float] = []
    decisions: list[int | SystemTurn] = []
    with talk.sealed():
        policy.reset(env.view, generator(seed, episode, Role.POLICY, 0))
    while not (talk.terminated or talk.truncated):
        rng = generator(seed, episode, Role.POLICY, len(decisions) + 1)
        with talk.sealed():
            decisions.append(policy.decide(env.view, rng))
        rewards.append(env.play(decisions[-1])[1])
    persona = env._persona or ""
    return Outcome(episode, persona, talk.accepted, tuple(rewards), tuple(decisions))


def hold_many(
    env: CRSEnv, policy: Policy, seeds: Iterable[int], episodes: int, split: str = "test"
) -> list[Outcome]:
    """The first episodes of a split, for each seed."""
    return [hold(env, policy, seed, k, split) for seed in seeds for k in range(episodes)]
