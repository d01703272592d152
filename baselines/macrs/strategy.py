"""Strategy-level reflection: why offers failed, and what each agent should do about it."""

from __future__ import annotations

from typing import Literal

from baselines.failures import FailureRules
from baselines.heard import Rejection, hear
from baselines.steps import Shape, Step
from language.prompts.single_call import Situation

TASK = """\
You coach the agents of a recommender of {nouns}. One asks questions, one recommends, one talks \
about the {noun} offered last, and a planner chooses whose words are said.

Read the dialogue from the last offer on, and before it what led to the offer. If the user turned \
it down, work out why: something about it was unwanted, too little was known, or the user only had \
seen it before. Then tell each agent in one short sentence what to do differently from now on. If \
the user has not turned it down, say that there is nothing to change.

The facets of {article} {noun}:
{facets}

Answer with:
- cause: why the last offer failed, in one sentence; empty if it did not fail.
- facet: name of the facet that it failed by, or null.
- next: the agent whose turn it is now: "ask", "recommend" or "chat"; null if it did not fail.
- ask, recommend, chat, planner: advice to each."""

Agent = Literal["ask", "recommend", "chat"]


class StrategyGiven(Shape):
    """What the reflection is given: to its rules, whose turn it is after a failure."""

    rules: FailureRules


class Strategy(Shape):
    """What was learnt from the last offer."""

    cause: str
    facet: str | None
    next: Agent | None
    ask: str
    recommend: str
    chat: str
    planner: str


NO_STRATEGY = Strategy(cause="", facet=None, next=None, ask="", recommend="", chat="", planner="")
"""While no offer has failed."""

SEEN = "The user has seen it before; the taste may have been right."
BLIND = "The user gave no reason; too little is known."
REASON = "The user complained about the {facet}."


def strategy_rules(situation: Situation, given: StrategyGiven) -> Strategy:
    """The reason of the rejection in the user's last words, and whose turn it is."""
    failed = hear(situation).just
    if failed is None:
        return NO_STRATEGY
    facet = situation.catalog.domain.facets[failed.facet].name if failed.facet >= 0 else None
    return Strategy(
        cause=_cause(failed, facet),
        facet=facet,
        next=given.rules.next(failed),
        ask="Ask what to have instead." if facet is None else f"Ask which {facet} instead.",
        recommend="Offer one that is like it." if failed.seen else "Avoid what was unwanted.",
        chat="Leave it.",
        planner="Learn more before the next offer." if not failed.seen else "Offer another one.",
    )


def _cause(failed: Rejection, facet: str | None) -> str:
    if failed.seen:
        return SEEN
    return BLIND if facet is None else REASON.format(facet=facet)


def _check(situation: Situation, _given: StrategyGiven, answer: Strategy) -> None:
    names = [facet.name for facet in situation.catalog.domain.facets]
    if answer.facet is not None and answer.facet not in names:
        raise ValueError(f"the facet must be null or one of {', '.join(names)}")


STRATEGY = Step(
    "macrs/strategy", 1, TASK, StrategyGiven, Strategy, strategy_rules, check=_check,
    max_tokens=500,
)  # fmt: skip
"""The step: from the dialogue with an offer in it to advice."""
