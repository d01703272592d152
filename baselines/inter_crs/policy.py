"""InterCRS's flow: find candidates by the user's words, then one call."""

from __future__ import annotations

from typing import ClassVar

import numpy as np

from baselines.inter_crs.rules import embedded_decision
from baselines.inter_crs.settings import InterCRSSettings
from baselines.retrieving import find_candidates
from baselines.steps import Player
from dialogue.view import DialogueView, SystemTurn
from language.prompts.single_call import PROMPT, Decision, Situation, decision_of, policy_call
from retrieval.situation import check_channel, words_of_user


class InterCRS:
    """Decides, chooses and words each turn in one call of the role ``policy``.

    The best items not offered yet are in the prompt, and the one that the model offers is put first
    in the ranking. Where the role is embedded, or a model's answer cannot be used,
    :func:`baselines.inter_crs.rules.embedded_decision` decides.

    One object may serve several dialogues at a time: it keeps nothing between turns.

    Args:
        settings: Its constants.
        roles: Who plays the role ``policy``; None: embedded.

    Attributes:
        asks: Roles that it asks for, where a language model plays them.
        prompts: By role, its prompt.
    """

    asks: ClassVar[tuple[str, ...]] = ("policy",)
    prompts: ClassVar[dict[str, str]] = {"policy": PROMPT}

    def __init__(
        self, settings: InterCRSSettings | None = None, roles: Player | None = None
    ) -> None:
        self._roles = roles
        self._settings = settings or InterCRSSettings()
        self._rules = self._settings.rules()

    def reset(self, view: DialogueView, rng: np.random.Generator) -> None:
        """Check that there are texts to read.

        Raises:
            ValueError: The environment has ``channel=acts``, whose dialogues have no texts.
        """
        check_channel(view, "inter_crs")

    def decide(self, view: DialogueView, rng: np.random.Generator) -> SystemTurn:
        """The next turn with the policy's own words."""
        query = words_of_user(view.transcript())
        situation = self._situation(view, query)
        decision = self._decision(view, situation)
        if decision.action != view.catalog.domain.recommend:
            return SystemTurn(decision.action, decision.reply)
        chosen = situation.candidates[decision.choice]
        rest = (item for item in situation.candidates if item != chosen)
        return SystemTurn(decision.action, decision.reply, query, (chosen, *rest))

    def choose(self, view: DialogueView) -> Decision:
        """The call alone, for a method that offers an item by means of its own."""
        return self._decision(view, self._situation(view, words_of_user(view.transcript())))

    def _situation(self, view: DialogueView, query: str) -> Situation:
        return find_candidates(view, query, self._settings)

    def _decision(self, view: DialogueView, situation: Situation) -> Decision:
        left = view.max_turns - view.turn

        def embedded() -> Decision:
            return decision_of(situation, embedded_decision(situation, left, self._rules))

        if self._roles is None or not self._roles.is_model("policy"):
            return embedded()
        call = policy_call(situation, left, view.turn + 1, self._rules.model_dump(mode="json"))
        return self._roles.ask(call, embedded)
