"""The goal planning agent: what the next turn is for, from the free-form dialogue alone."""

from __future__ import annotations

from baselines.failures import FailureRules
from baselines.heard import Heard, hear
from baselines.item_words import label_of
from baselines.questions import QuestionRules, open_questions
from baselines.steps import Shape, Step
from baselines.taste import Taste, taste_of
from language.prompts.single_call import Situation, legal_names

TASK = """\
You plan the goals of a recommender of {nouns}. Read the dialogue and predict the goal of its next \
turn. Another agent looks up facts, and a third one words the turn; you only set the goal.

The goals:
{actions}

Ask about a facet while too little was said to choose {article} {noun}, but not several times in \
a row: users tire of it. Offer once enough was said. Explain when the user asks about the last \
offer. After a rejection, find out what was wrong, or offer something else if the {noun} was only \
seen before. In the last turn, only an offer can succeed.

Answer with:
- reason: in one sentence, what the dialogue needs now.
- goal: one of the allowed actions.
- topic: what the turn is about (a facet, or a name or title that was mentioned); may be empty."""


class GoalRules(Shape):
    """Constants of the embedded goal planner.

    Attributes:
        row: Most questions in a row.
        enough: Values to know before the first offer.
        between: Values to know before later offers are made without a question between them.
        hurry: Level of impatience (1..3) from which on it only offers; 4 = never.
        failures: What follows a rejection.
        questions: Which questions are left, and their order.
    """

    row: int
    enough: int
    between: int
    hurry: int
    failures: FailureRules
    questions: QuestionRules


class GoalGiven(Shape):
    """What the goal planner is given."""

    turns_left: int
    rules: GoalRules


class PlannedGoal(Shape):
    """The goal of the next turn: the name of an action, and what it is about."""

    reason: str
    goal: str
    topic: str


def goal_rules(situation: Situation, given: GoalGiven) -> PlannedGoal:
    """Explain when asked to; after a failure ask what was wrong; else ask until enough is known."""
    catalog, heard = situation.catalog, hear(situation)
    domain = catalog.domain
    legal = situation.legal
    taste = taste_of(catalog, heard)
    if domain.explain in legal and heard.asks_about_offer:
        label = label_of(catalog, situation.last_offer)
        return _planned(situation, domain.explain, label, "The user asks about the offer.")
    if domain.recommend in legal and _offers(situation, given, heard, taste):
        return _planned(situation, domain.recommend, "", "It is time for an offer.")
    if heard.just is not None and domain.reflect in legal:
        topic = domain.facets[heard.just.facet].name if heard.just.facet >= 0 else ""
        return _planned(situation, domain.reflect, topic, "The last offer failed.")
    questions = open_questions(catalog, heard, taste, given.rules.questions)
    facet = questions[0].facet if questions else heard.asked.index(min(heard.asked))
    return _planned(situation, facet, domain.facets[facet].name, "Too little is known.")


def _offers(situation: Situation, given: GoalGiven, heard: Heard, taste: Taste) -> bool:
    rules, failed = given.rules, heard.just
    if given.turns_left <= 1 or heard.impatience >= rules.hurry or heard.streak >= rules.row:
        return True
    if failed is not None:
        return rules.failures.next(failed) == "recommend"
    known = sum(map(len, taste.wanted))
    enough = rules.between if heard.offers else rules.enough
    return known >= enough or not open_questions(situation.catalog, heard, taste, rules.questions)


def _planned(situation: Situation, action: int, topic: str, reason: str) -> PlannedGoal:
    return PlannedGoal(reason=reason, goal=situation.catalog.domain.actions[action], topic=topic)


def _check(situation: Situation, _given: GoalGiven, answer: PlannedGoal) -> None:
    names = legal_names(situation)
    if answer.goal not in names:
        raise ValueError(f"the goal must be one of {', '.join(names)}")


GOAL = Step("chat_crs/goal", 1, TASK, GoalGiven, PlannedGoal, goal_rules, check=_check)
"""The step: from the dialogue to the next turn's goal."""
