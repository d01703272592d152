"""Dreams: dual-node Monte Carlo tree search over a structured preference state."""
