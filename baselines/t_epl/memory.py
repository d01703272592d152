"""T-EPL's memory: past dialogue states, and what they led to."""

from __future__ import annotations

import threading
from collections.abc import Sequence
from itertools import groupby
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from baselines.candidates import weigh
from baselines.extraction import embedded_extraction, state_of
from baselines.steps import Nothing
from baselines.t_epl.encoding import AbstractState, abstract, encode, surety
from baselines.t_epl.settings import TEPLSettings
from catalogs.catalog import Catalog
from dialogue.experience import Experience, ExperienceBase
from language.prompts.single_call import Situation
from retrieval.query import Query
from retrieval.spoken import spoken_ranker


class Past(NamedTuple):
    """A state of a past dialogue.

    Attributes:
        vector: Its encoding.
        lead: How sure its leading candidate was (``encoding.surety``).
        outcome: Discounted success, 0..1.
    """

    vector: list[float]
    lead: float
    outcome: float


class Memory:
    """Past states by similarity.

    Args:
        past: The states, at least one.
        settings: Constants.
    """

    def __init__(self, past: Sequence[Past], settings: TEPLSettings) -> None:
        self._settings = settings
        self._vectors = np.array([state.vector for state in past])
        self._leads = np.array([state.lead for state in past])
        self._outcomes = np.array([state.outcome for state in past])
        self._mean = float(self._outcomes.mean())

    def __len__(self) -> int:
        """Number of states."""
        return len(self._outcomes)

    def value(self, state: AbstractState, entropy: float, shares: Sequence[float]) -> float:
        """What a state is worth: votes of the nearest past states, weighted by the belief.

        Args:
            state: The state.
            entropy: Bits of uncertainty over its candidates.
            shares: Probabilities of the leading candidates; what is left goes to the last of them.
        """
        rules = self._settings
        if not shares:
            return 0.0
        vector = encode(state, entropy, rules.w_course, rules.w_known, rules.w_belief)
        apart: NDArray[np.float64] = ((self._vectors - vector) ** 2).sum(axis=1)
        leads = np.array([surety(share) for share in shares])
        distances = apart + rules.w_belief * (leads[:, None] - self._leads) ** 2
        values = self._votes(distances)
        weights = np.array(shares)
        weights[-1] += max(0.0, 1.0 - float(weights.sum()))
        return float(weights @ values)

    def _votes(self, distances: NDArray[np.float64]) -> NDArray[np.float64]:
        """Mean outcome of the nearest states per row, shape (rows,)."""
        rules = self._settings
        weights = np.exp(-distances / rules.bandwidth)
        if rules.neighbours < len(self):
            reach = np.partition(distances, rules.neighbours - 1, axis=1)[:, rules.neighbours - 1]
            weights[distances > reach[:, None]] = 0.0
        total = weights.sum(axis=1) + rules.doubt
        votes: NDArray[np.float64] = (weights @ self._outcomes + rules.doubt * self._mean) / total
        return votes


_KEPT = 4
"""Memories that a process holds on to; one run uses one."""

_LOCK = threading.Lock()
_MADE: list[tuple[Catalog, ExperienceBase, TEPLSettings, Memory]] = []


def memory_of(catalog: Catalog, base: ExperienceBase, settings: TEPLSettings) -> Memory:
    """The memory of a base, encoded once for all policies and threads of a process.

    Args:
        catalog: The items; told apart by identity.
        base: The past dialogues.
        settings: Constants.

    Raises:
        ValueError: The base is empty.
    """
    with _LOCK:
        for known, of, rules, found in _MADE:
            if known is catalog and rules == settings and of == base:
                return found
        made = remember(catalog, base, settings)
        _MADE.append((catalog, base, settings, made))
        del _MADE[:-_KEPT]
        return made


def remember(catalog: Catalog, base: ExperienceBase, settings: TEPLSettings) -> Memory:
    """Encode a base's dialogues as this method sees them: from their words alone.

    Candidates of past states are found by the words' ranker whatever the environment retrieves
    with: embedding every past state anew would be paid for at each start.

    Raises:
        ValueError: The base is empty.
    """
    if not base.experiences:
        raise ValueError(
            "T-EPL needs a memory, and the experience base holds no decision; make it anew with "
            "experience.rebuild=true"
        )
    past: list[Past] = []
    for _, group in groupby(base.experiences, key=lambda entry: (entry.split, entry.episode)):
        dialogue = list(group)
        turns = max(entry.turn for entry in dialogue)
        for entry in dialogue:
            outcome = settings.discount ** (turns - entry.turn) if entry.success else 0.0
            past.append(_past(catalog, dialogue, entry, outcome, settings))
    return Memory(past, settings)


def _past(
    catalog: Catalog,
    dialogue: Sequence[Experience],
    entry: Experience,
    outcome: float,
    settings: TEPLSettings,
) -> Past:
    offers = offers_before(catalog, dialogue, entry)
    offered = 0
    for item in offers:
        offered |= catalog.works[item]
    situation = Situation(catalog, entry.lines, (), offered, offers[-1] if offers else -1, (0,))
    state = state_of(situation, embedded_extraction(situation, Nothing()))
    query = "\n".join([*(text for _, text in entry.lines), ", ".join(state.taste.names(catalog))])
    hits = spoken_ranker(catalog).rank(Query(None, query), settings.pool, offered)
    candidates = weigh(catalog, hits, state.taste, settings)
    shares = candidates.weights or (1.0,)
    vector = encode(
        abstract(state, entry.turn - 1),
        candidates.entropy(candidates.everything),
        settings.w_course,
        settings.w_known,
        settings.w_belief,
    )
    return Past(vector, surety(shares[0]), outcome)


def offers_before(
    catalog: Catalog, dialogue: Sequence[Experience], entry: Experience
) -> tuple[int, ...]:
    """Items offered before a decision, found by their titles in what the system said."""
    recommend = catalog.domain.actions[catalog.domain.recommend]
    acts = {earlier.turn: earlier.action for earlier in dialogue}
    spoken = [text for speaker, text in entry.lines if speaker == "system"]
    items = [
        _item_in(catalog, text)
        for turn, text in enumerate(spoken, start=1)
        if acts.get(turn) == recommend
    ]
    return tuple(item for item in items if item >= 0)


def _item_in(catalog: Catalog, text: str) -> int:
    """The item with the longest label in a text, -1 if none."""
    found = [item for item in catalog.items if item.label in text]
    return max(found, key=lambda item: (len(item.label), -item.index)).index if found else -1
