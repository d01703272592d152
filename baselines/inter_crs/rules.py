"""InterCRS without a model: one decision by rules on what the dialogue's words tell."""

from __future__ import annotations

from typing import Annotated

from pydantic import Field

from baselines.failures import FailureRules
from baselines.heard import Heard, hear
from baselines.item_words import account_of, names_met, offer_words
from baselines.questions import (
    Question,
    QuestionRules,
    open_questions,
    question_text,
    reflection_text,
)
from baselines.steps import Shape
from baselines.taste import Taste, taste_of
from language.prompts.single_call import PolicyAnswer, Situation

Count = Annotated[int, Field(ge=0)]


class DecisionRules(Shape):
    """Constants of the decision; see :class:`baselines.inter_crs.settings.InterCRSSettings`."""

    opening: Count
    between: Count
    enough: Count
    sure: Count
    hurry: Count
    late: Count
    failures: FailureRules
    questions: QuestionRules


def embedded_decision(situation: Situation, turns_left: int, rules: DecisionRules) -> PolicyAnswer:
    """What to do next, and the words for it; a pure function, and always legal.

    1. The user asks about the last offer, which was not explained yet: explain it.
    2. The user did not take an offer: ask what to have instead, unless time is short.
    3. Too little is known, and asking is not tiring yet: ask what is most worth asking.
    4. Offer the candidate with the most of what the user named.

    Args:
        situation: What is known.
        turns_left: Turns that are left, this one included.
        rules: Constants.
    """
    catalog, heard = situation.catalog, hear(situation)
    domain, taste = catalog.domain, taste_of(catalog, heard)
    if domain.explain in situation.legal and heard.asks_about_offer:
        return _answer(situation, domain.explain, account_of(catalog, situation.last_offer))
    asking = turns_left > rules.late and heard.impatience < rules.hurry
    failed = heard.just
    if failed is not None and rules.failures.next(failed) == "recommend":
        asking = False
    if failed is not None and asking and domain.reflect in situation.legal:
        text = reflection_text(catalog, failed.facet, failed.value)
        return _answer(situation, domain.reflect, text)
    fits = taste.fits(catalog, situation.candidates)
    questions = open_questions(catalog, heard, taste, rules.questions)
    if asking and questions and _asks(heard, taste, fits, rules):
        return _ask(situation, taste, questions[0])
    if fits and domain.recommend in situation.legal:
        return _offer(situation, taste, fits.index(max(fits)))
    return _ask(situation, taste, questions[0] if questions else Question(0, "more"))


def _asks(heard: Heard, taste: Taste, fits: list[float], rules: DecisionRules) -> bool:
    """Whether a question may still tell the candidates apart, and is not one too many."""
    most = rules.between if heard.offers else rules.opening
    known = sum(len(values) for values in taste.wanted)
    equals = fits.count(max(fits, default=0.0))
    return heard.streak < most and known < rules.enough and equals > rules.sure


def _offer(situation: Situation, taste: Taste, place: int) -> PolicyAnswer:
    catalog, item = situation.catalog, situation.candidates[place]
    text = offer_words(catalog, item, names_met(catalog, item, taste))
    return _answer(situation, catalog.domain.recommend, text, place + 1)


def _ask(situation: Situation, taste: Taste, question: Question) -> PolicyAnswer:
    text = question_text(situation.catalog, taste, question)
    return _answer(situation, question.facet, text)


def _answer(situation: Situation, action: int, reply: str, item: int | None = None) -> PolicyAnswer:
    names = situation.catalog.domain.actions
    return PolicyAnswer(action=names[action], item=item, reply=reply)
