"""The constants of T-EPL."""

from __future__ import annotations

from dataclasses import dataclass

from baselines.searching import SearchSettings
from dialogue.constants import check_constants


@dataclass(frozen=True, slots=True)
class TEPLSettings(SearchSettings):
    """Everything that can be tuned; those of the search and of the belief included.

    Attributes:
        neighbours: States of the memory that vote; 1..1000.
        bandwidth: Squared distance at which a vote's weight has fallen to 1/e; above 0.
        doubt: Weight of the memory's mean outcome beside the votes; above 0.
        w_course: Weight in the distance of how the dialogue went; at least 0.
        w_known: Of what is known about each facet; at least 0.
        w_belief: Of how sure the candidates are; at least 0.
        leading: Candidates whose values are retrieved one by one; 1..50.
        rounds: Questions about one facet that the search considers; 1..20.
    """

    neighbours: int = 20
    bandwidth: float = 4.0
    doubt: float = 2.0
    w_course: float = 2.0
    w_known: float = 0.5
    w_belief: float = 0.5
    leading: int = 5
    rounds: int = 1
    lacking: float = 0.05

    def __post_init__(self) -> None:
        """Check ranges.

        Raises:
            ValueError: A constant is out of range; the message names its key.
        """
        SearchSettings.__post_init__(self)
        check_constants(
            self,
            {
                "neighbours": (1, 1000),
                "leading": (1, 50),
                "rounds": (1, 20),
                **dict.fromkeys(("bandwidth", "doubt"), (1e-6, 1000.0)),
                **dict.fromkeys(("w_course", "w_known", "w_belief"), (0.0, 1000.0)),
            },
        )
