"""SAPIENT-LLM's search problem: ask or recommend, with what each is about read off the state."""

from __future__ import annotations

import random
from collections.abc import Hashable, Sequence

from baselines.candidate_talk import Talk, TalkMaker
from baselines.candidates import Candidates
from baselines.extraction import SpokenState
from baselines.sapient_llm.settings import SapientSettings

ASK, RECOMMEND = 0, 1


class AskOrRecommend:
    """Model and evaluator of the two-way search (``search.Model``, ``search.Evaluator``).

    Replies that differ only in the value named share a node.

    Args:
        candidates: What may be wanted, at least one.
        state: What was said.
        turn: Finished system turns.
        max_turns: Turns after which the dialogue ends.
        settings: Constants.
    """

    n_actions = 2

    def __init__(
        self,
        candidates: Candidates,
        state: SpokenState,
        turn: int,
        max_turns: int,
        settings: SapientSettings,
    ) -> None:
        self._candidates = candidates
        self._end = max_turns
        self._rules = settings
        self._talks = TalkMaker(candidates, state, turn, settings)

    def sample(self, rng: random.Random) -> Talk:
        """An imagined dialogue with somebody who wants a candidate."""
        return self._talks.draw(rng)

    def step(self, world: Talk, action: int, rng: random.Random) -> tuple[Hashable, float, bool]:
        """Play one turn.

        Returns:
            The observation (2 * facet for a question without an answer, one more for an answered
            one; -1 for a refusal, -2 for success), the reward, and whether the dialogue is over.
        """
        rules = self._rules
        if action == RECOMMEND:
            if world.offer():
                return -2, 1.0, True
            return -1, -rules.refuse_cost, world.turn >= self._end
        cost = rules.ask_cost * (1.0 + rules.tire * world.streak)
        facet = self.facet(world)
        chance = self._talks.chance(world, facet)
        answered = world.ask(self._candidates, facet, chance, rng)
        return 2 * facet + answered, -cost, world.turn >= self._end

    def facet(self, world: Talk) -> int:
        """The facet that a question is about."""
        return self._talks.facet(world)

    def prior(self, world: Talk) -> Sequence[float]:
        """Even; a recommendation needs a candidate, and in the last turn only it can succeed."""
        if not world.left:
            return (1.0, 0.0)
        return (0.0 if world.turn + 1 >= self._end else 1.0, 1.0)

    def value(self, world: Talk) -> float:
        """What offering the candidates that are left in turn would bring."""
        rules = self._rules
        place, total, weight = world.place(), 0.0, 1.0
        for number in range(min(rules.look, self._end - world.turn)):
            if number == place:
                return total + weight
            total -= weight * rules.refuse_cost
            weight *= rules.discount
        return total
