"""What is left to ask about, and in which order: rules for methods that keep no state."""

from __future__ import annotations

from typing import Literal, NamedTuple

from baselines.heard import Heard
from baselines.steps import Shape
from baselines.taste import Taste
from catalogs.catalog import Catalog
from language.prompts.facts import encodable

ASK = "Which {plural} would you like?"
ASK_MORE = "You said {names}. Which other {plural} would you like?"
CLARIFY = "Do you mean {names}? Which {singular} is it?"
INSTEAD = "I see, a different {singular}. Which {plural} would you like instead?"
INSTEAD_OF = "I see, {name} was not for you. Which {plural} would you like instead?"
INSTEAD_OF_ALL = "That was not it, then. What should the next {noun} have?"


class QuestionRules(Shape):
    """Constants of the order.

    Attributes:
        people_first: Ask about people before other facets: a name tells items apart best.
        clarify_first: Ask what a vague word means before asking about what is unknown.
        more_people: Ask for further names where one is known and one suffices.
        per_facet: Most questions about a facet, at least 1.
    """

    people_first: bool
    clarify_first: bool
    more_people: bool
    per_facet: int


class Question(NamedTuple):
    """Something to ask.

    Attributes:
        facet: Facet to ask about.
        kind: Nothing is known of it, a vague word is to be cleared up, or there may be more.
    """

    facet: int
    kind: Literal["unknown", "unclear", "more"]


def open_questions(
    catalog: Catalog, heard: Heard, taste: Taste, rules: QuestionRules
) -> tuple[Question, ...]:
    """Questions that may still bring something, the best first."""
    facets = catalog.domain.facets
    found: list[tuple[tuple[bool, ...], Question]] = []
    for f, facet in enumerate(facets):
        if heard.closed[f] or heard.asked[f] >= rules.per_facet:
            continue
        if taste.unclear[f]:
            question = Question(f, "unclear")
        elif not taste.wanted[f]:
            question = Question(f, "unknown")
        elif facet.match == "all" or rules.more_people:
            question = Question(f, "more")
        else:
            continue
        late = (
            question.kind == "more",
            (question.kind == "unclear") != rules.clarify_first,
            facet.person != (rules.people_first and question.kind != "more"),
        )
        found.append((late, question))
    return tuple(question for _, question in sorted(found, key=lambda entry: entry[0]))


def question_text(catalog: Catalog, taste: Taste, question: Question) -> str:
    """The words of a question."""
    f = question.facet
    facet = catalog.domain.facets[f]
    nouns = {"singular": facet.singular, "plural": facet.plural}
    if question.kind == "unclear":
        pair = " or ".join(catalog.value(f, value) for value in taste.unclear[f][0])
        return CLARIFY.format(names=encodable(pair), **nouns)
    if question.kind == "more" and taste.wanted[f]:
        names = " and ".join(catalog.value(f, value) for value in taste.wanted[f])
        return ASK_MORE.format(names=encodable(names), **nouns)
    return ASK.format(**nouns)


def reflection_text(catalog: Catalog, facet: int, value: int) -> str:
    """The words of a question about what a rejected item should have had; -1: not known."""
    if facet < 0:
        return INSTEAD_OF_ALL.format(noun=catalog.domain.noun)
    nouns = catalog.domain.facets[facet]
    texts = {"singular": nouns.singular, "plural": nouns.plural}
    if value < 0:
        return INSTEAD.format(**texts)
    return INSTEAD_OF.format(name=encodable(catalog.value(facet, value)), **texts)
