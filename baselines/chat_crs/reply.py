"""The conversation agent: the reply, and the item where the goal is an offer."""

from __future__ import annotations

from baselines.fitting import fit_action
from baselines.heard import hear
from baselines.item_words import account_of, label_of, offer_words
from baselines.questions import (
    Question,
    QuestionRules,
    open_questions,
    question_text,
    reflection_text,
)
from baselines.steps import Shape, Step
from baselines.taste import taste_of
from language.prompts.reply_checks import check_no_title, check_titles
from language.prompts.single_call import Situation

TASK = """\
You speak for a recommender of {nouns}. You get the dialogue, the goal of the turn that you word \
now, its topic, and knowledge: facts as {noun}, facet and value, those that the turn needs. The \
candidates are the {nouns} that the knowledge supports, best first, numbered.

The goals:
{actions}

Pursue the goal that is given, and no other. Say nothing about {article} {noun} that is neither in \
the knowledge nor in its entry. An offer is the candidate that has all that the user wants, as far \
as the dialogue and the knowledge tell.

Answer with:
- item: where the goal is ItemRec, the number of the candidate to offer; otherwise null.
- reply: what you say to the user, in one or two sentences. ItemRec and ItemExplanation name the \
title as written; the others name none."""


class ReplyGiven(Shape):
    """What the conversation agent is given."""

    goal: str
    topic: str
    knowledge: list[list[str]]
    rules: QuestionRules


class Reply(Shape):
    """The turn's words, and the number of the candidate that is offered, if one is."""

    item: int | None
    reply: str


def reply_rules(situation: Situation, given: ReplyGiven) -> Reply:
    """Words for the goal; an offer is the first candidate, praised with the knowledge about it."""
    catalog = situation.catalog
    domain = catalog.domain
    action = domain.actions.index(given.goal)
    if action == domain.recommend:
        item = situation.candidates[0]
        label = label_of(catalog, item)
        names = [value for title, _, value in given.knowledge if title == label]
        return Reply(item=1, reply=offer_words(catalog, item, names))
    if action == domain.explain:
        return Reply(item=None, reply=_explanation(situation, given))
    heard = hear(situation)
    if action == domain.reflect:
        failed = heard.just
        facet, value = (failed.facet, failed.value) if failed is not None else (-1, -1)
        return Reply(item=None, reply=reflection_text(catalog, facet, value))
    taste = taste_of(catalog, heard)
    questions = open_questions(catalog, heard, taste, given.rules)
    question = next((q for q in questions if q.facet == action), Question(action, "more"))
    return Reply(item=None, reply=question_text(catalog, taste, question))


def _explanation(situation: Situation, given: ReplyGiven) -> str:
    catalog, item = situation.catalog, situation.last_offer
    label = label_of(catalog, item)
    known = {facet: None for title, facet, _ in given.knowledge if title == label}
    facts = "; ".join(
        f"{facet}: {', '.join(v for t, f, v in given.knowledge if (t, f) == (label, facet))}"
        for facet in known
    )
    return account_of(catalog, item, facts)


def _check(situation: Situation, given: ReplyGiven, answer: Reply) -> None:
    domain = situation.catalog.domain
    count = len(situation.candidates)
    action = domain.actions.index(given.goal)
    if action == domain.explain:
        check_titles(situation, situation.last_offer, answer.reply)
    elif action != domain.recommend:
        check_no_title(situation, answer.reply)
    elif answer.item is None or not 1 <= answer.item <= count:
        raise ValueError(f"the item must be the number of a candidate, 1 to {count}")
    else:
        check_titles(situation, situation.candidates[answer.item - 1], answer.reply)


def _fits(situation: Situation, given: ReplyGiven) -> None:
    fit_action(situation, given.goal, "given.goal")
    for triple in given.knowledge:
        if len(triple) != 3:
            raise ValueError(f"given.knowledge: {len(triple)} names are no item, facet and value")


REPLY = Step("chat_crs/reply", 1, TASK, ReplyGiven, Reply, reply_rules, check=_check, fits=_fits)
"""The step: from goal and knowledge to the turn's words."""
