"""Is the benchmark worth learning? The references' success: ``python -m benchmarks.bands``.

Holds the 150 test dialogues of ReDial with each reference for three seeds, and with ask_all for
seven (105 dialogues a persona), and prints success by policy and by persona with a chi-square test.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable, Iterator
from typing import Any

from baselines.references import AlwaysRecommend, AskAll, Oracle, RandomPolicy
from dialogue.streams import Role, generator
from envs.crs import CRSEnv
from evaluation.groups import GroupSuccess
from evaluation.statistics import chi_square

LIMITS = {
    "random": (RandomPolicy, 0.0, 0.25),
    "always_recommend": (AlwaysRecommend, 0.0, 0.35),
    "ask_all": (AskAll, 0.35, 0.70),
    "oracle": (Oracle, 0.97, 1.0),
}


def outcomes(env: CRSEnv, make: Callable[[], Any], seed: int) -> Iterator[tuple[str, bool]]:
    """Persona and success of each test dialogue of a seed."""
    policy = make()
    env.reset(seed=seed)
    for episode in range(len(env.splits.test) * len(env.world.personas)):
        env.reset(options={"episode": episode, "split": "test"})
        if isinstance(policy, Oracle):
            policy.inform(env.conversation.hidden())
        policy.reset(env.view, generator(seed, episode, Role.POLICY, 0))
        over, turn = False, 0
        while not over:
            turn += 1
            choice = policy.decide(env.view, generator(seed, episode, Role.POLICY, turn))
            _, _, terminated, truncated, info = env.play(choice)
            over = terminated or truncated
        yield info["persona"], info["is_success"]


def main() -> None:
    """Command line."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.bands", description=__doc__)
    parser.add_argument("--env", default="redial")
    args = parser.parse_args()
    env = CRSEnv(args.env, channel="text", split="test")
    print(f"{env.catalog.source}, {len(env.catalog):,} items, {len(env.splits.test)} goals")
    for name, (make, low, high) in LIMITS.items():
        hits = [hit for seed in range(3) for _, hit in outcomes(env, make, seed)]
        rate = sum(hits) / len(hits)
        print(f"{name}: success {rate:.3f} over {len(hits)} dialogues (wanted: {low} to {high})")
    groups: dict[str, list[bool]] = {}
    for seed in range(7):
        for persona, hit in outcomes(env, AskAll, seed):
            groups.setdefault(persona, []).append(hit)
    found = chi_square({name: GroupSuccess(sum(h), len(h)) for name, h in groups.items()})
    for name, persona_hits in sorted(groups.items(), key=lambda pair: sum(pair[1])):
        print(f"  {name}: {sum(persona_hits) / len(persona_hits):.3f} of {len(persona_hits)}")
    print(f"ask_all by persona: chi-square {found.statistic:.1f}, p = {found.p_value:.2g}")


if __name__ == "__main__":
    main()
