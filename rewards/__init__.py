"""The reward.

Explore, retrieve, attitude, cost, accept, and their weighted sum (dreams §A.4, Eq. 6-7).
"""
