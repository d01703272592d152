"""Learn behaviour profiles from train dialogues: ``python -m planners.learn_profiles``.

The dialogues are held on train goals by a policy that samples actions from the scorer, so that
questions, offers and explanations all occur. Only the public exchanges are read. Writes
``planners/profiles.yaml``.
"""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from dataclasses import asdict, replace
from pathlib import Path

import numpy as np
import yaml

from dialogue.streams import Role, generator
from envs.crs import CRSEnv
from planners.belief import Profile
from planners.evidence import Evidence, gather
from planners.mixture import fit_profiles
from planners.scorer import EmbeddedScorer
from simulators.behaviour import Behaviour

HEAD = """# Behaviour rows that Dreams imagines users with, learned from train dialogues (ReDial) by
# `python -m planners.learn_profiles --out planners/profiles.yaml`.
# Fields are documented in simulators/behaviour.py. generic: one average row; learned: a mixture of
# groups with like rates, by their likely pairs of patience and fatigue, and how common each is.
"""


CURIOSITY = (0.5, 1.0, 4.0)
"""Factors on the scores of questions, one drawn per dialogue.

Long runs of questions show who tires of them.
"""


def collect(env: CRSEnv, dialogues: int, seed: int) -> list[Evidence]:
    """Hold train dialogues with actions sampled from the scorer and gather what they show."""
    scorer = EmbeddedScorer()
    data = []
    env.reset(seed=seed)
    for episode in range(dialogues):
        env.reset(options={"episode": episode, "split": "train"})
        over, turn = False, 0
        curiosity = CURIOSITY[
            int(generator(seed, episode, Role.POLICY, 0).integers(len(CURIOSITY)))
        ]
        while not over:
            turn += 1
            rng = generator(seed, episode, Role.POLICY, turn)
            scores = np.sqrt(np.array(scorer.scores(env.view)))
            scores[: env.domain.n_facets] *= curiosity
            action = int(rng.choice(len(scores), p=scores / scores.sum()))
            _, _, terminated, truncated, _ = env.play(action)
            over = terminated or truncated
        data.append(gather(env.view))
    return data


def mean_patience(row: Behaviour, profiles: Sequence[Profile]) -> Behaviour:
    """The row with the profiles' weighted mean patience and fatigue.

    Their joint maximum fits no average user.
    """
    patience = sum(p.weight * p.behaviour.patience for p in profiles)
    fatigue = sum(p.weight * p.behaviour.fatigue for p in profiles)
    return replace(row, patience=round(patience, 2), fatigue=round(fatigue))


def write_profiles(path: Path, kinds: dict[str, list[Profile]]) -> None:
    """Write profiles by kind as YAML."""
    raw = {
        kind: [{"weight": round(p.weight, 4), "behaviour": asdict(p.behaviour)} for p in profiles]
        for kind, profiles in kinds.items()
    }
    path.write_text(
        HEAD + yaml.safe_dump(raw, sort_keys=False, default_flow_style=None, width=110),
        encoding="utf-8",
    )


def main(argv: list[str] | None = None) -> None:
    """Command line."""
    parser = argparse.ArgumentParser(prog="python -m planners.learn_profiles", description=__doc__)
    parser.add_argument(
        "--env", default="redial", help="catalogue to converse about (default: redial)"
    )
    parser.add_argument(
        "--dialogues", type=int, default=6000, help="train dialogues to learn from (default: 6000)"
    )
    parser.add_argument(
        "--groups", type=int, default=8, help="groups of users to learn (default: 8)"
    )
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--out", type=Path, required=True, help="file to write")
    args = parser.parse_args(argv)
    env = CRSEnv(args.env, channel="acts", split="train")
    data = collect(env, args.dialogues, args.seed)
    rng = np.random.default_rng(np.random.SeedSequence(args.seed))
    n_facets = env.domain.n_facets
    learned = fit_profiles(data, n_facets, args.groups, 60, rng)
    average = fit_profiles(data, n_facets, 1, 1, rng)[0].behaviour
    kinds = {"generic": [Profile(1.0, mean_patience(average, learned))], "learned": learned}
    write_profiles(args.out, kinds)
    print(
        f"{len(data)} dialogues on train goals of {env.catalog.source}: "
        f"profiles written to {args.out}"
    )


if __name__ == "__main__":
    main()
