"""SAPIENT-LLM's turn: extract the state, retrieve, search, word the act."""

from __future__ import annotations

import random
from dataclasses import replace
from typing import ClassVar

import numpy as np

from baselines.act_words import Act, Saying
from baselines.candidates import Candidates, find_candidates, search_text
from baselines.extraction import SpokenState, state_of
from baselines.item_words import names_met
from baselines.sapient_llm.model import ASK, AskOrRecommend
from baselines.sapient_llm.prompts import SAY, STEPS, TRACK
from baselines.sapient_llm.settings import SapientSettings
from baselines.steps import Nothing, Player, Steps
from dialogue.view import DialogueView, SystemTurn
from language.prompts.single_call import Situation
from retrieval.situation import CANDIDATES, check_channel, spoken_situation
from search import UCT, SearchResult


class SapientLLM:
    """Asks or recommends by tree search; see :mod:`baselines.sapient_llm`.

    It keeps nothing between turns: the state is extracted anew from the whole dialogue.

    Args:
        settings: Its constants.
        roles: Who plays the role ``policy``; None: embedded.

    Attributes:
        asks: Roles that it asks for, where a language model plays them.
        prompts: By role, the prompts of its steps.
    """

    asks = ("policy",)
    prompts: ClassVar[dict[str, str]] = {"policy": " ".join(step.prompt for step in STEPS)}

    def __init__(
        self, settings: SapientSettings | None = None, roles: Player | None = None
    ) -> None:
        self.settings = settings or SapientSettings()
        self._steps = Steps(roles)

    def reset(self, view: DialogueView, rng: np.random.Generator) -> None:
        """Check that there are texts to read.

        Raises:
            ValueError: The environment has ``channel=acts``, whose dialogues have no texts.
        """
        check_channel(view, "sapient_llm")

    def decide(self, view: DialogueView, rng: np.random.Generator) -> SystemTurn:
        """The next turn in the policy's own words."""
        stream = random.Random(int(rng.integers(1 << 62)))
        situation = spoken_situation(view)
        found = self._steps.run(TRACK, situation, Nothing(), view.turn + 1)
        state = state_of(situation, found)
        domain = view.catalog.domain
        if state.last == "details":
            return self._turn(view, situation, domain.explain, "explain", None, None)
        query = search_text(view, state.taste)
        candidates = find_candidates(view, query, state.taste, self.settings, view.offered)
        if not candidates.items:
            return self._turn(view, situation, 0, "ask", domain.facets[0].name, None)
        model = AskOrRecommend(candidates, state, view.turn, view.max_turns, self.settings)
        search = UCT(model, model, self.settings.uct())
        result = search.search(stream, self.settings.simulations)
        trace = self._trace(candidates, state, result)
        if result.action == ASK:
            return self._ask(view, situation, state, model.facet(model.sample(stream)), trace)
        return self._recommend(view, situation, state, candidates, query, trace)

    def _ask(
        self,
        view: DialogueView,
        situation: Situation,
        state: SpokenState,
        facet: int,
        trace: dict[str, object] | None,
    ) -> SystemTurn:
        domain = view.catalog.domain
        name = domain.facets[facet].name
        refused = state.last == "rejected" and domain.reflect in situation.legal
        if self.settings.reflect and refused:
            instead = name if state.complaint >= 0 else None
            return self._turn(view, situation, domain.reflect, "ask_instead", instead, trace)
        return self._turn(view, situation, facet, "ask", name, trace)

    def _turn(
        self,
        view: DialogueView,
        situation: Situation,
        action: int,
        act: Act,
        facet: str | None,
        trace: dict[str, object] | None,
    ) -> SystemTurn:
        given = Saying(act=act, facet=facet, either=[], matches=[])
        words = self._steps.run(SAY, situation, given, view.turn + 1)
        return SystemTurn(action, words.reply.strip(), trace=trace)

    def _recommend(
        self,
        view: DialogueView,
        situation: Situation,
        state: SpokenState,
        candidates: Candidates,
        query: str,
        trace: dict[str, object] | None,
    ) -> SystemTurn:
        ranking = candidates.items[:CANDIDATES]
        named = names_met(view.catalog, ranking[0], state.taste)
        given = Saying(act="recommend", facet=None, either=[], matches=named)
        offer = replace(situation, candidates=ranking[:1])
        words = self._steps.run(SAY, offer, given, view.turn + 1)
        return SystemTurn(
            view.catalog.domain.recommend, words.reply.strip(), query, ranking, trace=trace
        )

    def _trace(
        self, candidates: Candidates, state: SpokenState, result: SearchResult
    ) -> dict[str, object] | None:
        if not self.settings.trace:
            return None
        return {
            "named": state.taste.names(candidates.catalog),
            "candidates": [candidates.catalog.items[i].id for i in candidates.items[:CANDIDATES]],
            "shares": [round(share, 4) for share in candidates.weights[:CANDIDATES]],
            "actions": ["ask", "recommend"],
            "tree": result.to_json(),
        }
