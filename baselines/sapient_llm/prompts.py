"""SAPIENT-LLM's model calls: extract the state, word the act."""

from __future__ import annotations

from typing import Any

from baselines.act_words import Saying, Words, check_words, embedded_words
from baselines.extraction import Extraction, check_extraction, embedded_extraction
from baselines.steps import Nothing, Step

TRACK = Step(
    name="sapient_llm/track",
    version=1,
    task="""\
You keep the state of a conversation in which somebody looks for {article} {noun}. Read the whole \
dialogue and write down the state as it is after the last line.

What can be preferred:
{facets}

Answer with:
- named: every preference of the user that still holds. Per entry: facet; value, by its usual name \
(a vague word stands for the value it most likely means); other, the second value if it is open \
which of two is meant, else null; wanted, false for what the user does not want or complained \
about. What was taken back or replaced is listed with wanted false.
- last: what the user's last line does. rejected: refuses the offer; seen: knows the offered \
{noun} already; details: wants to hear more about it; said: anything else.
- complaint: the facet that a refusal in the last line gives as its reason, else null.
- closed: facets about which the user said that there is nothing to add.
- impatience: 0 none, 1 a little, 2 clearly annoyed, 3 about to leave.

List only what the user said; what the system proposed is no preference.""",
    given=Nothing,
    result=Extraction,
    rules=embedded_extraction,
    check=check_extraction,
    max_tokens=600,
)

SAY = Step(
    name="sapient_llm/say",
    version=2,
    task="""\
You speak for a recommender of {nouns}. What it does next has been decided; you put it into words \
that continue the dialogue, in one or two sentences.

The decision ("act"):
- ask: ask about the facet.
- ask_instead: the last offer was refused; ask what to have instead, about the facet if given.
- clarify: ask which of the two values is meant.
- recommend: offer the {noun} under "candidates", its title as written; "matches" are the wishes \
that it meets.
- explain: tell what the user wants to know about the last offer, from its entry only, with its \
title as written.

A question has a word of its facet in it and names no title. The facets, with their words:
{facets}

Do nothing else: no second question, no other {noun}, nothing that is not in the data.

Answer with:
- reply: what you say to the user.""",
    given=Saying,
    result=Words,
    rules=embedded_words,
    check=check_words,
)

STEPS: tuple[Step[Any, Any], ...] = (TRACK, SAY)
