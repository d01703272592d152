"""The constants of PC-CRS: of its rules, its retrieval and its checking of facts."""

from __future__ import annotations

from dataclasses import dataclass

from dialogue.constants import check_constants


@dataclass(frozen=True, slots=True)
class PCCRSSettings:
    """Everything that can be tuned; a model reads none of the rules' constants.

    Attributes:
        refinements: Largest number of times that an account is checked and rewritten, 0..10.
        pool: Items that the dialogue's words retrieve, among which the person's wishes decide;
            10..1000.
        opening: Rules: questions before the first offer, at least 0.
        between: Rules: questions in a row between two offers, at least 0.
        per_facet: Rules: how often a facet is asked about at most, at least 1.
        people_first: Rules: whether people are asked about before other facets.
        clarify_first: Rules: whether what a vague word means is asked before what is unknown.
        more_people: Rules: whether further names are asked for where one is known and suffices.
        enough: Rules: number of wanted values after which offers are made without asking, at
            least 1.
        hurry: Rules: shown impatience (1..3) from which nothing more is asked; 4: never.
        late: Rules: number of last turns in which nothing is asked, at least 0.
        reflect: Rules: whether a refusal with a reason is followed by asking what to have instead.
        trace: Whether each turn records how it was made.
    """

    refinements: int = 2
    pool: int = 200
    opening: int = 2
    between: int = 1
    per_facet: int = 2
    people_first: bool = True
    clarify_first: bool = True
    more_people: bool = True
    enough: int = 6
    hurry: int = 3
    late: int = 1
    reflect: bool = True
    trace: bool = False

    def __post_init__(self) -> None:
        """Check ranges.

        Raises:
            ValueError: A constant is out of range; the message names its key.
        """
        check_constants(
            self,
            {
                "refinements": (0, 10),
                "pool": (10, 1000),
                "hurry": (1, 4),
                **dict.fromkeys(("opening", "between", "late"), (0, 1000)),
                **dict.fromkeys(("per_facet", "enough"), (1, 1000)),
            },
        )
