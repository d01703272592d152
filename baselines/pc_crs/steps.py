"""PC-CRS's model calls: decide, choose a strategy, explain, check the facts, rewrite."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from baselines.fitting import fit_items
from baselines.pc_crs import rules
from baselines.pc_crs.shapes import (
    About,
    Account,
    Checked,
    Chosen,
    DecideIn,
    Doubted,
    Drafted,
    Framed,
)
from baselines.pc_crs.strategies import STRATEGIES
from baselines.steps import Step
from language.prompts.facts import item_facts
from language.prompts.reply_checks import check_titles
from language.prompts.single_call import PolicyAnswer, Situation, check_question, decision_of

_DECIDE = """\
You recommend {nouns} in a conversation, and people should be able to trust what you say. Read the \
whole dialogue and choose what to do next.

The actions:
{actions}

You get the dialogue, the {nouns} found for it ("candidates", best match first, numbered), the \
{noun} offered last, if any, the actions allowed now, and the number of turns left.

A question pays while several candidates fit alike. People tire of being questioned: ask few \
questions in a row, none that was answered or waved off. Offer a candidate that has all that the \
person named. Having seen {article} {noun} says nothing about taste; a refusal with a reason does. \
Explain the last offer when the person asks about it.

Answer with:
- action: one of the allowed actions.
- item: for ItemRec, the number of the candidate to offer; otherwise null.
- reply: what you say, in one or two sentences. A question about a facet uses its word in the \
list, and names no title. For ItemRec and ItemExplanation a few words: the account of the {noun} \
is written later."""

_STRATEGY = f"""\
You are about to speak about one of the {{nouns}} ("about"). Choose the way of convincing that \
suits this person at this point of the dialogue.

The ways, all of them honest:
{chr(10).join(f"- {name}: {strategy.how}" for name, strategy in STRATEGIES.items())}

Answer with:
- strategy: the name of the way."""

_EXPLAIN = """\
Say to the person what speaks for the {noun} in "about", in the way that "strategy" describes.

Tie it to what the person said. State as a fact only what its entry in "about" holds; what is \
feeling or opinion must sound like it. Name its title as written, and no other title.

Answer with:
- text: what you say, in two to four sentences."""

_CHECK = """\
Check the facts in "text", which was written to convince a person of the {noun} in "about".

Compare each statement about the {noun} with its entry: year, plot, how well known it is, and the \
facets:
{facets}
A statement is false where the entry contradicts it or holds nothing that bears it out. Feelings, \
opinions and what is said about the person are no statements of fact.

Answer with:
- false: the false statements, an empty list if there are none; of each
  - claim: the words in the text.
  - field: facet, "year", "plot", "popularity" or "other".
  - fact: what the entry says about it."""

_REFINE = """\
Rewrite "text", which was written to convince a person of the {noun} in "about": the statements in \
"false" are not true.

Leave out or set right what is false, and keep the rest: the way of convincing ("strategy"), the \
tie to what the person said, the title as written and no other title. Add no new statement that \
the entry in "about" does not hold.

Answer with:
- text: what you say, in two to four sentences."""


def _about(situation: Situation, given: About) -> dict[str, Any]:
    catalog = situation.catalog
    known = f"{catalog.familiarity[given.item]:.0%} of the {catalog.domain.nouns} here"
    about = {**item_facts(catalog, given.item), "better_known_than": known}
    return {"about": about, "offered_before": given.offered}


def _framed(situation: Situation, given: Framed) -> Mapping[str, Any]:
    strategy = {"name": given.strategy, "how": STRATEGIES[given.strategy].how}
    return {**_about(situation, given), "strategy": strategy}


def _drafted(situation: Situation, given: Drafted) -> Mapping[str, Any]:
    return {**_about(situation, given), "text": given.text}


def _doubted(situation: Situation, given: Doubted) -> Mapping[str, Any]:
    false = [claim.model_dump() for claim in given.false]
    return {**_framed(situation, given), "text": given.text, "false": false}


def _check_decision(situation: Situation, _: DecideIn, answer: PolicyAnswer) -> None:
    decision, domain = decision_of(situation, answer), situation.catalog.domain
    if decision.action not in (domain.recommend, domain.explain):
        check_question(situation, decision.action, decision.reply)


def _titles(situation: Situation, given: About, answer: Account) -> None:
    check_titles(situation, given.item, answer.text)


def _fits(situation: Situation, given: About) -> None:
    fit_items(situation, (given.item,), "given.item")


DECIDE = Step(
    "pc_crs/decide", 2, _DECIDE, DecideIn, PolicyAnswer, rules.decide, check=_check_decision
)
STRATEGY = Step(
    "pc_crs/strategy", 1, _STRATEGY, About, Chosen, rules.choose_strategy, _about, fits=_fits,
    max_tokens=60,
)  # fmt: skip
EXPLAIN = Step("pc_crs/explain", 1, _EXPLAIN, Framed, Account, rules.draft, _framed, _titles, _fits)
CHECK = Step(
    "pc_crs/check", 1, _CHECK, Drafted, Checked, rules.check, _drafted, fits=_fits, max_tokens=400
)
REFINE = Step("pc_crs/refine", 1, _REFINE, Doubted, Account, rules.refine, _doubted, _titles, _fits)

STEPS = (DECIDE, STRATEGY, EXPLAIN, CHECK, REFINE)
"""All of them, in the order of the flow."""
