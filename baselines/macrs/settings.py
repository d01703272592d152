"""Constants of MACRS."""

from __future__ import annotations

from dataclasses import dataclass

from baselines.asking import FailureSettings
from baselines.macrs.planning import PlanRules
from dialogue.constants import check_constants


@dataclass(frozen=True, slots=True)
class MACRSSettings(FailureSettings):
    """Constants of the planner; those of retrieval, questions and rejections included.

    Attributes:
        row: Most questions in a row, at least 0.
        known: Facets of which something must be known before the first offer, at least 0.
        sure: Offer when at most this many candidates fit best; 1..1000.
        trace: Whether profile, strategy and proposals go into the record.
    """

    row: int = 2
    known: int = 2
    sure: int = 3
    trace: bool = False

    def __post_init__(self) -> None:
        """Check ranges.

        Raises:
            ValueError: A constant is out of range; the message names its key.
        """
        FailureSettings.__post_init__(self)
        check_constants(self, {"row": (0, 1000), "known": (0, 1000), "sure": (1, 1000)})

    def plan(self) -> PlanRules:
        """Constants of the planner."""
        return PlanRules.of(self, questions=self.questions())
