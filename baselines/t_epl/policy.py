"""T-EPL's turn: read the state, retrieve candidates, search over acts, realise the chosen one."""

from __future__ import annotations

import random

import numpy as np

from baselines.act_words import saying
from baselines.candidates import believed_candidates, search_text
from baselines.extraction import SpokenState
from baselines.searching import SearchingMethod, trace_of
from baselines.steps import Player
from baselines.t_epl.memory import Memory, memory_of
from baselines.t_epl.model import DialogueActs
from baselines.t_epl.prompts import READ, REALISE
from baselines.t_epl.settings import TEPLSettings
from catalogs.catalog import Catalog
from dialogue.experience import ExperienceBase
from dialogue.view import DialogueView, SystemTurn
from language.prompts.facts import encodable
from language.prompts.single_call import Situation
from retrieval.situation import CANDIDATES, spoken_situation
from search import UCT


class TEPL(SearchingMethod, name="t_epl", read=READ, word=REALISE):
    """Chooses dialogue acts by tree search over remembered values; see :mod:`baselines.t_epl`.

    It keeps nothing between turns but the encoded memory.

    Args:
        settings: Its constants.
        roles: Who plays the role ``policy``; None: embedded.
        memory: Past dialogues.
    """

    def __init__(
        self, settings: TEPLSettings | None, roles: Player | None, memory: ExperienceBase
    ) -> None:
        super().__init__(roles)
        self.settings = settings or TEPLSettings()
        self._base = memory
        self._encoded: tuple[Catalog, Memory] | None = None

    def reset(self, view: DialogueView, rng: np.random.Generator) -> None:
        """Check that there are texts to read, and encode the memory for a new catalogue.

        Raises:
            ValueError: The environment has ``channel=acts``, whose dialogues have no texts.
        """
        super().reset(view, rng)
        self._memory(view.catalog)

    def _memory(self, catalog: Catalog) -> Memory:
        if self._encoded is None or self._encoded[0] is not catalog:
            self._encoded = catalog, memory_of(catalog, self._base, self.settings)
        return self._encoded[1]

    def decide(self, view: DialogueView, rng: np.random.Generator) -> SystemTurn:
        """The next turn in the policy's own words."""
        stream = random.Random(int(rng.integers(1 << 62)))
        situation, catalog = spoken_situation(view), view.catalog
        domain, rules = catalog.domain, self.settings
        state = self.state(situation, view.turn + 1)
        pending = situation.last_offer if state.last == "details" else -1
        query = search_text(view, state.taste)
        apart = view.offered & ~(1 << pending) if pending >= 0 else view.offered
        candidates = believed_candidates(view, query, state.taste, rules, apart)
        if not candidates.items:
            return self.said(view, situation, 0, saying(catalog, "ask", 0), None)
        model = DialogueActs(
            candidates, state, view.turn, view.max_turns, self._memory(catalog), rules, pending
        )
        result = UCT(model, model, rules.uct()).search(stream, rules.simulations)
        trace = None
        if rules.trace:
            trace = trace_of(candidates, state, list(domain.actions), result)
        if result.action == domain.recommend:
            ranking = tuple(item for item in candidates.items if item != pending)[:CANDIDATES]
            return self.offered(view, situation, state, ranking, query, trace)
        if result.action == domain.reflect:
            return self._clarify(view, situation, state, trace)
        if result.action == domain.explain:
            given = saying(catalog, "explain")
        else:
            given = saying(catalog, "ask", result.action)
        return self.said(view, situation, result.action, given, trace)

    def _clarify(
        self,
        view: DialogueView,
        situation: Situation,
        state: SpokenState,
        trace: dict[str, object] | None,
    ) -> SystemTurn:
        """Ask which value is meant, or what to have instead of what was refused."""
        catalog = view.catalog
        for f, pairs in enumerate(state.taste.unclear):
            if pairs:
                names = [encodable(catalog.value(f, value)) for value in pairs[0]]
                given = saying(catalog, "clarify", f, names)
                return self.said(view, situation, f, given, trace)
        if catalog.domain.reflect not in situation.legal:
            return self.said(view, situation, 0, saying(catalog, "ask", 0), trace)
        given = saying(catalog, "ask_instead", state.complaint)
        return self.said(view, situation, catalog.domain.reflect, given, trace)
