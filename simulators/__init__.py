"""Simulated users: personas, the embedded user, and the imagined user that a planner rolls out."""
