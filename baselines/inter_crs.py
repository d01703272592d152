"""InterCRS: one model call on the whole free-form dialogue decides and replies.

The single-call policy of the iEvaLM line (Wang et al. 2023; dreams Tables 2 and 5), against which
calls and seconds are counted. Kept: one call, the dialogue as the only context and as the query.
Adapted: the call names one of the environment's actions beside its words, and offers one of the
items that the dialogue retrieves, by number, so that nothing is offered that does not exist.

It reads what was said, the catalogue, what was offered, which acts are legal now and the shared
retriever; it never reads the tracked preferences or what was heard.
"""

from __future__ import annotations

import numpy as np

from baselines.inter_crs_rules import embedded_decision
from baselines.steps import Player
from dialogue.view import DialogueView, SystemTurn
from language.prompts.single_call import (
    Decision,
    PolicyAnswer,
    Situation,
    policy_call,
    read_answer,
)
from retrieval.situation import check_channel, read_situation, whole_dialogue


class InterCRS:
    """Decides, chooses and words each turn in one call of the role ``policy``.

    The whole dialogue is the query; the best items not offered yet are in the prompt, and the one
    that the model offers is put first in the ranking. Where the role is embedded, or a model's
    answer cannot be used, :func:`baselines.inter_crs_rules.embedded_decision` decides.

    One object may serve several dialogues at a time: it keeps nothing between turns.

    Args:
        roles: Who plays the role ``policy``; None: embedded.

    Attributes:
        asks: Roles that it asks for, where a language model plays them.
    """

    asks = ("policy",)

    def __init__(self, roles: Player | None = None) -> None:
        self._roles = roles

    def reset(self, view: DialogueView, rng: np.random.Generator) -> None:
        """Check that there are texts to read.

        Raises:
            ValueError: The environment has ``channel=acts``, whose dialogues have no texts.
        """
        check_channel(view, "inter_crs")

    def decide(self, view: DialogueView, rng: np.random.Generator) -> SystemTurn:
        """The next turn with the policy's own words."""
        query = whole_dialogue(view)
        situation = read_situation(view, query)
        decision = self._decision(situation, view.turn + 1)
        if decision.action != view.catalog.domain.recommend:
            return SystemTurn(decision.action, decision.reply)
        chosen = situation.candidates[decision.choice]
        rest = (item for item in situation.candidates if item != chosen)
        return SystemTurn(decision.action, decision.reply, query, (chosen, *rest))

    def _decision(self, situation: Situation, turn: int) -> Decision:
        def embedded() -> Decision:
            found = embedded_decision(
                situation.catalog, situation.lines, situation.candidates, situation.offered
            )
            return read_answer(situation, PolicyAnswer.model_validate(found))

        if self._roles is None or not self._roles.is_model("policy"):
            return embedded()
        return self._roles.ask(policy_call(situation, turn), embedded)
