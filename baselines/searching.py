"""What the methods that search share: a state read off the dialogue, and acts put into words."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any, ClassVar

from baselines.act_words import Saying, Words
from baselines.candidates import BeliefSettings, Candidates
from baselines.extraction import Extraction, SpokenState, state_of
from baselines.item_words import names_met
from baselines.prompted import PromptedMethod
from baselines.steps import Nothing, Step
from dialogue.constants import check_constants
from dialogue.view import DialogueView, SystemTurn
from language.prompts.single_call import Situation
from retrieval.situation import CANDIDATES
from search import SearchResult, UCTSettings


@dataclass(frozen=True, slots=True)
class SearchSettings(BeliefSettings):
    """Constants of search and imagined dialogues; those of the belief over candidates included.

    Attributes:
        simulations: Of the search, per decision; 1..20000.
        depth: Plies of a simulation; 1..20.
        exploration: c of UCT; success pays 1; at least 0.
        discount: Of success, per turn; in [0, 1].
        answers: Chance that a question about a facet of which all wanted values count is answered.
        answers_one: The same for a facet where one value suffices.
        again: Factor on that chance per earlier question about the facet; in [0, 1].
        trace: Whether each searched turn records its state and tree.
    """

    simulations: int = 200
    depth: int = 3
    exploration: float = 0.5
    discount: float = 0.9
    answers: float = 0.85
    answers_one: float = 0.75
    again: float = 0.6
    trace: bool = False

    def __post_init__(self) -> None:
        """Check ranges.

        Raises:
            ValueError: A constant is out of range; the message names its key.
        """
        BeliefSettings.__post_init__(self)
        check_constants(
            self,
            {
                "simulations": (1, 20_000),
                "depth": (1, 20),
                "exploration": (0.0, 1000.0),
                **dict.fromkeys(("discount", "answers", "answers_one", "again"), (0.0, 1.0)),
            },
        )

    def uct(self) -> UCTSettings:
        """Constants of the search; the choice is the most visited act's."""
        return UCTSettings(
            exploration=self.exploration,
            discount=self.discount,
            depth=self.depth,
            w_tree=1.0,
            w_prior=0.0,
        )


class SearchingMethod(PromptedMethod):
    """A method that reads a state off the dialogue, searches, and words the chosen act.

    A subclass is made with ``read`` and ``word`` too, its steps for the first and the last.
    """

    _read: ClassVar[Step[Nothing, Extraction]]
    _word: ClassVar[Step[Saying, Words]]

    def __init_subclass__(
        cls, *, name: str, read: Step[Nothing, Extraction], word: Step[Saying, Words]
    ) -> None:
        """Name the method and its prompts."""
        super().__init_subclass__(name=name, steps=(read, word))
        cls._read, cls._word = read, word

    def state(self, situation: Situation, turn: int) -> SpokenState:
        """The state of the dialogue before a turn (1 is the first)."""
        return state_of(situation, self._steps.run(self._read, situation, Nothing(), turn))

    def said(
        self,
        view: DialogueView,
        situation: Situation,
        action: int,
        given: Saying,
        trace: dict[str, object] | None,
    ) -> SystemTurn:
        """A turn that offers nothing."""
        words = self._steps.run(self._word, situation, given, view.turn + 1)
        return SystemTurn(action, words.reply.strip(), trace=trace)

    def offered(
        self,
        view: DialogueView,
        situation: Situation,
        state: SpokenState,
        ranking: tuple[int, ...],
        query: str,
        trace: dict[str, object] | None,
    ) -> SystemTurn:
        """A turn that offers the first item of a ranking; of the others the words know nothing."""
        named = names_met(view.catalog, ranking[0], state.taste)
        given = Saying(act="recommend", facet=None, either=[], matches=named)
        offer = replace(situation, candidates=ranking[:1])
        made = self.said(view, offer, view.catalog.domain.recommend, given, trace)
        return replace(made, query=query, ranking=ranking)


def trace_of(
    candidates: Candidates, state: SpokenState, actions: list[str], result: SearchResult
) -> dict[str, Any]:
    """What was read, believed and searched, JSON-compatible."""
    catalog = candidates.catalog
    return {
        "named": state.taste.names(catalog),
        "candidates": [catalog.items[item].id for item in candidates.items[:CANDIDATES]],
        "shares": [round(share, 4) for share in candidates.weights[:CANDIDATES]],
        "actions": actions,
        "tree": result.to_json(),
    }
