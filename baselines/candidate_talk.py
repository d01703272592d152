"""An imagined dialogue with somebody who wants one of the candidates.

A conversation model of its own: the wanted candidate is drawn from the belief over candidates and
fixed for a simulation; asked about a facet, the user names one of its values that was not named
yet, and the candidates without it drop out; an offer is accepted if it is the one that is wanted.
It knows no profile of a user, no patience and no seen items.
"""

from __future__ import annotations

import random
from bisect import bisect_right
from itertools import accumulate

from baselines.candidates import Candidates
from baselines.extraction import SpokenState
from baselines.searching import SearchSettings


class Talk:
    """One imagined dialogue; a simulation owns it.

    Attributes:
        target: Position of the candidate that is wanted.
        left: Bit set of the positions that fit what was said here and were not offered here.
        told: Per facet, the values named so far.
        asked: Per facet, questions so far.
        streak: Questions since the last offer.
        offers: Offers so far.
        turn: Finished system turns.
    """

    __slots__ = ("asked", "left", "offers", "streak", "target", "told", "turn")

    def __init__(
        self, target: int, left: int, told: list[frozenset[int]], state: SpokenState, turn: int
    ) -> None:
        self.target = target
        self.left = left
        self.told = told
        self.asked = list(state.asked)
        self.streak = state.streak
        self.offers = state.offers
        self.turn = turn

    def ask(self, candidates: Candidates, facet: int, chance: float, rng: random.Random) -> bool:
        """Ask about a facet; whether a value was named (with ``chance``, if there is one left)."""
        self.turn += 1
        self.streak += 1
        self.asked[facet] += 1
        item = candidates.items[self.target]
        told = self.told[facet]
        new = [v for v in candidates.catalog.items[item].values[facet] if v not in told]
        if not new or rng.random() >= chance:
            return False
        value = new[int(rng.random() * len(new))]
        self.told[facet] = told | {value}
        self.left &= candidates.having[facet][value]
        return True

    def offer(self) -> bool:
        """Offer the most probable candidate that is left; whether it is the one that is wanted."""
        self.turn += 1
        self.streak = 0
        self.offers += 1
        best = self.left & -self.left
        self.left ^= best
        return best == 1 << self.target

    def place(self) -> int:
        """How many candidates that are left come before the wanted one."""
        return (self.left & ((1 << self.target) - 1)).bit_count()


class TalkMaker:
    """Makes imagined dialogues that start where the real one stands, and tells what to ask in them.

    Args:
        candidates: At least one.
        state: What was said.
        turn: Finished system turns.
        settings: How likely questions are answered.
    """

    def __init__(
        self, candidates: Candidates, state: SpokenState, turn: int, settings: SearchSettings
    ) -> None:
        self.candidates = candidates
        self._state = state
        self._turn = turn
        self._told = [frozenset(values) for values in state.taste.wanted]
        self._sums = list(accumulate(candidates.weights))
        self._again = settings.again
        self._chances = [
            settings.answers if facet.match == "all" else settings.answers_one
            for facet in candidates.catalog.domain.facets
        ]

    def draw(self, rng: random.Random) -> Talk:
        """A dialogue with somebody who wants a candidate drawn from the belief."""
        target = bisect_right(self._sums, rng.random() * self._sums[-1])
        target = min(target, len(self._sums) - 1)
        return Talk(target, self.candidates.everything, self._told[:], self._state, self._turn)

    def chance(self, talk: Talk, facet: int) -> float:
        """How likely a question about a facet is answered with a value."""
        if self._state.closed[facet]:
            return 0.0
        return self._chances[facet] * self._again ** talk.asked[facet]

    def facet(self, talk: Talk) -> int:
        """The facet to ask about: the one of which an answer is likely and tells most.

        Just after a refusal with a reason, the facet complained about.
        """
        if talk.turn == self._turn and self._state.complaint >= 0:
            return self._state.complaint
        worth = [
            self.chance(talk, f) * self.candidates.tells(talk.left, f, talk.told[f])
            for f in range(len(self._chances))
        ]
        return worth.index(max(worth))
