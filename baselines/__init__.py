"""Comparators.

References, the paper's baselines, SB3 agents. Each is a policy over the same environments.
"""
