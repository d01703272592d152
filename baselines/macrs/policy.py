"""The flow of MACRS: reflect, propose, choose."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np

from baselines.macrs.planning import PLAN, PlanGiven, Proposal, acts_so_far
from baselines.macrs.profile import PROFILE, Profile
from baselines.macrs.responders import ASK, CHAT, RECOMMEND, AskBrief, Brief
from baselines.macrs.settings import MACRSSettings
from baselines.macrs.strategy import NO_STRATEGY, STRATEGY, Strategy, StrategyGiven
from baselines.prompted import PromptedMethod
from baselines.retrieving import find_candidates
from baselines.steps import Nothing, Player, Step
from dialogue.view import DialogueView, SystemTurn
from language.prompts.single_call import Situation
from retrieval.situation import spoken_situation, whole_dialogue

STEPS: tuple[Step[Any, Any], ...] = (PROFILE, STRATEGY, ASK, RECOMMEND, CHAT, PLAN)
"""All model calls of the method."""


class MACRS(PromptedMethod, name="macrs", steps=STEPS):
    """Three rounds of calls a turn; the calls of a round do not wait for each other.

    1. Reflection: the profile from the whole dialogue and, where something was offered, the
       strategy. The profile's words search the catalogue, and its values order what they find.
    2. Proposals: of the agents whose act is legal.
    3. The planner's choice, which is said as it was proposed.

    Reflection reads the whole dialogue anew in each turn, so nothing is kept between turns.

    Args:
        settings: Constants.
        roles: Who plays the role ``policy``; None: embedded.
    """

    def __init__(self, settings: MACRSSettings, roles: Player | None = None) -> None:
        super().__init__(roles)
        self._settings = settings

    def decide(self, view: DialogueView, rng: np.random.Generator) -> SystemTurn:
        """The proposal that the planner chooses."""
        turn = view.turn + 1
        profile, strategy = self._reflect(spoken_situation(view), turn)
        query = profile.query() or whole_dialogue(view)
        situation = find_candidates(view, query, self._settings, profile.taste(view.catalog))
        proposals, item = self._propose(situation, profile, strategy, turn)
        given = PlanGiven(
            acts=acts_so_far(situation),
            turns_left=view.max_turns - view.turn,
            profile=profile,
            strategy=strategy,
            proposals=proposals,
            rules=self._settings.plan(),
        )
        plan = self._steps.run(PLAN, situation, given, turn)
        chosen = next(proposal for proposal in proposals if proposal.agent == plan.choice)
        made = SystemTurn(view.catalog.domain.actions.index(chosen.action), chosen.reply)
        if chosen.agent == "recommend":
            rest = (other for other in situation.candidates if other != item)
            made = replace(made, query=query, ranking=(item, *rest))
        return replace(made, trace=_trace(given, plan.reason)) if self._settings.trace else made

    def _reflect(self, situation: Situation, turn: int) -> tuple[Profile, Strategy]:
        def profile() -> Profile:
            return self._steps.run(PROFILE, situation, Nothing(), turn)

        def strategy() -> Strategy:
            if situation.last_offer < 0:
                return NO_STRATEGY
            given = StrategyGiven(rules=self._settings.failures())
            return self._steps.run(STRATEGY, situation, given, turn)

        jobs: list[Callable[[], Any]] = [profile, strategy]
        found = self._steps.map(lambda job: job(), jobs)
        return found[0], found[1]

    def _propose(
        self, situation: Situation, profile: Profile, strategy: Strategy, turn: int
    ) -> tuple[list[Proposal], int]:
        """Proposals of the agents whose act is legal, and the item that would be offered."""
        domain = situation.catalog.domain
        brief = Brief(profile=profile, strategy=strategy)
        offer = -1

        def ask() -> Proposal:
            given = AskBrief(profile=profile, strategy=strategy, rules=self._settings.questions())
            said = self._steps.run(ASK, situation, given, turn)
            return Proposal(agent="ask", action=said.action, reply=said.reply.strip())

        def recommend() -> Proposal:
            nonlocal offer
            said = self._steps.run(RECOMMEND, situation, brief, turn)
            offer = situation.candidates[said.item - 1]
            name = domain.actions[domain.recommend]
            return Proposal(agent="recommend", action=name, reply=said.reply.strip())

        def chat() -> Proposal:
            said = self._steps.run(CHAT, situation, brief, turn)
            name = domain.actions[domain.explain]
            return Proposal(agent="chat", action=name, reply=said.reply.strip())

        agents: list[Callable[[], Proposal]] = [ask]
        agents += [recommend] * (domain.recommend in situation.legal)
        agents += [chat] * (domain.explain in situation.legal)
        return self._steps.map(lambda agent: agent(), agents), offer


def _trace(given: PlanGiven, reason: str) -> dict[str, object]:
    seen = given.model_dump(mode="json", exclude={"rules", "turns_left", "acts"})
    return {**seen, "reason": reason}
