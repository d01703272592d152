"""Tables of words and phrases: what the tracker listens for, and what the simulated user says."""

Phrases = dict[str, tuple[str, ...]]
"""Templates by age group (or by emotion)."""
