"""T-EPL's search problem: abstract dialogue acts, valued by the memory."""

from __future__ import annotations

import random
from collections.abc import Hashable, Sequence

from baselines.candidate_talk import Talk, TalkMaker
from baselines.candidates import Candidates
from baselines.extraction import SpokenState
from baselines.t_epl.encoding import AbstractState, abstract
from baselines.t_epl.memory import Memory
from baselines.t_epl.settings import TEPLSettings

ACCEPTED, REFUSED, TOLD, SILENT = range(4)
"""Observations: how the imagined user reacts."""


class Scene:
    """An imagined dialogue with what the abstract state counts.

    Attributes:
        talk: Who wants what, and what is left.
        state: The abstract state.
        pending: Position of the offer about which details were asked, -1 without one.
    """

    __slots__ = ("pending", "state", "talk")

    def __init__(self, talk: Talk, state: AbstractState, pending: int) -> None:
        self.talk = talk
        self.state = state
        self.pending = pending


class DialogueActs:
    """Model and evaluator of the search over acts (``search.Model``, ``search.Evaluator``).

    Acts are numbered as the domain's actions: a question per facet, clarify, recommend, justify.
    Replies that differ only in the value named share a node.

    Args:
        candidates: What may be wanted, at least one; with ``pending``, the item asked about too.
        state: What was said.
        turn: Finished system turns.
        max_turns: Turns after which the dialogue ends.
        memory: Values states.
        settings: Constants.
        pending: Item index of the offer about which details were asked, -1 without one.
    """

    def __init__(
        self,
        candidates: Candidates,
        state: SpokenState,
        turn: int,
        max_turns: int,
        memory: Memory,
        settings: TEPLSettings,
        pending: int = -1,
    ) -> None:
        domain = candidates.catalog.domain
        self.n_actions = len(domain.actions)
        self.clarify, self.recommend, self.justify = (
            domain.reflect, domain.recommend, domain.explain,
        )  # fmt: skip
        self._candidates = candidates
        self._spoken = state
        self._start = turn
        self._end = max_turns
        self._memory = memory
        self._rules = settings
        self._talks = TalkMaker(candidates, state, turn, settings)
        items = candidates.items
        self._pending = items.index(pending) if pending in items else -1

    def sample(self, rng: random.Random) -> Scene:
        """An imagined dialogue with somebody who wants a candidate."""
        talk = self._talks.draw(rng)
        if self._pending >= 0:
            talk.left &= ~(1 << self._pending)
        return Scene(talk, abstract(self._spoken, self._start), self._pending)

    def step(self, world: Scene, action: int, rng: random.Random) -> tuple[Hashable, float, bool]:
        """Play one turn.

        Returns:
            How the user reacts, 1 for an accepted offer (else 0), and whether the dialogue is over.
        """
        if action == self.recommend:
            reaction = ACCEPTED if world.talk.offer() else REFUSED
        elif action == self.justify:
            reaction = self._justify(world)
        elif action == self.clarify:
            reaction = TOLD if self._clarify(world, rng) else SILENT
        else:
            reaction = TOLD if self._ask(world, action, rng) else SILENT
        self._note(world, reaction)
        if reaction == ACCEPTED:
            return reaction, 1.0, True
        return reaction, 0.0, world.talk.turn >= self._end

    def _ask(self, world: Scene, facet: int, rng: random.Random) -> bool:
        chance = self._talks.chance(world.talk, facet)
        return world.talk.ask(self._candidates, facet, chance, rng)

    def _clarify(self, world: Scene, rng: random.Random) -> bool:
        """What is unclear is told; after a refusal, what to have instead, if more may come."""
        facet, chance = self.unclear_facet(world), 1.0
        if facet >= 0:
            world.state.unclear -= 1
        else:
            facet = self._talks.facet(world.talk)
            chance = float(not self._spoken.closed[facet])
        return world.talk.ask(self._candidates, facet, chance, rng)

    def _justify(self, world: Scene) -> int:
        talk = world.talk
        talk.turn += 1
        talk.streak = 0
        if world.pending < 0:
            return SILENT
        return ACCEPTED if world.pending == talk.target else REFUSED

    def _note(self, world: Scene, reaction: int) -> None:
        talk, state = world.talk, world.state
        state.turn, state.streak, state.offers = talk.turn, talk.streak, talk.offers
        state.asked = talk.asked
        state.known = [len(values) for values in talk.told]
        state.refused = reaction == REFUSED
        state.details = False
        world.pending = -1

    def unclear_facet(self, world: Scene) -> int:
        """Facet of the first statement that is still unclear, -1 without one."""
        pairs = [f for f, unclear in enumerate(self._spoken.taste.unclear) for _ in unclear]
        return pairs[-world.state.unclear] if world.state.unclear else -1

    def prior(self, world: Scene) -> Sequence[float]:
        """Even over the acts that can do something; in the last turn only an offer can succeed."""
        last = world.talk.turn + 1 >= self._end and world.talk.left > 0
        asks = [
            float(not closed and times < self._rules.rounds and not last)
            for closed, times in zip(self._spoken.closed, world.talk.asked, strict=True)
        ]
        acts = [
            *asks,
            float((world.state.refused or world.state.unclear > 0) and not last),
            float(world.talk.left > 0),
            float(world.pending >= 0),
        ]
        return acts if any(acts) else [1.0] * len(asks) + [0.0] * 3

    def value(self, world: Scene) -> float:
        """The memory's value of the state."""
        left = world.talk.left
        shares = self._candidates.shares(left)[: self._rules.leading]
        return self._memory.value(world.state, self._candidates.entropy(left), shares)
