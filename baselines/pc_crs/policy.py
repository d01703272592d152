"""PC-CRS's flow: decide, and where an item is spoken about, convince without untruth."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from baselines.pc_crs.settings import PCCRSSettings
from baselines.pc_crs.shapes import About, Constants, DecideIn, Doubted, Drafted, Framed
from baselines.pc_crs.steps import CHECK, DECIDE, EXPLAIN, REFINE, STEPS, STRATEGY
from baselines.prompted import PromptedMethod
from baselines.retrieving import find_candidates
from baselines.steps import Player
from dialogue.view import DialogueView, SystemTurn
from language.prompts.single_call import Situation, decision_of
from retrieval.situation import words_of_user


class Credible(NamedTuple):
    """An account of an item, and how it came about.

    Attributes:
        text: What goes out.
        trace: Strategy, drafts with what was false in each, and whether the last was found true.
    """

    text: str
    trace: dict[str, object]


class PCCRS(PromptedMethod, name="pc_crs", steps=STEPS):
    """Persuades credibly; see :mod:`baselines.pc_crs`. It keeps nothing between turns.

    Args:
        settings: Its constants.
        roles: Who plays the role ``policy``; None: embedded.
    """

    def __init__(self, settings: PCCRSSettings | None = None, roles: Player | None = None) -> None:
        super().__init__(roles)
        self._settings = settings or PCCRSSettings()
        self._constants = Constants.of(self._settings, questions=self._settings.questions())

    def decide(self, view: DialogueView, rng: np.random.Generator) -> SystemTurn:
        """The next turn in the policy's own words."""
        query = words_of_user(view.transcript())
        situation = find_candidates(view, query, self._settings)
        given = DecideIn(turns_left=view.max_turns - view.turn, rules=self._constants)
        turn = view.turn + 1
        decision = decision_of(situation, self._steps.run(DECIDE, situation, given, turn))
        domain = view.catalog.domain
        if decision.action not in (domain.recommend, domain.explain):
            return SystemTurn(decision.action, decision.reply)
        if decision.action == domain.explain:
            told = self._account(situation, situation.last_offer, True, turn)
            return SystemTurn(decision.action, told.text.strip(), trace=self._trace(told))
        chosen = situation.candidates[decision.choice]
        told = self._account(situation, chosen, False, turn)
        rest = (item for item in situation.candidates if item != chosen)
        return SystemTurn(
            decision.action, told.text.strip(), query, (chosen, *rest), trace=self._trace(told)
        )

    def _account(self, situation: Situation, item: int, offered: bool, turn: int) -> Credible:
        """An account under a fitting strategy, checked and rewritten until nothing is false.

        After the last rewriting that the settings allow, it goes out unchecked.
        """
        about = About(item=item, offered=offered)
        strategy = self._steps.run(STRATEGY, situation, about, turn).strategy
        framed = Framed(item=item, offered=offered, strategy=strategy)
        text = self._steps.run(EXPLAIN, situation, framed, turn).text
        drafts: list[dict[str, object]] = []
        credible = False
        for _ in range(self._settings.refinements):
            drafted = Drafted(item=item, offered=offered, text=text)
            checked = self._steps.run(CHECK, situation, drafted, turn)
            drafts.append({"text": text, "false": [c.model_dump() for c in checked.false]})
            credible = not checked.false
            if credible:
                break
            doubted = Doubted(**framed.model_dump(), text=text, false=checked.false)
            text = self._steps.run(REFINE, situation, doubted, turn).text
        return Credible(text, {"strategy": strategy, "drafts": drafts, "credible": credible})

    def _trace(self, told: Credible) -> dict[str, object] | None:
        return told.trace if self._settings.trace else None
