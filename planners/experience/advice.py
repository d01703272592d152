"""The decision of a language model that is shown both cases: one call for action and query."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any

from dialogue.snapshot import preferences_state, view_state
from dialogue.state import PreferenceState
from dialogue.view import DialogueView
from language.llm.call import Call
from language.llm.roles import Roles
from language.prompts import advising, refining
from planners.experience.choice import Example, best, examples, weigh
from planners.experience.settings import EASettings
from planners.experience.similarity import Pair
from planners.exploitation import QueryNode
from planners.refiner import EmbeddedRefiner, Proposal, Refined, summarise
from planners.scorer import EmbeddedScorer
from planners.strategies import STRATEGIES
from retrieval.query import Query

NAMES = tuple(strategy.name for strategy in STRATEGIES)


@dataclass(frozen=True, slots=True)
class Advice:
    """A checked answer.

    Attributes:
        action: Legal action index.
        proposals: Refinements of the query, for ItemRec; fewer than asked for, or none, are fine.
    """

    action: int
    proposals: tuple[Proposal, ...]


class Advised:
    """A refiner that proposes what was advised (``planners.refiner.Refiner``)."""

    names = NAMES

    def __init__(self, state: PreferenceState, proposals: tuple[Proposal, ...]) -> None:
        self._state = state
        self._proposals = proposals

    def refine(
        self, query: Query, strategies: Sequence[str], depth: int, count: int
    ) -> Refined[PreferenceState]:
        """The advised refinements, whatever the query: they are of the EXNode's raw one."""
        return Refined(summarise(self._state), self._proposals[:count])


def embedded_proposals(
    view: DialogueView, action: int, query: Query, depth: int, count: int
) -> tuple[Proposal, ...]:
    """Refinements by rule, for an offer; none for another action."""
    if action != view.catalog.domain.recommend or count < 1 or depth < 1:
        return ()
    return EmbeddedRefiner(view.catalog).refine(query, NAMES, depth, count).proposals


def embedded_advice(
    view: DialogueView,
    successes: Sequence[Example],
    failures: Sequence[Example],
    query: Query | None,
    settings: EASettings,
) -> Advice:
    """What the rules say; a pure function of what a request to an endpoint holds."""
    priors = EmbeddedScorer(settings.prior).scores(view)
    actions = view.catalog.domain.actions
    action = best(weigh(actions, priors, successes, failures, settings.choice), priors)
    rules = settings.outlook.refinement
    if query is None:
        return Advice(action, ())
    return Advice(action, embedded_proposals(view, action, query, rules.depth, rules.iterations))


def ask_advice(
    view: DialogueView,
    facts: Mapping[str, float],
    pair: Pair,
    nodes: tuple[QueryNode, QueryNode] | None,
    settings: EASettings,
    roles: Roles,
) -> Advice:
    """Ask the role ``score`` with both cases; the rules stand in for a bad answer.

    Args:
        view: The dialogue.
        facts: Its facts (``planners.experience.facts``).
        pair: The cases.
        nodes: The EXNode's best query by rule and its root, the raw query; None when every item
            has been offered.
        settings: Constants.
        roles: Where the role is asked.
    """
    query = None if nodes is None else nodes[1].query
    rules = settings.outlook.refinement
    successes, failures = examples(pair, settings.choice.neighbours)
    call = Call(
        role="score",
        prompt=advising.PROMPT,
        messages=advising.messages(
            view,
            facts,
            [near.case for near in pair.successes[: settings.pairs]],
            [near.case for near in pair.failures[: settings.pairs]],
            "" if query is None else query.text,
            NAMES,
            rules.depth,
            rules.iterations,
        ),
        result=advising.AdviceResult,
        read=lambda answer: _read(view, answer, rules.depth, rules.iterations),
        inputs=lambda: {
            "catalog": dict(view.catalog.origin),
            "view": view_state(view, texts=False),
            "scorer": asdict(settings.prior),
            "cases": {
                "choice": asdict(settings.choice),
                "successes": [_plain(case) for case in successes],
                "failures": [_plain(case) for case in failures],
            },
            "query": _plain_query(query),
            "depth": rules.depth,
            "count": rules.iterations,
        },
        turn=view.turn + 1,
        max_tokens=150 + 250 * rules.iterations,
    )
    return roles.ask(call, lambda: embedded_advice(view, successes, failures, query, settings))


def _plain(case: Example) -> dict[str, Any]:
    return {"action": case.action, "search": dict(case.search), "distance": case.distance}


def _plain_query(query: Query | None) -> dict[str, Any] | None:
    if query is None or query.state is None:
        return None
    return {"preferences": preferences_state(query.state), "text": query.text}


def _read(view: DialogueView, answer: advising.AdviceResult, depth: int, count: int) -> Advice:
    catalog, state = view.catalog, view.state
    action = advising.read_action(view, answer.action)
    if action != catalog.domain.recommend:
        return Advice(action, ())
    refining.check_tree(answer.refinements, NAMES, depth, count)
    proposals = []
    for found in answer.refinements:
        refined = refining.read_refinement(catalog, state, found)
        proposals.append(Proposal(found.parent, found.strategy, Query(refined, found.query)))
    return Advice(action, tuple(proposals))


def write_advice(view: DialogueView, advice: Advice) -> dict[str, Any]:
    """Advice as a model would answer, in the shape of ``advising.AdviceResult``."""
    catalog = view.catalog
    refinements = []
    for found in advice.proposals:
        assert found.query.state is not None
        refinements.append(
            refining.write_refinement(
                catalog, found.parent, found.strategy, found.query.text, found.query.state
            )
        )
    return {"action": catalog.domain.actions[advice.action], "refinements": refinements}
