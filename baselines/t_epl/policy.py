"""T-EPL's turn: read the state, retrieve candidates, search over acts, realise the chosen one."""

from __future__ import annotations

import random
from dataclasses import replace
from typing import ClassVar

import numpy as np

from baselines.act_words import Act, Saying
from baselines.candidates import Candidates, find_candidates, search_text
from baselines.extraction import SpokenState, state_of
from baselines.item_words import names_met
from baselines.steps import Nothing, Player, Steps
from baselines.t_epl.memory import Memory, memory_of
from baselines.t_epl.model import DialogueActs
from baselines.t_epl.prompts import READ, REALISE, STEPS
from baselines.t_epl.settings import TEPLSettings
from catalogs.catalog import Catalog
from dialogue.experience import ExperienceBase
from dialogue.view import DialogueView, SystemTurn
from language.prompts.facts import encodable
from language.prompts.single_call import Situation
from retrieval.situation import CANDIDATES, check_channel, spoken_situation
from search import UCT, SearchResult


class TEPL:
    """Chooses dialogue acts by tree search over remembered values; see :mod:`baselines.t_epl`.

    It keeps nothing between turns but the encoded memory.

    Args:
        settings: Its constants.
        roles: Who plays the role ``policy``; None: embedded.
        memory: Past dialogues.

    Attributes:
        asks: Roles that it asks for, where a language model plays them.
        prompts: By role, the prompts of its steps.
    """

    asks = ("policy",)
    prompts: ClassVar[dict[str, str]] = {"policy": " ".join(step.prompt for step in STEPS)}

    def __init__(
        self, settings: TEPLSettings | None, roles: Player | None, memory: ExperienceBase
    ) -> None:
        self.settings = settings or TEPLSettings()
        self._steps = Steps(roles)
        self._base = memory
        self._encoded: tuple[Catalog, Memory] | None = None

    def reset(self, view: DialogueView, rng: np.random.Generator) -> None:
        """Check that there are texts to read, and encode the memory for a new catalogue.

        Raises:
            ValueError: The environment has ``channel=acts``, whose dialogues have no texts.
        """
        check_channel(view, "t_epl")
        self._memory(view.catalog)

    def _memory(self, catalog: Catalog) -> Memory:
        if self._encoded is None or self._encoded[0] is not catalog:
            self._encoded = catalog, memory_of(catalog, self._base, self.settings)
        return self._encoded[1]

    def decide(self, view: DialogueView, rng: np.random.Generator) -> SystemTurn:
        """The next turn in the policy's own words."""
        stream = random.Random(int(rng.integers(1 << 62)))
        situation = spoken_situation(view)
        found = self._steps.run(READ, situation, Nothing(), view.turn + 1)
        state = state_of(situation, found)
        pending = situation.last_offer if state.last == "details" else -1
        query = search_text(view, state.taste)
        apart = view.offered & ~(1 << pending) if pending >= 0 else view.offered
        candidates = find_candidates(view, query, state.taste, self.settings, apart)
        if not candidates.items:
            return self._turn(view, situation, 0, _asking(view.catalog, 0), None)
        memory = self._memory(view.catalog)
        model = DialogueActs(
            candidates, state, view.turn, view.max_turns, memory, self.settings, pending
        )
        result = UCT(model, model, self.settings.uct()).search(stream, self.settings.simulations)
        trace = self._trace(candidates, state, result)
        domain = view.catalog.domain
        if result.action == domain.recommend:
            ranking = tuple(item for item in candidates.items if item != pending)[:CANDIDATES]
            return self._recommend(view, situation, state, ranking, query, trace)
        if result.action == domain.explain:
            given = Saying(act="explain", facet=None, either=[], matches=[])
            return self._turn(view, situation, domain.explain, given, trace)
        if result.action == domain.reflect:
            return self._clarify(view, situation, state, trace)
        given = _asking(view.catalog, result.action)
        return self._turn(view, situation, result.action, given, trace)

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
                given = _asking(catalog, f, "clarify", names)
                return self._turn(view, situation, f, given, trace)
        if catalog.domain.reflect not in situation.legal:
            return self._turn(view, situation, 0, _asking(catalog, 0), trace)
        given = _asking(catalog, state.complaint, "ask_instead")
        return self._turn(view, situation, catalog.domain.reflect, given, trace)

    def _turn(
        self,
        view: DialogueView,
        situation: Situation,
        action: int,
        given: Saying,
        trace: dict[str, object] | None,
    ) -> SystemTurn:
        words = self._steps.run(REALISE, situation, given, view.turn + 1)
        return SystemTurn(action, words.reply.strip(), trace=trace)

    def _recommend(
        self,
        view: DialogueView,
        situation: Situation,
        state: SpokenState,
        ranking: tuple[int, ...],
        query: str,
        trace: dict[str, object] | None,
    ) -> SystemTurn:
        named = names_met(view.catalog, ranking[0], state.taste)
        given = Saying(act="recommend", facet=None, either=[], matches=named)
        offer = replace(situation, candidates=ranking[:1])
        words = self._steps.run(REALISE, offer, given, view.turn + 1)
        action = view.catalog.domain.recommend
        return SystemTurn(action, words.reply.strip(), query, ranking, trace=trace)

    def _trace(
        self, candidates: Candidates, state: SpokenState, result: SearchResult
    ) -> dict[str, object] | None:
        if not self.settings.trace:
            return None
        catalog = candidates.catalog
        return {
            "named": state.taste.names(catalog),
            "candidates": [catalog.items[item].id for item in candidates.items[:CANDIDATES]],
            "shares": [round(share, 4) for share in candidates.weights[:CANDIDATES]],
            "actions": list(catalog.domain.actions),
            "tree": result.to_json(),
        }


def _asking(
    catalog: Catalog, facet: int, act: Act = "ask", either: list[str] | None = None
) -> Saying:
    name = catalog.domain.facets[facet].name if facet >= 0 else None
    return Saying(act=act, facet=name, either=either or [], matches=[])
