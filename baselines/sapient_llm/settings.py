"""The constants of SAPIENT-LLM."""

from __future__ import annotations

from dataclasses import dataclass

from baselines.candidates import BeliefSettings
from baselines.constants import check_constants
from search import UCTSettings


@dataclass(frozen=True, slots=True)
class SapientSettings(BeliefSettings):
    """Everything that can be tuned; those of the belief over candidates included.

    Success pays 1; the costs are in that unit.

    Attributes:
        simulations: Of the search, per decision; 1..20000.
        depth: Plies of a simulation; 1..20.
        exploration: c of UCT; at least 0.
        discount: Of success, per turn; in [0, 1].
        ask_cost: Of a question; at least 0.
        tire: How much dearer each question in a row makes the next, as a share of ``ask_cost``; at
            least 0.
        refuse_cost: Of a refused offer; at least 0.
        look: Candidates that a leaf's value offers in turn; 0..50.
        answers: Chance that a question about a facet of which all wanted values count is answered.
        answers_one: The same for a facet where one value suffices.
        again: Factor on that chance per earlier question about the facet; in [0, 1].
        reflect: Whether a question just after a refusal asks what to have instead.
        trace: Whether each turn records its state and tree.
    """

    simulations: int = 200
    depth: int = 3
    exploration: float = 0.5
    discount: float = 0.9
    ask_cost: float = 0.04
    tire: float = 1.0
    refuse_cost: float = 0.1
    look: int = 3
    answers: float = 0.85
    answers_one: float = 0.75
    again: float = 0.6
    reflect: bool = True
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
                "depth": (1, 20),
                "look": (0, 50),
                **dict.fromkeys(("discount", "answers", "answers_one", "again"), (0.0, 1.0)),
                **dict.fromkeys(("exploration", "ask_cost", "tire", "refuse_cost"), (0.0, 1000.0)),
            },
        )

    def uct(self) -> UCTSettings:
        """Constants of the search; the choice is the most visited action's."""
        return UCTSettings(
            exploration=self.exploration,
            discount=self.discount,
            depth=self.depth,
            w_tree=1.0,
            w_prior=0.0,
        )
