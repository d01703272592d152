"""Dreams without ELNode and preference state: all that it knows is what was said (dreams Table 4).

The next action is chosen directly, in one call of the role ``policy`` on the whole dialogue; what
the EXNode can still do without a state, it does on texts.
"""

from __future__ import annotations

from collections.abc import Callable

from dialogue.view import DialogueView, SystemTurn
from language.free_reading import free_reader
from language.llm.roles import Roles
from language.prompts.single_call import Decision, Situation
from planners.belief import load_profiles
from planners.dreams_settings import DreamsSettings
from planners.exploitation import QueryNode, tree_json
from planners.text_exploitation import TextEstimate, TextEXNode
from planners.text_refiner import EmbeddedTextRefiner, ModelTextRefiner
from planners.tools import PlannerTools
from retrieval.build import text_ranker
from retrieval.situation import read_situation, whole_dialogue, words_of_user

Choose = Callable[[DialogueView], Decision]
"""Direct choice of an action and its words, from what was said: one call of the role ``policy``."""


class FreeForm:
    """Decides from the texts; never reads tracked preferences or what was heard.

    The call that chooses also words the turn, as it is the only one that has the dialogue; an
    offer is worded by the environment, since its item is the EXNode's.

    Args:
        settings: Constants.
        roles: Whether a language model plays ``refine``.
        choose: The choice.
    """

    def __init__(self, settings: DreamsSettings, roles: Roles, choose: Choose) -> None:
        self._settings = settings
        self._roles = roles
        self._choose = choose
        profiles = load_profiles(settings.user_model)
        total = sum(profile.weight for profile in profiles)
        self._seen_rate = sum(p.weight * p.behaviour.seen for p in profiles) / total

    def decide(self, view: DialogueView, tools: PlannerTools) -> SystemTurn:
        """The next turn."""
        decision = self._choose(view)
        names = list(view.catalog.domain.actions)
        told: dict[str, object] = {"choice": {"chosen": decision.action, "actions": names}}
        if decision.action != view.catalog.domain.recommend:
            return SystemTurn(decision.action, decision.reply, trace=self._told(told))
        query = whole_dialogue(view)
        situation = read_situation(view, query)
        ranking = situation.candidates
        if self._settings.retrieve == "refined":
            best, root = self._refine(view, situation, tools)
            query, ranking = best.query.text, best.ranking
            tree = tree_json(root, view.catalog)
            told["exploitation"] = {"chosen": best.strategy, "tree": tree}
        return SystemTurn(decision.action, query=query, ranking=ranking, trace=self._told(told))

    def _told(self, trace: dict[str, object]) -> dict[str, object] | None:
        return trace if self._settings.trace else None

    def _refine(
        self, view: DialogueView, situation: Situation, tools: PlannerTools
    ) -> tuple[QueryNode, QueryNode]:
        catalog, lines, settings = view.catalog, situation.lines, self._settings
        refiner: EmbeddedTextRefiner | ModelTextRefiner = EmbeddedTextRefiner(catalog, lines)
        if self._roles.is_model("refine"):
            refiner = ModelTextRefiner(catalog, lines, self._roles, view.turn + 1)
        wishes = free_reader(catalog).wishes(words_of_user(lines))
        estimate = TextEstimate(catalog, wishes, settings.imagination, tools.seen, self._seen_rate)
        ranker = text_ranker(view.retriever, catalog)
        node = TextEXNode(catalog, ranker, estimate, settings.refinement, lines, refiner)
        return node.recommend(situation.offered)
