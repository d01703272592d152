"""The constants of SAPIENT-LLM."""

from __future__ import annotations

from dataclasses import dataclass

from baselines.searching import SearchSettings
from dialogue.constants import check_constants


@dataclass(frozen=True, slots=True)
class SapientSettings(SearchSettings):
    """Everything that can be tuned; those of the search and of the belief included.

    Success pays 1; the costs are in that unit.

    Attributes:
        ask_cost: Of a question; at least 0.
        tire: How much dearer each question in a row makes the next, as a share of ``ask_cost``; at
            least 0.
        refuse_cost: Of a refused offer; at least 0.
        look: Candidates that a leaf's value offers in turn; 0..50.
        reflect: Whether a question just after a refusal asks what to have instead.
    """

    ask_cost: float = 0.04
    tire: float = 1.0
    refuse_cost: float = 0.1
    look: int = 3
    reflect: bool = True

    def __post_init__(self) -> None:
        """Check ranges.

        Raises:
            ValueError: A constant is out of range; the message names its key.
        """
        SearchSettings.__post_init__(self)
        costs = dict.fromkeys(("ask_cost", "tire", "refuse_cost"), (0.0, 1000.0))
        check_constants(self, {"look": (0, 50), **costs})
