"""Styles of speech: an emotion and an age group."""

from __future__ import annotations

from dataclasses import dataclass

AGES = ("children", "teens", "adults", "seniors")
EMOTIONS = (
    "excitement",
    "boredom",
    "trust",
    "frustration",
    "curiosity",
    "confusion",
    "indifference",
    "anticipation",
    "disappointment",
    "delight",
)


@dataclass(frozen=True, slots=True)
class Style:
    """How a simulated user talks.

    Attributes:
        emotion: One of ``EMOTIONS``; it chooses interjections and some phrases.
        age: One of ``AGES``; it chooses the register.

    Raises:
        ValueError: There are no phrases for the emotion or age; the message lists what exists.
    """

    emotion: str
    age: str

    def __post_init__(self) -> None:
        """Refuse a style without phrases when it is made, not in the middle of a dialogue."""
        if self.emotion not in EMOTIONS:
            raise ValueError(
                f"no phrases for the emotion {self.emotion!r}; choose one of {', '.join(EMOTIONS)}"
            )
        if self.age not in AGES:
            raise ValueError(
                f"no phrases for the age group {self.age!r}; choose one of {', '.join(AGES)}"
            )
