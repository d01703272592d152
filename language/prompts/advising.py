"""Deciding by example: a successful and a failed case shown beside the situation (dreams B.1)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from pydantic import BaseModel, ConfigDict

from dialogue.experience import Experience
from dialogue.view import DialogueView
from language.llm.call import Message
from language.prompts.facts import LINE, chat, shortened
from language.prompts.refining import PURPOSES, RefinementOut
from language.prompts.scoring import describe_actions
from language.prompts.situation import legal_actions, preferences, situation

VERSION = 1
PROMPT = f"advise/{VERSION}"
CASE_LINES = 4
"""Last lines of a case's dialogue that are shown; its structured state holds what was before."""

SHOWN = (
    "turn", "streak", "rejections", "impatience", "just_rejected", "details", "candidates",
    "acceptance.1",
)  # fmt: skip
"""Facts that are shown, of the situation and of cases."""

_SYSTEM = """\
You run a system that helps a person to find a {noun}. Decide what it does next.
Actions:
{actions}
Beside the situation now you get cases from earlier dialogues with other people whose situation was
alike: "successful" ones, where the person ended with a {noun} they liked, and "failed" ones. Do as
the successful case did as far as it carries over to what is known and open here, and do not repeat
what the failed case did differently. Names in the cases are other people's wishes: never use them.
Of the "facts", candidates is how many items fit best, acceptance.1 the estimated chance that the
best of them would be taken.
For ItemRec also refine the search: "query" is its text as it stands and the preferences that it
stands for. Give at most "count" better searches in "refinements". Each applies one of the
"strategies" to the query (parent -1) or to an earlier refinement (parent: its number, counted from
0), at most "depth" deep, and gives a short search text and the full preferences that it stands
for: "want", "avoid", "doubt" (complained about, not confirmed) and "unsure" (a word with two
meanings). For other actions the list is empty.
Answer with JSON only: one of the "legal_actions" and the refinements. Facets: {facets}."""


class AdviceResult(BaseModel):
    """What to do, and for an offer what to search with."""

    model_config = ConfigDict(extra="forbid")

    action: str
    refinements: list[RefinementOut]


def messages(
    view: DialogueView,
    numbers: Mapping[str, float],
    successes: Sequence[Experience],
    failures: Sequence[Experience],
    text: str,
    strategies: Sequence[str],
    depth: int,
    count: int,
) -> tuple[Message, ...]:
    """The chat that asks for a decision.

    Args:
        view: The dialogue's public side.
        numbers: Its facts, as cases have them.
        successes: Cases that ended well, most alike first.
        failures: Cases that did not.
        text: The search's text as it stands; its preferences are the view's.
        strategies: Names of those that may be applied to it, of ``refining.PURPOSES``.
        depth: Strategies that may be composed.
        count: Refinements that may be given, possibly 0.
    """
    domain = view.catalog.domain
    system = _SYSTEM.format(
        noun=domain.noun,
        actions=describe_actions(domain),
        facets=", ".join(facet.name for facet in domain.facets),
    )
    data = {
        "legal_actions": legal_actions(view),
        "successful": [_case(case) for case in successes],
        "failed": [_case(case) for case in failures],
        "now": {**situation(view), "facts": _facts(numbers)},
        "query": {"text": text, "preferences": preferences(view.state, view.catalog)},
        "strategies": {name: what for name, what in PURPOSES.items() if name in strategies},
        "depth": depth,
        "count": count,
    }
    return chat(system, data)


def _case(case: Experience) -> dict[str, Any]:
    """A case as data; what is empty in its state is left out."""
    return {
        "preferences": {facet: _known(entry) for facet, entry in case.state.items()},
        "facts": _facts(case.facts),
        "last_lines": [[who, shortened(said, LINE)] for who, said in case.lines[-CASE_LINES:]],
        "action": case.action,
        "reason": shortened(case.reason, LINE),
        "query": None if case.query is None else shortened(case.query, LINE),
        "return": round(case.reward, 2),
    }


def _facts(numbers: Mapping[str, float]) -> dict[str, float]:
    return {name: round(numbers[name], 3) for name in SHOWN if name in numbers}


def _known(entry: dict[str, Any]) -> dict[str, Any] | str:
    names = {
        "like": "wanted",
        "dislike": "unwanted",
        "doubt": "doubted",
        "ambiguous": "unclear",
        "evasions": "evaded",
        "closed": "nothing_more",
    }
    return {told: entry[name] for name, told in names.items() if entry[name]} or "unknown"


def read_action(view: DialogueView, name: str) -> int:
    """The index of a legal action.

    Raises:
        ValueError: It is not legal now.
    """
    names = legal_actions(view)
    if name not in names:
        raise ValueError(f"the action {name[:40]!r} is none of {', '.join(names)}")
    return view.catalog.domain.actions.index(name)
