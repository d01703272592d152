"""RA-CRS's flow: make the state anew, choose an act by priority, retrieve, and say it."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, get_args

import numpy as np

from baselines.item_words import label_of
from baselines.prompted import PromptedMethod
from baselines.ra_crs.acts import Act, Course, Name, alternatives, choose_act
from baselines.ra_crs.passages import passages_of
from baselines.ra_crs.retrieval import retrieve
from baselines.ra_crs.settings import RACRSSettings
from baselines.ra_crs.shapes import (
    Asking,
    Constraints,
    Intents,
    Known,
    Offered,
    Patience,
    Purpose,
    Retrieved,
    Stances,
    Utterance,
)
from baselines.ra_crs.state import Constraint, Reaction, Refusal, State
from baselines.ra_crs.steps import ANSWER, ASK, EXPLAIN, HARD, INTENTS, ITEMS, QUERY, SOFT, STEPS
from baselines.steps import Nothing, Player
from baselines.told import moves_of, streak_of
from baselines.utterances import facet_of
from catalogs.catalog import Catalog
from dialogue.view import DialogueView, SystemTurn
from language.prompts.single_call import Situation
from retrieval.situation import spoken_situation

REACTIONS = get_args(Reaction)
PURPOSES: Mapping[Name, Purpose] = {
    "reflect": "instead",
    "clarify": "which",
    "request": "missing",
    "elaborate": "more",
}
"""Acts that are questions, and what they are asked for."""


class RACRS(PromptedMethod, name="ra_crs", steps=STEPS):
    """Decides by priorities over a JSON state; see :mod:`baselines.ra_crs`.

    It keeps nothing between turns: the state is made from the dialogue's text each time.

    Args:
        settings: Its constants.
        roles: Who plays the role ``policy``; None: embedded.
    """

    def __init__(self, settings: RACRSSettings | None = None, roles: Player | None = None) -> None:
        super().__init__(roles)
        self._settings = settings or RACRSSettings()
        self._utterance = Utterance(rules=Patience.of(self._settings))

    def decide(self, view: DialogueView, rng: np.random.Generator) -> SystemTurn:
        """The next turn in the policy's own words."""
        domain, turn = view.catalog.domain, view.turn + 1
        situation = spoken_situation(view)
        state = self._state(view, situation, turn)
        course = course_of(situation, view.max_turns - view.turn)
        act = choose_act(view.catalog, state, course, self._settings)
        if act.name == "recommend":
            return self._offer(view, situation, state, turn)
        if act.name == "answer":
            given = self._retrieved(situation, situation.last_offer, state, "")
            told = self._steps.run(ANSWER, situation, given, turn)
            return SystemTurn(domain.explain, told.text.strip(), trace=self._trace(state, act))
        asked = self._steps.run(ASK, situation, asking(view.catalog, state, act), turn)
        action = domain.reflect if act.name == "reflect" else act.facet
        return SystemTurn(action, asked.text.strip(), trace=self._trace(state, act))

    def _state(self, view: DialogueView, situation: Situation, turn: int) -> State:
        """The state, each part by a call of its own; none needs another's answer."""
        offers = [item for item, _ in view.offers]

        def reactions() -> Stances:
            if not offers:
                return Stances(reactions=[])
            return self._steps.run(ITEMS, situation, Offered(offers=offers), turn)

        jobs: list[Callable[[], Any]] = [
            lambda: self._steps.run(INTENTS, situation, self._utterance, turn),
            lambda: self._steps.run(HARD, situation, Nothing(), turn),
            lambda: self._steps.run(SOFT, situation, Nothing(), turn),
            reactions,
        ]
        intents, hard, soft, stances = self._steps.map(lambda job: job(), jobs)
        labels = [label_of(view.catalog, item) for item in offers]
        return assemble(view.catalog, intents, hard, soft, stances, labels)

    def _offer(
        self, view: DialogueView, situation: Situation, state: State, turn: int
    ) -> SystemTurn:
        query = self._steps.run(QUERY, situation, Known(state=state), turn).query
        ranking = retrieve(view, state, query, self._settings)
        given = self._retrieved(situation, ranking[0], state, query)
        told = self._steps.run(EXPLAIN, situation, given, turn)
        trace = self._trace(state, Act("recommend", -1))
        return SystemTurn(
            view.catalog.domain.recommend, told.text.strip(), query, ranking, trace=trace
        )

    def _retrieved(self, situation: Situation, item: int, state: State, query: str) -> Retrieved:
        """The item with those of its passages that match the query; without one, all."""
        found = passages_of(situation.catalog).best(item, query, self._settings.fuse)
        passages = [text for score, text in found if score > 0 or not query]
        return Retrieved(item=item, passages=passages, state=state)

    def _trace(self, state: State, act: Act) -> dict[str, object] | None:
        if not self._settings.trace:
            return None
        return {"state": state.model_dump(mode="json"), "act": act.name, "facet": act.facet}


def assemble(
    catalog: Catalog,
    intents: Intents,
    hard: Constraints,
    soft: Constraints,
    stances: Stances,
    labels: Sequence[str],
) -> State:
    """The JSON state from its parts; facets that were called by their nouns get their names.

    Args:
        catalog: The items.
        intents: Of the last utterance.
        hard: Constraints that must be met.
        soft: Constraints that had better be met.
        stances: Reactions to offers.
        labels: Of the offers, in order.
    """
    final = {stance.offer: stance for stance in stances.reactions}
    of = {name: [n for n in sorted(final) if final[n].reaction == name] for name in REACTIONS}
    return State(
        intents=intents.intents,
        hard=[_named(catalog, constraint) for constraint in hard.constraints],
        soft=[_named(catalog, constraint) for constraint in soft.constraints],
        settled=intents.settled,
        current=labels[-1] if labels else None,
        accepted=[labels[n - 1] for n in of["accepted"]],
        rejected=[
            Refusal(item=labels[n - 1], facet=final[n].facet, value=final[n].value)
            for n in of["rejected"]
        ],
        known=[labels[n - 1] for n in of["known"]],
    )


def _named(catalog: Catalog, constraint: Constraint) -> Constraint:
    facet = facet_of(catalog, constraint.facet)
    name = constraint.facet if facet < 0 else catalog.domain.facets[facet].name
    return Constraint(facet=name, value=constraint.value, wanted=constraint.wanted)


def course_of(situation: Situation, left: int) -> Course:
    """What the system did so far, read off its own lines, and the turns that are left."""
    moves = moves_of(situation.catalog, situation.lines, situation.offered).values()
    facets = range(situation.catalog.domain.n_facets)
    return Course(
        asked=tuple(sum(move.facet == f for move in moves) for f in facets),
        streak=streak_of(moves),
        offers=sum(move.item >= 0 and not move.again for move in moves),
        explained=any(move.again and move.item == situation.last_offer for move in moves),
        left=left,
        legal=frozenset(situation.legal),
    )


def asking(catalog: Catalog, state: State, act: Act) -> Asking:
    """What to ask about for an act that is a question."""
    name = catalog.domain.facets[act.facet].name
    known = alternatives(catalog, state, act.facet)
    if act.name != "clarify":
        known = [c.value for c in state.hard if c.facet == name and c.wanted]
    return Asking(purpose=PURPOSES[act.name], facet=act.facet, known=known, state=state)
