"""From recorded dialogues to prefixes: one of each, chosen so that gold actions balance."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from envs.crs import CRSEnv
from evaluation.prefixes.data import Prefix, write_prefixes
from evaluation.prefixes.dialogues import SEED, Recorded, make_env, play
from evaluation.prefixes.gold import GoldRules


def make_prefixes(recorded: Sequence[Recorded]) -> bytes:
    """The bytes of ``prefixes.jsonl``.

    Of each dialogue, in the order of the episodes (so that the policies take turns), that prefix is
    taken whose preferred gold action is the rarest so far; among equals, the one whose number of
    turns is the rarest so far, then the shortest. Nothing else of a dialogue is looked at.
    """
    env = make_env()
    rules = GoldRules(env.catalog)
    chosen: list[Prefix] = []
    golds: Counter[int] = Counter()
    lengths: Counter[int] = Counter()
    for dialogue in sorted(recorded, key=lambda one: int(one["episode"])):
        found = [
            _prefix(here, dialogue, f"p{len(chosen):03}", rules) for here in play(env, dialogue)
        ]
        best = min(
            found,
            key=lambda p: (golds[p.gold.actions[0]], lengths[len(p.exchanges)], len(p.exchanges)),
        )
        golds[best.gold.actions[0]] += 1
        lengths[len(best.exchanges)] += 1
        chosen.append(best)
    return write_prefixes(env.catalog, chosen)


def _prefix(env: CRSEnv, dialogue: Recorded, name: str, rules: GoldRules) -> Prefix:
    """The running dialogue as a prefix."""
    view, user = env.view, env.conversation.user
    record = env.dialogue_record()
    return Prefix(
        name=name,
        source={
            "policy": dialogue["policy"],
            "episode": dialogue["episode"],
            "seed": SEED,
            "goal_index": record["goal_index"],
            "persona": record["persona"],
        },
        max_turns=view.max_turns,
        exchanges=tuple(view.exchanges),
        goal=user.goal,
        targets=user.acceptable,
        gold=rules.of(view, user.goal, user.acceptable),
    )
