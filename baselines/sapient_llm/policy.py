"""SAPIENT-LLM's turn: extract the state, retrieve, search, word the act."""

from __future__ import annotations

import random

import numpy as np

from baselines.act_words import saying
from baselines.candidates import believed_candidates, search_text
from baselines.extraction import SpokenState
from baselines.sapient_llm.model import ASK, AskOrRecommend
from baselines.sapient_llm.prompts import SAY, TRACK
from baselines.sapient_llm.settings import SapientSettings
from baselines.searching import SearchingMethod, trace_of
from baselines.steps import Player
from dialogue.view import DialogueView, SystemTurn
from language.prompts.single_call import Situation
from retrieval.situation import CANDIDATES, spoken_situation
from search import UCT


class SapientLLM(SearchingMethod, name="sapient_llm", read=TRACK, word=SAY):
    """Asks or recommends by tree search; see :mod:`baselines.sapient_llm`.

    It keeps nothing between turns: the state is extracted anew from the whole dialogue.

    Args:
        settings: Its constants.
        roles: Who plays the role ``policy``; None: embedded.
    """

    def __init__(
        self, settings: SapientSettings | None = None, roles: Player | None = None
    ) -> None:
        super().__init__(roles)
        self.settings = settings or SapientSettings()

    def decide(self, view: DialogueView, rng: np.random.Generator) -> SystemTurn:
        """The next turn in the policy's own words."""
        stream = random.Random(int(rng.integers(1 << 62)))
        situation, catalog = spoken_situation(view), view.catalog
        state = self.state(situation, view.turn + 1)
        if state.last == "details":
            given = saying(catalog, "explain")
            return self.said(view, situation, catalog.domain.explain, given, None)
        query = search_text(view, state.taste)
        candidates = believed_candidates(view, query, state.taste, self.settings, view.offered)
        if not candidates.items:
            return self.said(view, situation, 0, saying(catalog, "ask", 0), None)
        model = AskOrRecommend(candidates, state, view.turn, view.max_turns, self.settings)
        search = UCT(model, model, self.settings.uct())
        result = search.search(stream, self.settings.simulations)
        trace = None
        if self.settings.trace:
            trace = trace_of(candidates, state, ["ask", "recommend"], result)
        if result.action == ASK:
            return self._ask(view, situation, state, model.facet(model.sample(stream)), trace)
        ranking = candidates.items[:CANDIDATES]
        return self.offered(view, situation, state, ranking, query, trace)

    def _ask(
        self,
        view: DialogueView,
        situation: Situation,
        state: SpokenState,
        facet: int,
        trace: dict[str, object] | None,
    ) -> SystemTurn:
        catalog = view.catalog
        reflect = catalog.domain.reflect
        if self.settings.reflect and state.last == "rejected" and reflect in situation.legal:
            instead = facet if state.complaint >= 0 else -1
            given = saying(catalog, "ask_instead", instead)
            return self.said(view, situation, reflect, given, trace)
        return self.said(view, situation, facet, saying(catalog, "ask", facet), trace)
