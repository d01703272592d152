"""The flow of ChatCRS: a goal, knowledge, the reply."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np

from baselines.chat_crs.goal import GOAL, GoalGiven, PlannedGoal
from baselines.chat_crs.knowledge import (
    KNOWLEDGE,
    Followed,
    Picks,
    entities_of,
    follow,
    mentioned,
    triples,
)
from baselines.chat_crs.reply import REPLY, Reply, ReplyGiven
from baselines.chat_crs.settings import ChatCRSSettings
from baselines.heard import hear
from baselines.prompted import PromptedMethod
from baselines.retrieving import find_candidates
from baselines.steps import Player, Step
from dialogue.view import DialogueView, SystemTurn
from language.prompts.single_call import Situation
from retrieval.situation import spoken_situation, whole_dialogue

STEPS: tuple[Step[Any, Any], ...] = (GOAL, KNOWLEDGE, REPLY)
"""All model calls of the method."""


class ChatCRS(PromptedMethod, name="chat_crs", steps=STEPS):
    """Three calls a turn, of which the first two do not wait for each other.

    1. The goal of the turn, from the dialogue.
    2. The relations to follow from the entities that the dialogue mentions. The names of what is
       sought search the catalogue, and the triples that lead to an item order what they find.
    3. The reply, from dialogue, goal and triples, with the item where the goal is an offer.

    Nothing is kept between turns.

    Args:
        settings: Constants.
        roles: Who plays the role ``policy``; None: embedded.
    """

    def __init__(self, settings: ChatCRSSettings, roles: Player | None = None) -> None:
        super().__init__(roles)
        self._settings = settings

    def decide(self, view: DialogueView, rng: np.random.Generator) -> SystemTurn:
        """The turn that the conversation agent words for the planned goal."""
        turn, catalog = view.turn + 1, view.catalog
        bare = spoken_situation(view)
        goal, followed = self._plan(bare, view.max_turns - view.turn, turn)
        query = ", ".join(followed.taste.names(catalog)) or whole_dialogue(view)
        situation = find_candidates(view, query, self._settings, followed.taste)
        given = ReplyGiven(
            goal=goal.goal,
            topic=goal.topic,
            knowledge=triples(situation, followed, self._settings.triples),
            rules=self._settings.questions(),
        )
        reply = self._steps.run(REPLY, situation, given, turn)
        made = _turn(situation, given, reply, query)
        return replace(made, trace=_trace(given, goal)) if self._settings.trace else made

    def _plan(self, bare: Situation, turns_left: int, turn: int) -> tuple[PlannedGoal, Followed]:
        """The goal, and where the knowledge agent's relations lead."""
        heard, n_facets = hear(bare), bare.catalog.domain.n_facets
        entities = entities_of(heard)

        def goal() -> PlannedGoal:
            given = GoalGiven(turns_left=turns_left, rules=self._settings.goal())
            return self._steps.run(GOAL, bare, given, turn)

        def picks() -> Picks:
            if not entities:
                return Picks(picks=[])
            return self._steps.run(KNOWLEDGE, bare, mentioned(bare.catalog, entities), turn)

        jobs: list[Callable[[], Any]] = [goal, picks]
        found = self._steps.map(lambda job: job(), jobs)
        unclear = [heard.unclear(f) for f in range(n_facets)]
        return found[0], follow(bare.catalog, entities, found[1], unclear)


def _turn(situation: Situation, given: ReplyGiven, reply: Reply, query: str) -> SystemTurn:
    domain = situation.catalog.domain
    action = domain.actions.index(given.goal)
    made = SystemTurn(action, reply.reply.strip())
    if action != domain.recommend or reply.item is None:
        return made
    item = situation.candidates[reply.item - 1]
    rest = (other for other in situation.candidates if other != item)
    return replace(made, query=query, ranking=(item, *rest))


def _trace(given: ReplyGiven, goal: PlannedGoal) -> dict[str, object]:
    return {**goal.model_dump(mode="json"), "knowledge": given.knowledge}
