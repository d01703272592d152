"""The responder agents: each proposes what to say, from the whole dialogue, in its own act."""

from __future__ import annotations

from baselines.fitting import fit_candidates, fit_offer
from baselines.heard import hear
from baselines.item_words import account_of, names_met, offer_words
from baselines.macrs.profile import Profile
from baselines.macrs.strategy import Strategy
from baselines.questions import (
    Question,
    QuestionRules,
    open_questions,
    question_text,
    reflection_text,
)
from baselines.steps import Shape, Step
from language.prompts.reply_checks import check_no_title, check_titles
from language.prompts.single_call import Situation, legal_names

_TEAM = """\
You are one of three agents of a recommender of {nouns}; a planner will choose between what you \
propose and what the others propose. You get the dialogue, the user's profile, and what was learnt \
from the last offer ("strategy"), with advice to you.
"""

ASK_TASK = (
    _TEAM
    + """
You ask. Propose the one question whose answer would tell most about which {noun} will do. Do not \
ask what the user has answered, or has nothing more to say about. After a rejection, \
FailureReflection (where it is allowed) names what was wrong and asks what to have instead.

Your actions: those of these that are allowed, but not ItemRec and not ItemExplanation.
{actions}

Answer with:
- action: the name of the action.
- reply: the question as you would put it to the user, in one or two sentences, without a title."""
)

RECOMMEND_TASK = (
    _TEAM
    + """
You recommend. Propose the candidate that fits the profile best; only {article} {noun} that has \
everything the user wants will do.

Answer with:
- item: the number of the candidate.
- reply: the offer as you would put it to the user, in one or two sentences, with the title as \
written. Claim nothing that the candidate's entry does not say."""
)

CHAT_TASK = (
    _TEAM
    + """
You keep the conversation going: you talk about the {noun} offered last, so that the user can make \
up their mind. Use its entry only, and stay with what the user cares about.

Answer with:
- reply: what you would say, in one to three sentences, with the title as written."""
)


class Brief(Shape):
    """What an agent is given."""

    profile: Profile
    strategy: Strategy


class AskBrief(Brief):
    """What the asking agent is given."""

    rules: QuestionRules


class Asking(Shape):
    """A question proposed, and the action that it is."""

    action: str
    reply: str


class Recommending(Shape):
    """An offer proposed: the number of a candidate, from 1."""

    item: int
    reply: str


class Talking(Shape):
    """Talk about the last offer proposed."""

    reply: str


def ask_rules(situation: Situation, given: AskBrief) -> Asking:
    """After a failure, ask about what failed; otherwise the best open question."""
    catalog, heard = situation.catalog, hear(situation)
    domain, taste = catalog.domain, given.profile.taste(catalog)
    failed = heard.just
    if failed is not None and domain.reflect in situation.legal:
        text = reflection_text(catalog, failed.facet, failed.value)
        return Asking(action=domain.actions[domain.reflect], reply=text)
    questions = open_questions(catalog, heard, taste, given.rules)
    least = heard.asked.index(min(heard.asked))
    question = questions[0] if questions else Question(least, "more")
    return Asking(
        action=domain.facets[question.facet].inquiry, reply=question_text(catalog, taste, question)
    )


def recommend_rules(situation: Situation, given: Brief) -> Recommending:
    """The first candidate: they come by the profile."""
    catalog, item = situation.catalog, situation.candidates[0]
    names = names_met(catalog, item, given.profile.taste(catalog))
    return Recommending(item=1, reply=offer_words(catalog, item, names))


def chat_rules(situation: Situation, _given: Brief) -> Talking:
    """The facts of the last offer."""
    return Talking(reply=account_of(situation.catalog, situation.last_offer))


def _check_ask(situation: Situation, _given: AskBrief, answer: Asking) -> None:
    domain = situation.catalog.domain
    names = [
        name for name in legal_names(situation) if domain.actions.index(name) <= domain.reflect
    ]
    if answer.action not in names:
        raise ValueError(f"the action must be one of {', '.join(names)}")
    check_no_title(situation, answer.reply)


def _check_recommend(situation: Situation, _given: Brief, answer: Recommending) -> None:
    count = len(situation.candidates)
    if not 1 <= answer.item <= count:
        raise ValueError(f"the item must be the number of a candidate, 1 to {count}")
    check_titles(situation, situation.candidates[answer.item - 1], answer.reply)


def _check_chat(situation: Situation, _given: Brief, answer: Talking) -> None:
    check_titles(situation, situation.last_offer, answer.reply)


ASK = Step("macrs/ask", 1, ASK_TASK, AskBrief, Asking, ask_rules, check=_check_ask)
RECOMMEND = Step(
    "macrs/recommend", 1, RECOMMEND_TASK, Brief, Recommending, recommend_rules,
    check=_check_recommend, fits=lambda situation, _: fit_candidates(situation),
)  # fmt: skip
CHAT = Step(
    "macrs/chat", 1, CHAT_TASK, Brief, Talking, chat_rules, check=_check_chat,
    fits=lambda situation, _: fit_offer(situation),
)  # fmt: skip
