"""The constants of InterCRS's embedded decision."""

from __future__ import annotations

from dataclasses import dataclass

from baselines.asking import FailureSettings
from baselines.inter_crs.rules import DecisionRules
from dialogue.constants import check_constants


@dataclass(frozen=True, slots=True)
class InterCRSSettings(FailureSettings):
    """Constants of the rules; those of retrieval, questions and rejections included.

    Attributes:
        opening: Most questions before the first offer, at least 0.
        between: Most questions in a row after an offer, at least 0.
        enough: Number of wanted values from which nothing more is asked, at least 1.
        sure: Nothing more is asked when at most this many candidates fit best; 0..10, and 0 looks
            at no candidate.
        late: Number of last turns in which nothing is asked, at least 0.
    """

    opening: int = 2
    between: int = 2
    enough: int = 3
    sure: int = 3
    late: int = 1

    def __post_init__(self) -> None:
        """Check ranges.

        Raises:
            ValueError: A constant is out of range; the message names its key.
        """
        FailureSettings.__post_init__(self)
        least = dict.fromkeys(("opening", "between", "late"), (0, 1000))
        check_constants(self, {"sure": (0, 10), "enough": (1, 1000), **least})

    def rules(self) -> DecisionRules:
        """Constants of the embedded decision."""
        return DecisionRules.of(self, failures=self.failures(), questions=self.questions())
