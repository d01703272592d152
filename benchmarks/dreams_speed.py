"""Simulations per second of the Dreams search on one core: ``python -m benchmarks.dreams_speed``.

The reference in the same run is a plain loop over the same imagined conversations: sample a user,
play three turns of the scorer's best action, evaluate. What the tree costs on top is the ratio.
"""

from __future__ import annotations

import argparse
import random
import time

import numpy as np

from dialogue.streams import Role, generator
from envs.crs import CRSEnv
from planners.belief import ProfileBelief, load_profiles
from planners.dreams import Dreams
from planners.dreams_model import ConversationEvaluator, ConversationModel
from planners.dreams_settings import DreamsSettings
from planners.scorer import EmbeddedScorer
from planners.tools import PlannerTools
from rewards.total import DISCOUNT, make_reward
from search import UCTSettings
from simulators.imagined import GoalPool, GoalSampler, ImaginationSettings


def plain_loop(env: CRSEnv, tools: PlannerTools, simulations: int, depth: int) -> float:
    """Seconds for ``simulations`` imagined conversations without a tree, from the present view."""
    view, rng = env.view, random.Random(0)
    goals = GoalPool(GoalSampler(view, tools.retriever, ImaginationSettings()), 200, rng)
    belief, reward = ProfileBelief(load_profiles("learned"), view), make_reward()
    model = ConversationModel(view, goals, belief, reward, tools.seen, tools.vague, tools.retriever)
    evaluator = ConversationEvaluator(EmbeddedScorer(), tools.retriever, reward, DISCOUNT)
    started = time.perf_counter()
    for _ in range(simulations):
        world = model.sample(rng)
        for _ in range(depth):
            prior = evaluator.prior(world)
            if model.step(world, list(prior).index(max(prior)), rng)[2]:
                break
        evaluator.value(world)
    return time.perf_counter() - started


def main() -> None:
    """Command line."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.dreams_speed", description=__doc__)
    parser.add_argument("--env", default="redial")
    parser.add_argument("--episodes", type=int, default=10)
    parser.add_argument("--simulations", type=int, default=400)
    parser.add_argument("--depth", type=int, default=3)
    args = parser.parse_args()
    env = CRSEnv(args.env, channel="text", split="train")
    tools = PlannerTools(env.catalog)
    search = UCTSettings(depth=args.depth)
    policy = Dreams(DreamsSettings(n_el=args.simulations, search=search))
    spent, reference, decisions = 0.0, 0.0, 0
    env.reset(seed=0)
    for episode in range(args.episodes):
        env.reset(options={"episode": episode})
        policy.reset(env.view, np.random.default_rng(0))
        over, turn = False, 0
        while not over:
            turn += 1
            reference += plain_loop(env, tools, args.simulations, args.depth)
            started = time.perf_counter()
            chosen = policy.decide(env.view, generator(0, episode, Role.POLICY, turn))
            spent += time.perf_counter() - started
            decisions += 1
            _, _, terminated, truncated, _ = env.play(chosen)
            over = terminated or truncated
    total = decisions * args.simulations
    print(
        f"{env.catalog.source}, {len(env.catalog):,} items, depth {args.depth}: "
        f"{total / spent:,.0f} simulations/s over {decisions} decisions (refinement included); "
        f"plain loop {total / reference:,.0f}/s, "
        f"ratio {reference / spent:.2f}"
    )


if __name__ == "__main__":
    main()
