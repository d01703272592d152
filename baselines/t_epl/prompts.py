"""T-EPL's model calls: read the state, realise the act."""

from __future__ import annotations

from typing import Any

from baselines.act_words import Saying, Words, check_words, embedded_words
from baselines.extraction import Extraction, check_extraction, embedded_extraction
from baselines.steps import Nothing, Step

READ = Step(
    name="t_epl/read",
    version=1,
    task="""\
A planner of conversations about {nouns} compares the present dialogue with past ones. It needs to \
know where the dialogue stands. Read it to the end and report.

Facets of {article} {noun}:
{facets}

Answer with:
- named: what the user told about each facet, as far as it still holds. Per entry: facet; value, \
under its common name; other, a second value where the words leave open which of two is meant, \
otherwise null; wanted, true for a wish, false for a dislike, a complaint or something taken back.
- last: the effect of the user's last line: rejected if it turns the offer down, seen if the user \
has seen or read it before, details if the user asks about it, otherwise said.
- complaint: if the last line turns an offer down because of one facet, that facet; otherwise null.
- closed: facets on which the user has said everything.
- impatience: how impatient the user has sounded at most, from 0 (not at all) to 3 (nearly gone).

Count only the user's own words as wishes.""",
    given=Nothing,
    result=Extraction,
    rules=embedded_extraction,
    check=check_extraction,
    max_tokens=600,
)

REALISE = Step(
    name="t_epl/realise",
    version=2,
    task="""\
Write the next line of a recommender of {nouns}. A planner chose the dialogue act ("act"); the \
line carries out this act and no other, in at most two sentences, and fits what was said before.

Acts:
- ask: a question about the facet.
- ask_instead: after a refused offer, a question what would be better, about the facet if given.
- clarify: a question which of the two values under "either" the user means.
- recommend: an offer of the {noun} under "candidates", with its exact title; name a reason from \
"matches" if there is one.
- explain: a justification of the last offer from its entry, which answers the question and \
repeats the exact title.

A question uses a word for its facet and leaves titles out. Invent nothing. Words for facets:
{facets}

Answer with:
- reply: the line.""",
    given=Saying,
    result=Words,
    rules=embedded_words,
    check=check_words,
)

STEPS: tuple[Step[Any, Any], ...] = (READ, REALISE)
