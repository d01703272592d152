"""T-EPL's encoder: an abstract dialogue state as a short vector that nearest neighbours compare."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

from baselines.extraction import SpokenState

MOST = 3
"""Values or questions of a facet beyond which states are alike."""


@dataclass(slots=True)
class AbstractState:
    """What a state looks like from afar.

    Attributes:
        turn: Finished system turns.
        streak: Questions since the last offer.
        offers: Offers so far.
        refused: Whether the last offer was just refused.
        details: Whether the user just asked about the last offer.
        impatience: 0..3.
        unclear: Number of statements of which it is open what they mean.
        known: Per facet, wanted values named.
        asked: Per facet, questions.
    """

    turn: int
    streak: int
    offers: int
    refused: bool
    details: bool
    impatience: int
    unclear: int
    known: list[int]
    asked: list[int]


def abstract(state: SpokenState, turn: int) -> AbstractState:
    """The abstract state of a dialogue."""
    return AbstractState(
        turn=turn,
        streak=state.streak,
        offers=state.offers,
        refused=state.last in ("rejected", "seen"),
        details=state.last == "details",
        impatience=state.impatience,
        unclear=sum(map(len, state.taste.unclear)),
        known=[len(values) for values in state.taste.wanted],
        asked=list(state.asked),
    )


def course_of(state: AbstractState) -> list[float]:
    """How the dialogue went; about 1 apart where it matters."""
    return [
        0.4 * state.turn,
        0.7 * min(state.streak, 4),
        0.5 * min(state.offers, 6),
        1.0 * state.refused,
        1.0 * state.details,
        0.5 * state.impatience,
    ]


def known_of(state: AbstractState) -> list[float]:
    """What is known, and what was asked about."""
    return [
        0.5 * min(state.unclear, 2),
        *(0.8 * min(count, MOST) for count in state.known),
        *(0.5 * min(count, MOST) for count in state.asked),
    ]


def surety(share: float) -> float:
    """A candidate's probability on the scale on which states are compared."""
    return 0.5 * math.log2(max(share, 1e-4))


def encode(
    state: AbstractState, entropy: float, w_course: float, w_known: float, w_belief: float
) -> list[float]:
    """The vector: weighted so that squared distances add up by the weights.

    Args:
        state: The state.
        entropy: Bits of uncertainty over the candidates.
        w_course: Weight of :func:`course_of`.
        w_known: Weight of :func:`known_of`.
        w_belief: Weight of the entropy.
    """
    parts: Sequence[tuple[float, list[float]]] = (
        (w_course, course_of(state)),
        (w_known, known_of(state)),
        (w_belief, [0.5 * entropy]),
    )
    return [math.sqrt(weight) * number for weight, numbers in parts for number in numbers]
