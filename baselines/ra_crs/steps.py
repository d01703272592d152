"""RA-CRS's model calls: four that make the state anew, and those that search and speak."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from baselines.fitting import fit_facet, fit_items
from baselines.ra_crs import rules
from baselines.ra_crs.shapes import (
    Asking,
    Constraints,
    Intents,
    Known,
    Offered,
    Retrieved,
    Search,
    Stances,
    Utterance,
    Words,
)
from baselines.steps import Nothing, Step
from language.prompts.facts import item_facts
from language.prompts.reply_checks import check_asks, check_titles
from language.prompts.single_call import Situation

_INTENTS = """\
Read a dialogue in which {nouns} are recommended, and say what the user does in their last \
utterance.

The intents:
- states_preference: says what they want or do not want
- has_no_preference: does not know or does not care
- asks_about_item: wants to hear more about the {noun} just offered
- accepts_item: takes it
- rejects_item: does not want it
- knows_item: has had it before
- loses_patience: complains about how long this takes, or about being questioned
- small_talk: none of these

The facets:
{facets}

Answer with:
- intents: all that apply, at least one.
- settled: names of the facets about which the user said, anywhere in the dialogue, that there is \
nothing (more) to say; otherwise an empty list."""

_HARD = """\
Read a dialogue in which {nouns} are recommended, and list what {article} {noun} must and must not \
have for this user.

The facets:
{facets}

Only what the user said plainly counts: no guesses, nothing that only the system said, nothing \
that was taken back or corrected later, nothing tentative. What the user complained about in an \
offer is something that it must not have.

Answer with:
- constraints: a list; of each
  - facet: the facet's name, or "other".
  - value: the value in few words; names in full, genres by their usual name.
  - wanted: false for what it must not have."""

_SOFT = """\
Read a dialogue in which {nouns} are recommended, and list what {article} {noun} had better have, \
or had better be without, for this user.

The facets:
{facets}

Only wishes that are tentative, vague or a matter of mood count, not what was said plainly. Where \
a vague word may mean several values of a facet, list each of them.

Answer with:
- constraints: a list; of each
  - facet: the facet's name, or "other".
  - value: the value in few words.
  - wanted: false for what it had better be without."""

_ITEMS = """\
Read a dialogue in which {nouns} are recommended, and say how the user reacted to each of the \
"offers", which are numbered.

The facets:
{facets}

Answer with:
- reactions: a list; of each offer that the user reacted to
  - offer: its number.
  - reaction: accepted, rejected, known (the user has had it before) or open.
  - facet: for a rejection, the name of the facet complained about, if that was said; else null.
  - value: for a rejection, the value complained about, if that was said; else null."""

_ASK = """\
Ask the user of a recommender of {nouns} one question about the facet in "ask_about".

What for ("purpose"):
- missing: nothing is known of it yet
- more: what is "known" may not be all
- which: a vague word may mean any of what is "known"
- instead: what was offered last did not fit in it; say so, and ask what it should be instead

Use the facet's own word in the question, and name no title.

Answer with:
- text: what you say, in one or two sentences."""

_QUERY = """\
Write a query that finds, by its words, the {nouns} whose titles, facets and plots fit the "state".

Put in what is wanted, hard constraints first, by names as they stand there; nothing that is \
unwanted, no sentence, no title.

Answer with:
- query: the words."""

_EXPLAIN = """\
Offer the user the {noun} in "about", and say why it fits what they want, using its "passages".

Use only what the passages and the entry say. Name its title as written, and no other title.

Answer with:
- text: what you say, in one to three sentences."""

_ANSWER = """\
The user wants to hear more about the {noun} in "about": answer from its entry and "passages" only.

Name its title as written, and no other title. Ask nothing back.

Answer with:
- text: what you say, in one to three sentences."""


def _offers(situation: Situation, given: Offered) -> Mapping[str, Any]:
    labels = [situation.catalog.items[item].label for item in given.offers]
    return {"offers": [{"offer": n, "title": label} for n, label in enumerate(labels, start=1)]}


def _asking(situation: Situation, given: Asking) -> Mapping[str, Any]:
    facet = situation.catalog.domain.facets[given.facet]
    return {
        "ask_about": {"facet": facet.name, "words": [facet.singular, facet.plural]},
        "purpose": given.purpose,
        "known": list(given.known),
        "state": given.state.model_dump(),
    }


def _retrieved(situation: Situation, given: Retrieved) -> Mapping[str, Any]:
    return {
        "about": item_facts(situation.catalog, given.item),
        "passages": list(given.passages),
        "state": given.state.model_dump(),
    }


def _numbers(_: Situation, given: Offered, answer: Stances) -> None:
    for found in answer.reactions:
        if not 1 <= found.offer <= len(given.offers):
            raise ValueError(f"there are offers 1 to {len(given.offers)}, not {found.offer}")


def _asks(situation: Situation, given: Asking, answer: Words) -> None:
    check_asks(situation, given.facet, answer.text)


def _titles(situation: Situation, given: Retrieved, answer: Words) -> None:
    check_titles(situation, given.item, answer.text)


def _some_words(_: Situation, __: Known, answer: Search) -> None:
    if not answer.query.strip():
        raise ValueError("the query is empty; put in the values that are wanted")


def _are_items(situation: Situation, given: Offered) -> None:
    fit_items(situation, given.offers, "given.offers")


def _is_item(situation: Situation, given: Retrieved) -> None:
    fit_items(situation, (given.item,), "given.item")


def _is_facet(situation: Situation, given: Asking) -> None:
    fit_facet(situation, given.facet, "given.facet")


INTENTS = Step("ra_crs/intents", 1, _INTENTS, Utterance, Intents, rules.intents)
HARD = Step("ra_crs/hard", 1, _HARD, Nothing, Constraints, rules.hard, max_tokens=500)
SOFT = Step("ra_crs/soft", 1, _SOFT, Nothing, Constraints, rules.soft, max_tokens=500)
ITEMS = Step(
    "ra_crs/items", 1, _ITEMS, Offered, Stances, rules.items, _offers, _numbers, _are_items,
    max_tokens=500,
)  # fmt: skip
ASK = Step("ra_crs/ask", 1, _ASK, Asking, Words, rules.ask, _asking, _asks, _is_facet)
QUERY = Step("ra_crs/query", 1, _QUERY, Known, Search, rules.query, check=_some_words)
EXPLAIN = Step(
    "ra_crs/explain", 1, _EXPLAIN, Retrieved, Words, rules.explain, _retrieved, _titles, _is_item
)
ANSWER = Step(
    "ra_crs/answer", 1, _ANSWER, Retrieved, Words, rules.answer, _retrieved, _titles, _is_item
)

STEPS = (INTENTS, HARD, SOFT, ITEMS, ASK, QUERY, EXPLAIN, ANSWER)
"""All of them, in the order of the flow."""
