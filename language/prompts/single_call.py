"""One call that decides and replies, from the whole free-form dialogue (InterCRS, dreams Table 5).

Free-form means: the model sees what was said and catalogue entries, never the tracked state.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from typing import Any, Literal

from pydantic import BaseModel, ConfigDict, create_model

from catalogs.catalog import Catalog
from catalogs.domain import Domain
from language.llm.call import Call, Message
from language.prompts.facts import LINE, chat, item_facts, shortened
from language.prompts.reply_checks import check_asks, check_no_title, check_titles

VERSION = 2
PROMPT = f"policy/{VERSION}"

MAX_TOKENS = 300
"""Longest answer: a reply of a few sentences."""

_TASK = """\
You run a recommender of {nouns}: read the dialogue, decide what to do next, and say it.

The actions:
{actions}

You get the dialogue so far, the {nouns} found for it ("candidates", best match first, numbered), \
the {noun} offered last, if any, the actions that are allowed now, and the number of turns left, \
this one included.

Ask while too little is known about what the user wants; offer once you know enough; tell more \
when the user asks about the last offer. Users tire of questions, above all of several in a row, \
and only {article} {noun} that has everything they want will do. What was offered before is no \
candidate any more; that the user had seen it says nothing about taste. In the last turn, only an \
offer can succeed.

Answer with:
- action: one of the allowed actions.
- item: for ItemRec, the number of the candidate that fits best; otherwise null.
- reply: what you say to the user, in one or two sentences. ItemRec and ItemExplanation name the \
title as written; the others name none, and a question about a facet uses its word in the list."""


class PolicyAnswer(BaseModel):
    """What the model decides."""

    model_config = ConfigDict(extra="forbid")

    action: str
    item: int | None
    reply: str


@dataclass(frozen=True, slots=True)
class Situation:
    """All that a free-form policy knows.

    Attributes:
        catalog: The items.
        lines: The dialogue as ``(speaker, utterance)``, speakers ``system`` and ``user``.
        candidates: Item indices found by the dialogue's text, best first, none offered before;
            empty where nothing is left to offer, or nothing was retrieved yet.
        offered: Bit set of the items offered.
        last_offer: Item index of the last offer, -1 before the first.
        legal: Legal action indices, ascending, at least one; ItemRec only with an item left.
    """

    catalog: Catalog
    lines: tuple[tuple[str, str], ...]
    candidates: tuple[int, ...]
    offered: int
    last_offer: int
    legal: tuple[int, ...]

    def inputs(self) -> dict[str, Any]:
        """What embedded rules need, JSON-compatible."""
        return {
            "catalog": dict(self.catalog.origin),
            "lines": [list(line) for line in self.lines],
            "candidates": list(self.candidates),
            "offered": hex(self.offered),
            "last_offer": self.last_offer,
            "legal": list(self.legal),
        }


@dataclass(frozen=True, slots=True)
class Decision:
    """A checked answer.

    Attributes:
        action: Action index of the domain.
        choice: Position among the candidates of the item to offer; 0 for other actions.
        reply: What the system says, not blank.
    """

    action: int
    choice: int
    reply: str


def policy_call(
    situation: Situation, turns_left: int, turn: int, rules: Mapping[str, Any]
) -> Call[Decision]:
    """The call of a turn.

    Args:
        situation: What is known.
        turns_left: Turns that are left, this one included.
        turn: Number of the turn, 1 is the first.
        rules: Constants of the embedded decision, JSON-compatible; no model is shown them.
    """
    return Call(
        role="policy",
        prompt=PROMPT,
        messages=messages(situation, turns_left),
        result=answer_model(legal_names(situation)),
        read=lambda answer: read_answer(situation, answer),
        inputs=lambda: {**situation.inputs(), "turns_left": turns_left, "rules": dict(rules)},
        turn=turn,
        max_tokens=MAX_TOKENS,
    )


def messages(situation: Situation, turns_left: int) -> tuple[Message, ...]:
    """The chat: constant instructions of the domain, then the dialogue and the candidates."""
    catalog = situation.catalog
    data: dict[str, Any] = {
        "dialogue": [[speaker, shortened(text, LINE)] for speaker, text in situation.lines],
        "candidates": [
            {"item": number, **item_facts(catalog, item, plot=False)}
            for number, item in enumerate(situation.candidates, start=1)
        ],
        "last_offer": None,
        "allowed": list(legal_names(situation)),
        "turns_left": turns_left,
    }
    if situation.last_offer >= 0:
        data["last_offer"] = item_facts(catalog, situation.last_offer)
    return chat(_instructions(catalog.domain), data)


def _instructions(domain: Domain) -> str:
    article = "an" if domain.noun[:1].lower() in "aeiou" else "a"
    return _TASK.format(
        noun=domain.noun, nouns=domain.nouns, article=article, actions=_actions(domain)
    )


def _actions(domain: Domain) -> str:
    lines = [f"- {facet.inquiry}: ask about {facet.plural}" for facet in domain.facets]
    lines += [
        "- FailureReflection: say what was wrong with the last offer, and ask what to have instead",
        "- ItemRec: offer one of the candidates",
        "- ItemExplanation: tell more about the last offer, from its entry only",
    ]
    return "\n".join(lines)


def legal_names(situation: Situation) -> tuple[str, ...]:
    """Names of the legal actions, in the domain's order."""
    names = situation.catalog.domain.actions
    return tuple(names[action] for action in situation.legal)


@cache
def answer_model(actions: tuple[str, ...]) -> type[PolicyAnswer]:
    """The shape of an answer that may name these actions only."""
    one_of: Any = Literal.__getitem__(actions)
    return create_model("PolicyAnswer", __base__=PolicyAnswer, action=(one_of, ...))


def read_answer(situation: Situation, answer: PolicyAnswer) -> Decision:
    """Check a model's answer against the situation, its words included.

    Raises:
        ValueError: As :func:`decision_of`, or later turns could not tell from the reply what the
            action was; the message says what to mend.
    """
    decision = decision_of(situation, answer)
    domain, action, reply = situation.catalog.domain, decision.action, decision.reply
    if action == domain.recommend:
        check_titles(situation, situation.candidates[decision.choice], reply)
    elif action == domain.explain:
        check_titles(situation, situation.last_offer, reply)
    else:
        check_question(situation, action, reply)
    return decision


def check_question(situation: Situation, action: int, reply: str) -> None:
    """Check the words of an inquiry or a FailureReflection.

    Raises:
        ValueError: An inquiry does not name its facet first, or a title is named.
    """
    if action < situation.catalog.domain.n_facets:
        check_asks(situation, action, reply)
    else:
        check_no_title(situation, reply)


def decision_of(situation: Situation, answer: PolicyAnswer) -> Decision:
    """What an answer decides.

    An offer without a number means the best match; the number of another action means nothing.

    Raises:
        ValueError: The action is not legal, the item is no candidate, or the reply is blank.
    """
    domain = situation.catalog.domain
    names = legal_names(situation)
    if answer.action not in names:
        raise ValueError(f"the action {answer.action[:40]!r} is none of {', '.join(names)}")
    if not answer.reply.strip():
        raise ValueError("the reply is empty; say to the user what the action is about")
    action = domain.actions.index(answer.action)
    choice = 0
    if action == domain.recommend and answer.item is not None:
        count = len(situation.candidates)
        if not 1 <= answer.item <= count:
            raise ValueError(f"the item must be the number of a candidate, 1 to {count}")
        choice = answer.item - 1
    return Decision(action, choice, answer.reply.strip())
