"""The constants of RA-CRS: priorities of its acts, limits of its questions, its retrieval."""

from __future__ import annotations

from dataclasses import dataclass

from dialogue.constants import check_constants


@dataclass(frozen=True, slots=True)
class RACRSSettings:
    """Everything that can be tuned.

    Of the acts that apply, the one with the highest priority is done; of equal ones, the first in
    this order: answer, reflect, clarify, request, recommend, elaborate.

    Attributes:
        answer: Priority of telling more about the current item, when the user asks.
        reflect: Priority of asking what to have instead, after a refusal with a reason.
        clarify: Priority of asking which of two values a vague word means.
        request: Priority of asking for a mandatory constraint that is missing.
        recommend: Priority of offering the best item found.
        elaborate: Priority of asking for more of a facet, or for one that is not mandatory.
        mandatory: Facets, in the order of asking, that need a constraint; at least 0.
        people_first: Whether people are asked about before other facets.
        opening: Questions in a row that are borne before the first offer, at least 0.
        between: Questions in a row that are borne after an offer, at least 0.
        per_facet: How often a facet is asked about at most, at least 1.
        late: Number of last turns in which nothing is asked, at least 0.
        hurry: Embedded: shown impatience (1..3) that counts as losing patience, after which
            nothing is asked; 4: never.
        pool: Items that the query retrieves, whose texts are then scored; 10..1000.
        familiar: What the best known item's score gains over the least known one's, beside a mean
            of BM25 scores; 0..100.
        fuse: Best passages of an item whose mean is its score, at least 1.
        trace: Whether each turn records state and act (the record has the query anyway).
    """

    answer: float = 6.0
    reflect: float = 5.0
    clarify: float = 4.0
    request: float = 3.0
    recommend: float = 2.0
    elaborate: float = 2.5
    mandatory: int = 2
    people_first: bool = True
    opening: int = 2
    between: int = 1
    per_facet: int = 2
    late: int = 1
    hurry: int = 3
    pool: int = 400
    familiar: float = 2.0
    fuse: int = 5
    trace: bool = False

    def __post_init__(self) -> None:
        """Check ranges.

        Raises:
            ValueError: A constant is out of range; the message names its key.
        """
        priorities = ("answer", "reflect", "clarify", "request", "recommend", "elaborate")
        check_constants(
            self,
            {
                "pool": (10, 1000),
                "hurry": (1, 4),
                **dict.fromkeys(("mandatory", "opening", "between", "late"), (0, 1000)),
                **dict.fromkeys(("per_facet", "fuse"), (1, 1000)),
                "familiar": (0.0, 100.0),
                **dict.fromkeys(priorities, (-1000.0, 1000.0)),
            },
        )
