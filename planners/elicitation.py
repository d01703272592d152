"""ELNode: which action to take, by search over imagined conversations (dreams §4.2)."""

from __future__ import annotations

import random
from functools import partial
from itertools import count

from dialogue.state import PreferenceState
from dialogue.view import DialogueView, SharedRetriever
from language.llm.roles import Roles
from planners.dreams_model import ConversationEvaluator, ConversationModel, MakeImagined
from planners.dreams_settings import DreamsSettings
from planners.foresight import Foresight
from planners.hypotheses import Hypotheses
from planners.model_rollouts import ModelEvaluator, ModelImaginedUser
from planners.model_scorer import ModelScorer, summed
from planners.scorer import EmbeddedScorer
from planners.tools import PlannerTools
from rewards.total import Reward
from search import UCT, SearchResult
from search.lockstep import StepMap
from simulators.imagined import ImaginedUser


class ELNode:
    """Scores the actions of a view, and searches for the best.

    Args:
        tools: Of the view's catalogue.
        settings: Constants of Dreams.
        reward: The reward to plan for; rollouts run it on imagined goals.
        roles: Whether a language model plays ``score`` and ``imagine``.
    """

    def __init__(
        self, tools: PlannerTools, settings: DreamsSettings, reward: Reward, roles: Roles
    ) -> None:
        self._tools = tools
        self._settings = settings
        self._reward = reward
        self._roles = roles
        self._scorer = EmbeddedScorer(settings.scorer)

    def scores(self, view: DialogueView) -> list[float]:
        """The scorer's opinion of each action, without a search."""
        start = self._start(view)
        _, scores = self._root(start) or (0, self._scorer.scores(start))
        return scores

    def search(
        self, view: DialogueView, hypotheses: Hypotheses, offer: int, stream: random.Random
    ) -> SearchResult:
        """Search from a view.

        Args:
            view: The dialogue.
            hypotheses: What is assumed about the user.
            offer: Item that ItemRec would offer now, -1 where there is none.
            stream: Randomness of the rollouts.
        """
        settings, start = self._settings, self._start(view)
        on_model = self._roles.is_model("imagine")
        simulations = settings.simulations(on_model)
        ranks: SharedRetriever = self._tools.retriever
        if settings.retrieve == "history":
            ranks = self._tools.from_texts(start, view)
        later = None
        if settings.retrieve == "refined" and settings.foresight:
            goals, acceptance = hypotheses.goals, hypotheses.acceptance
            later = Foresight(start, self._tools.retriever, goals, acceptance)
        model = ConversationModel(
            start,
            hypotheses.goals,
            hypotheses.belief,
            self._reward,
            self._tools.seen,
            self._tools.vague,
            ranks,
            offer,
            settings.exact_outcomes,
            self._users(on_model),
            later,
        )
        make = ModelEvaluator if on_model else ConversationEvaluator
        evaluator = make(
            self._scorer,
            later or ranks,
            self._reward,
            settings.search.discount,
            settings.look,
            self._root(start),
        )
        step_map: StepMap = self._roles.map if on_model else map
        search = UCT(model, evaluator, settings.uct(simulations), step_map)
        return search.search(stream, simulations)

    def _users(self, on_model: bool) -> MakeImagined:
        if not on_model:
            return ImaginedUser
        rules = self._settings.scorer
        return partial(ModelImaginedUser, roles=self._roles, scorer=rules, numbers=count())

    def _start(self, view: DialogueView) -> DialogueView:
        """The view that actions are chosen from."""
        return view if self._settings.search_dislikes else _without_dislikes(view)

    def _root(self, start: DialogueView) -> tuple[int, list[float]] | None:
        """Turn and scores of the root, summed over m samples; None for one embedded sample."""
        samples = self._settings.m
        if self._roles.is_model("score"):
            scorer = ModelScorer(self._settings.scorer, self._roles, samples)
            return start.turn, scorer.scores(start)
        if samples == 1:
            return None
        return start.turn, summed([tuple(self._scorer.scores(start))] * samples)


def _without_dislikes(view: DialogueView) -> DialogueView:
    start = view.fork()
    empty = PreferenceState(len(view.asked))
    start.state.dislikes, start.state.doubts = empty.dislikes, empty.doubts
    return start
