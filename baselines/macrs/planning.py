"""The planner agent: which of the proposals is said, in view of the acts so far."""

from __future__ import annotations

from baselines.heard import hear
from baselines.macrs.profile import Profile
from baselines.macrs.strategy import Agent, Strategy
from baselines.questions import QuestionRules, open_questions
from baselines.steps import Shape, Step
from baselines.taste import Taste
from language.prompts.single_call import Situation

TASK = """\
You plan for a recommender of {nouns}. Three agents have each proposed what to say next: one asks, \
one recommends, one talks about the {noun} offered last. Choose one proposal.

You get the dialogue, the acts of the system so far ("acts"), the number of turns left, the user's \
profile, what was learnt from the last offer ("strategy"), and the proposals.

Ask while too little is known to tell the candidates apart, but not several times in a row: users \
tire of questions, and of offers that cannot be right. Offer when the best candidate stands out. \
Talk when the user asks about the last offer. In the last turn, only an offer can succeed.

Answer with:
- reason: in one sentence, what the dialogue needs now.
- choice: "ask", "recommend" or "chat": one that was proposed."""


class PlanRules(Shape):
    """Constants of the embedded planner.

    Attributes:
        row: Most questions in a row.
        known: Facets of which something must be known before the first offer.
        sure: Offer when at most this many candidates fit best.
        hurry: Level of impatience (1..3) from which on it only offers; 4 = never.
        questions: Which questions are left.
    """

    row: int
    known: int
    sure: int
    hurry: int
    questions: QuestionRules


class Proposal(Shape):
    """What an agent proposes: the name of an action and the words."""

    agent: Agent
    action: str
    reply: str


class PlanGiven(Shape):
    """What the planner is given."""

    acts: list[str]
    turns_left: int
    profile: Profile
    strategy: Strategy
    proposals: list[Proposal]
    rules: PlanRules


class Plan(Shape):
    """The planner's choice."""

    reason: str
    choice: Agent


def acts_so_far(situation: Situation) -> list[str]:
    """The system's acts in order, read off its own lines."""
    domain = situation.catalog.domain
    acts = []
    for move in hear(situation).moves:
        if move.item >= 0:
            acts.append("chat" if move.again else "recommend")
        else:
            acts.append(f"ask {domain.facets[move.facet].name}" if move.facet >= 0 else "ask")
    return acts


def plan_rules(situation: Situation, given: PlanGiven) -> Plan:
    """Talk when asked to; else what the strategy says; else ask until the best stands out."""
    choice, reason = _choose(situation, given)
    there = [proposal.agent for proposal in given.proposals]
    return Plan(reason=reason, choice=choice if choice in there else "ask")


def _choose(situation: Situation, given: PlanGiven) -> tuple[Agent, str]:
    heard, rules = hear(situation), given.rules
    taste = given.profile.taste(situation.catalog)
    if heard.asks_about_offer:
        return "chat", "The user asks about the offer."
    if given.turns_left <= 1 or heard.impatience >= rules.hurry:
        return "recommend", "There is little time left."
    if heard.streak >= rules.row:
        return "recommend", "There were enough questions in a row."
    if given.strategy.next is not None:
        return given.strategy.next, "The last offer failed."
    if not open_questions(situation.catalog, heard, taste, rules.questions):
        return "recommend", "No question is left."
    known = sum(map(bool, taste.wanted))
    if known < rules.known and not heard.offers:
        return "ask", "Too little is known."
    if _equals(situation, taste) <= rules.sure:
        return "recommend", "Few candidates are left."
    return "ask", "Several candidates fit equally."


def _equals(situation: Situation, taste: Taste) -> int:
    """Candidates that fit as well as the best."""
    fits = taste.fits(situation.catalog, situation.candidates)
    return sum(fit == max(fits) for fit in fits)


def _check(_situation: Situation, given: PlanGiven, answer: Plan) -> None:
    there = [proposal.agent for proposal in given.proposals]
    if answer.choice not in there:
        raise ValueError(f"the choice must be a proposal: {', '.join(there)}")


PLAN = Step("macrs/plan", 1, TASK, PlanGiven, Plan, plan_rules, check=_check)
"""The step: from proposals to a choice."""
