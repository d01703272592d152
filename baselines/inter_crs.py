"""InterCRS: one model call on the whole free-form dialogue decides and replies.

The single-call policy of the iEvaLM line (Wang et al. 2023; dreams Tables 2 and 5), against which
calls and seconds are counted. It reads what was said, the catalogue, what was offered, which acts
are legal now and the shared retriever; it never reads the tracked preferences or what was heard.
"""

from __future__ import annotations

from typing import Protocol

import numpy as np

from baselines.inter_crs_rules import embedded_decision
from dialogue.view import DialogueView, SystemTurn
from language.llm.asking import Asker
from language.prompts.single_call import (
    Decision,
    PolicyAnswer,
    Situation,
    policy_call,
    read_answer,
)
from retrieval.build import text_ranker
from retrieval.query import Query

CANDIDATES = 10
"""Items that the call chooses among: as many as a ranking may hold."""


class Player(Asker, Protocol):
    """Who may play the role ``policy`` (``language.llm.roles.Roles``)."""

    def is_model(self, role: str) -> bool:
        """Whether a language model plays a role."""
        ...


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
        if view.channel != "text":
            raise ValueError(
                f"inter_crs reads what was said, and channel={view.channel!r} has no texts; make "
                f"the environment with channel='text'"
            )

    def decide(self, view: DialogueView, rng: np.random.Generator) -> SystemTurn:
        """The next turn with the policy's own words."""
        query = "\n".join(text for _, text in view.transcript())
        situation = _situation(view, query)
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


def _situation(view: DialogueView, query: str) -> Situation:
    ranker = text_ranker(view.retriever, view.catalog)
    found = ranker.rank(Query(None, query), CANDIDATES, view.offered)
    mask = view.mask()
    mask[view.catalog.domain.recommend] &= bool(found)
    return Situation(
        catalog=view.catalog,
        lines=tuple((speaker, text) for speaker, text in view.transcript()),
        candidates=tuple(found),
        offered=view.offered,
        last_offer=view.offers[-1][0] if view.offers else -1,
        legal=tuple(action for action, legal in enumerate(mask) if legal),
    )
