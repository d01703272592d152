"""Prefixes of dialogues with their gold next action (dreams §A.6.3, Table 8).

The data, the rules of the gold actions and the metrics are described in ``README.md`` beside this
file. ``python train.py prefixes=true planner=NAME`` scores a policy.
"""

from evaluation.prefixes.scoring import PrefixScores, evaluate_prefixes

__all__ = ["PrefixScores", "evaluate_prefixes"]
