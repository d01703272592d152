"""Scoring the system's actions: the prior over what to do next (dreams §A.3.3)."""

from __future__ import annotations

import math
from collections.abc import Sequence

from pydantic import BaseModel, ConfigDict

from catalogs.domain import Domain
from dialogue.acts import UserActs
from dialogue.view import DialogueView
from language.llm.call import Message
from language.prompts.facts import chat
from language.prompts.situation import legal_actions, situation

VERSION = 1
PROMPT = f"score/{VERSION}"
HIGHEST = 1e6
"""Largest score that is believed; models are asked for 0 to 10."""

Scores = tuple[float, ...]
"""Scores by action index, length F + 3."""

_SYSTEM = """\
You advise a system that helps a person to find a {noun}. Score what the system should do next.
Actions:
{actions}
Give every action that you are shown a score from 0 (out of place) to 10 (clearly best). Score the
effect on finding a fitting {noun} soon: an unknown preference is worth a question, several
questions in a row tire people, a rejection's reason is worth taking up, and a {noun} is worth
offering once few fit best or patience runs out. Answer with JSON only:
{{"scores": [{{"action": "...", "score": 0}}]}}."""


class ActionScore(BaseModel):
    """The score of one action."""

    model_config = ConfigDict(extra="forbid")

    action: str
    score: float


class ScoreResult(BaseModel):
    """Scores of the actions; one that is left out counts as 0."""

    model_config = ConfigDict(extra="forbid")

    scores: list[ActionScore]


def describe_actions(domain: Domain) -> str:
    """The domain's actions, a line each, with what they do."""
    lines = [f"{facet.inquiry}: ask which {facet.plural} are wanted" for facet in domain.facets]
    lines += [
        "FailureReflection: take up why the last offer was turned down; ask what is wanted instead",
        f"ItemRec: offer one {domain.noun}",
        f"ItemExplanation: tell more about a {domain.noun} that was offered",
    ]
    return "\n".join(lines)


def messages(view: DialogueView) -> tuple[Message, ...]:
    """The chat that asks for scores of the legal actions."""
    domain = view.catalog.domain
    system = _SYSTEM.format(noun=domain.noun, actions=describe_actions(domain))
    return chat(system, {"legal_actions": legal_actions(view), **situation(view)})


def read_scores(domain: Domain, scores: Sequence[ActionScore]) -> Scores:
    """Scores by action index.

    Raises:
        ValueError: An action does not exist, or a score is negative, huge or no number.
    """
    found = [0.0] * len(domain.actions)
    for entry in scores:
        if entry.action not in domain.actions:
            names = ", ".join(domain.actions)
            raise ValueError(f"there is no action {entry.action[:40]!r}; the actions are {names}")
        if not math.isfinite(entry.score) or not 0.0 <= entry.score <= HIGHEST:
            raise ValueError(f"the score of {entry.action} must be a number from 0 to 10")
        found[domain.actions.index(entry.action)] = entry.score
    return tuple(found)


def write_scores(domain: Domain, scores: Sequence[float]) -> list[dict[str, object]]:
    """Scores by action name, as :class:`ActionScore`; :func:`read_scores` reads them back."""
    return [
        {"action": name, "score": score}
        for name, score in zip(domain.actions, scores, strict=True)
        if score > 0.0
    ]


def legal(scores: Sequence[float], view: DialogueView) -> Scores | None:
    """The scores with those of illegal actions struck out; None when nothing is left."""
    kept = tuple(
        score if allowed else 0.0 for score, allowed in zip(scores, view.mask(), strict=True)
    )
    return kept if any(kept) else None


def legal_after(scores: Sequence[float], view: DialogueView, acts: UserActs) -> Scores | None:
    """:func:`legal` in the view as it will be when the user has said ``acts``."""
    later = view.fork()
    later.apply_user(acts)
    return legal(scores, later)
