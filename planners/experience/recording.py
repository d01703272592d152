"""Making experience: Dreams talks, each decision is noted, and records become experiences."""

from __future__ import annotations

import random
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from dialogue.experience import Experience
from dialogue.experience_checks import LIMITS
from dialogue.view import DialogueView, SystemTurn
from planners.belief import load_profiles
from planners.dreams import Dreams
from planners.experience.facts import public_numbers, structured_state
from planners.experience.outlook import Outlook, OutlookSettings
from planners.tools import PlannerTools
from search import SearchResult

NOTE = "experience"
"""Key of a turn's trace under which a decision is noted."""


class RecordingDreams:
    """Dreams, with a note of each decision in the turn's trace.

    Args:
        dreams: Who decides.
        outlook: Constants of the facts that are noted: those of Dreams' own decision. Dreams(EA),
            which looks them up, has the same imagination, but refines its query less.

    Attributes:
        asks: As of Dreams.
        prompts: As of Dreams.
    """

    def __init__(self, dreams: Dreams, outlook: OutlookSettings) -> None:
        self._dreams = dreams
        self._settings = outlook
        self._profiles = load_profiles(outlook.user_model)
        self._tools: PlannerTools | None = None
        self.asks = dreams.asks
        self.prompts = dreams.prompts

    def reset(self, view: DialogueView, rng: np.random.Generator) -> None:
        """Forget the last dialogue."""
        if self._tools is None or self._tools.catalog is not view.catalog:
            self._tools = PlannerTools(view.catalog)
        self._dreams.reset(view, rng)

    def decide(self, view: DialogueView, rng: np.random.Generator) -> SystemTurn:
        """Dreams' decision, noted."""
        if self._tools is None:
            raise RuntimeError("RecordingDreams.decide before reset: call reset(view, rng) first")
        before = self._dreams.last_search
        turn = self._dreams.decide(view, rng)
        after = self._dreams.last_search
        found = None if after is before else after  # some turns are not searched
        stream = random.Random(int(rng.integers(1 << 62)))
        outlook = Outlook(view, self._tools, self._settings, self._profiles, stream)
        facts = public_numbers(view, outlook)
        names = view.catalog.domain.actions
        note = {
            "lines": [[who, text[: LIMITS.text]] for who, text in view.transcript()],
            "state": structured_state(view),
            "facts": facts,
            "reason": reason(names, turn.action, found, facts),
            "search": {} if found is None else _shares(names, found),
        }
        return replace(turn, trace={**(turn.trace or {}), NOTE: note})


def reason(
    actions: Sequence[str], action: int, found: SearchResult | None, facts: Mapping[str, float]
) -> str:
    """Why an action was taken, in a short sentence: from the search, or from the facts alone."""
    best = f"the best offer fits with {facts['acceptance.1']:.0%}"
    if found is None:
        return f"not searched; {best}"
    value, total = found.values[action], sum(found.priors)
    share = found.visits[action] / max(1, found.simulations)
    worth = "never tried" if value is None else f"expected return {value:.2f}"
    prior = found.priors[action] / total if total else 0.0
    parts = [f"{share:.0%} of {found.simulations} simulations, {worth}, prior {prior:.0%}"]
    others = [
        (mean, other)
        for other, mean in enumerate(found.values)
        if mean is not None and other != action
    ]
    if others:
        mean, other = max(others)
        parts.append(f"best other {actions[other]} {mean:.2f}")
    return "; ".join([*parts, best])


def experiences_of(records: Sequence[Mapping[str, Any]], discount: float) -> Iterator[Experience]:
    """The noted decisions of finished dialogues; those that failed for want of a model are not.

    Args:
        records: Of a run of :class:`RecordingDreams`.
        discount: gamma of dreams Eq. 7; the terminal acceptance is not discounted there, nor here.
    """
    for record in records:
        if "failure" in record:
            continue
        turns = record["turns"]
        returns = _returns([turn["rewards"] for turn in turns], discount)
        for turn, reward in zip(turns, returns, strict=True):
            note = turn["trace"][NOTE]
            yield Experience(
                split=record["split"],
                episode=record["episode"],
                turn=turn["turn"],
                lines=tuple((who, text) for who, text in note["lines"]),
                state=note["state"],
                facts=note["facts"],
                action=turn["action"],
                reason=note["reason"],
                query=None if turn["query"] is None else turn["query"][: LIMITS.text],
                reward=reward,
                success=record["success"],
                search=note["search"],
            )


def _returns(rewards: Sequence[Mapping[str, float]], discount: float) -> list[float]:
    """Returns from each turn on (dreams Eq. 7): discounted terms, and the acceptance at the end."""
    total, accepted, found = 0.0, 0.0, []
    for terms in reversed(rewards):
        accepted += terms.get("accept", 0.0)
        rest = sum(value for name, value in terms.items() if name != "accept")
        total = rest + discount * total
        found.append(total + accepted)
    return found[::-1]


def _shares(actions: Sequence[str], found: SearchResult) -> dict[str, float]:
    total = max(1, sum(found.visits))
    return {
        name: visits / total for name, visits in zip(actions, found.visits, strict=True) if visits
    }
