"""The constants of T-EPL."""

from __future__ import annotations

from dataclasses import dataclass

from baselines.candidates import BeliefSettings
from baselines.constants import check_constants
from search import UCTSettings


@dataclass(frozen=True, slots=True)
class TEPLSettings(BeliefSettings):
    """Everything that can be tuned; those of the belief over candidates included.

    Attributes:
        simulations: Of the search, per decision; 1..20000.
        depth: Plies of a simulation; 1..20.
        exploration: c of UCT; success pays 1; at least 0.
        discount: Of success, per turn; in [0, 1].
        neighbours: States of the memory that vote; 1..1000.
        bandwidth: Squared distance at which a vote's weight has fallen to 1/e; above 0.
        doubt: Weight of the memory's mean outcome beside the votes; above 0.
        w_course: Weight in the distance of how the dialogue went; at least 0.
        w_known: Of what is known about each facet; at least 0.
        w_belief: Of how sure the candidates are; at least 0.
        leading: Candidates whose values are retrieved one by one; 1..50.
        answers: Chance that a question about a facet of which all wanted values count is answered.
        answers_one: The same for a facet where one value suffices.
        again: Factor on that chance per earlier question about the facet; in [0, 1].
        rounds: Questions about one facet that the search considers; 1..20.
        trace: Whether each turn records its state and tree.
    """

    simulations: int = 200
    depth: int = 3
    exploration: float = 0.5
    discount: float = 0.9
    neighbours: int = 20
    bandwidth: float = 2.0
    doubt: float = 0.5
    w_course: float = 2.0
    w_known: float = 0.5
    w_belief: float = 1.0
    leading: int = 5
    answers: float = 0.85
    answers_one: float = 0.75
    again: float = 0.6
    rounds: int = 2
    trace: bool = False

    def __post_init__(self) -> None:
        """Check ranges.

        Raises:
            ValueError: A constant is out of range; the message names its key.
        """
        BeliefSettings.__post_init__(self)
        check_constants(
            self,
            {
                "simulations": (1, 20_000),
                "neighbours": (1, 1000),
                "leading": (1, 50),
                **dict.fromkeys(("depth", "rounds"), (1, 20)),
                **dict.fromkeys(("discount", "answers", "answers_one", "again"), (0.0, 1.0)),
                **dict.fromkeys(("bandwidth", "doubt"), (1e-6, 1000.0)),
                **dict.fromkeys(("exploration", "w_course", "w_known", "w_belief"), (0.0, 1000.0)),
            },
        )

    def uct(self) -> UCTSettings:
        """Constants of the search; the choice is the most visited act's."""
        return UCTSettings(
            exploration=self.exploration,
            discount=self.discount,
            depth=self.depth,
            w_tree=1.0,
            w_prior=0.0,
        )
