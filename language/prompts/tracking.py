"""State tracking: what a user's utterance means, and, if asked, what to do next."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from pydantic import BaseModel, ConfigDict

from catalogs.domain import Domain
from language.llm.call import Message
from language.prompts.acts import KINDS, ActOut
from language.prompts.facts import chat, facet_lines
from language.prompts.scoring import ActionScore, describe_actions

VERSION = 2
PROMPT = f"track/{VERSION}"

_TASK = """\
You read what a user says to a recommender of {nouns} and write down what it means as acts, in the \
order in which it was said.

Kinds of acts, and which fields they use (the other fields are null):
{kinds}

Facets:
{facets}

Rules:
- Only what the utterance itself says; what was known before is given so that you understand it.
- Write values by the catalogue's names, which "values" lists for some facets; people by their \
full names.
- A short answer is about what the system just did.
- Titles of {nouns} are no values.
- A greeting or small talk alone is no act in the opening, and OTHER later."""

_SCORES = """

Also score the actions that the system could take next, from 0 (useless now) to 10 \
(clearly the best), as if the utterance were already noted. Leave out actions that are not \
possible. Actions:
{actions}"""


class Tracked(BaseModel):
    """The meaning of an utterance."""

    model_config = ConfigDict(extra="forbid")

    acts: list[ActOut]


class TrackedAndScored(BaseModel):
    """The meaning of an utterance and how well each action fits after it."""

    model_config = ConfigDict(extra="forbid")

    acts: list[ActOut]
    scores: list[ActionScore]


def messages(
    domain: Domain, values: Mapping[str, Sequence[str]], data: Mapping[str, Any], scored: bool
) -> tuple[Message, ...]:
    """The chat of a tracking call.

    Args:
        domain: Its facets and actions.
        values: Value names to list, by facet name; they go first, for they never change.
        data: Public facts and, as ``utterance``, the text.
        scored: Whether actions are to be scored as well.
    """
    system = _TASK.format(nouns=domain.nouns, kinds=KINDS, facets=facet_lines(domain))
    if scored:
        system += _SCORES.format(actions=describe_actions(domain))
    return chat(system, {"values": dict(values), **data})
