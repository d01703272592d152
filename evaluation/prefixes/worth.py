"""What the gold is worth: how dialogues end that go on from a prefix with a gold or another action.

An independent reading of the gold: it looks at outcomes with the simulated user, not at rules.
After the action a fixed policy takes over, the same for every action.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from dialogue.streams import Role, generator
from envs.crs import CRSEnv
from evaluation.prefixes.data import Prefix
from evaluation.prefixes.dialogues import SEED, Recorded, make_env, play

KINDS = ("preferred", "gold", "other")


def worth_of_gold(
    prefixes: Sequence[Prefix], recorded: Sequence[Recorded], make_policy: Callable[[], Any]
) -> dict[str, tuple[float, int]]:
    """Success after each legal action at each prefix.

    Args:
        prefixes: The prefixes.
        recorded: The dialogues that they are from.
        make_policy: Builds the policy that takes over.

    Returns:
        By kind of action, ``preferred``, ``gold`` (the others in the gold) and ``other``: mean over
        the prefixes that have such of the share of successes, and the number of these prefixes.
    """
    by_episode = {dialogue["episode"]: dialogue for dialogue in recorded}
    env, policy = make_env(), make_policy()
    shares: dict[str, list[float]] = {kind: [] for kind in KINDS}
    for prefix in prefixes:
        _go_to(env, by_episode[prefix.source["episode"]], len(prefix.exchanges) - 1)
        start = env.get_state()
        ends: dict[str, list[bool]] = {kind: [] for kind in KINDS}
        for action, legal in enumerate(env.view.mask()):
            if legal:
                env.set_state(start)
                ends[_kind(prefix, action)].append(_succeeds(env, policy, action))
        for kind, found in ends.items():
            if found:
                shares[kind].append(sum(found) / len(found))
    return {kind: (sum(found) / len(found), len(found)) for kind, found in shares.items() if found}


def _kind(prefix: Prefix, action: int) -> str:
    if action == prefix.gold.actions[0]:
        return "preferred"
    return "gold" if action in prefix.gold.actions else "other"


def _go_to(env: CRSEnv, dialogue: Recorded, turns: int) -> None:
    """Bring the environment to the moment before turn ``turns`` (counted from 0)."""
    for _ in play(env, dialogue):
        if env.view.turn == turns:
            return
    raise ValueError(f"the dialogue of episode {dialogue['episode']} has no turn {turns + 1}")


def _succeeds(env: CRSEnv, policy: Any, action: int) -> bool:
    """Whether the dialogue succeeds when it goes on with an action and then with a policy."""
    _, _, terminated, truncated, info = env.play(action)
    policy.reset(env.view, generator(SEED, env.episode, Role.POLICY, 0))
    while not (terminated or truncated):
        rng = generator(SEED, env.episode, Role.POLICY, env.view.turn + 1)
        _, _, terminated, truncated, info = env.play(policy.decide(env.view, rng))
    return bool(info["is_success"])
