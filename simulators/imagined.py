"""The imagined user: the one that a planner rolls out, built from the public view alone.

It never sees the true goal, the persona table, the preference groups or the seen items: goals are
sampled from catalogue co-occurrence to fit the tracked state and the rejections so far (dreams
§4.2: the rollout user is initialised from the tracked state), behaviour comes from rows that the
planner believes in.
"""

from __future__ import annotations

import random
from dataclasses import dataclass
from typing import Any

from catalogs.catalog import Catalog, Item
from catalogs.goal import Goal, targets
from dialogue.acts import DETAILS, REJECT
from dialogue.constants import check_constants
from dialogue.streams import Uniform
from dialogue.view import DialogueView
from retrieval.structured import StructuredRetriever
from simulators.behaviour import Behaviour
from simulators.seen import SeenItems
from simulators.user import EmbeddedUser


@dataclass(frozen=True, slots=True)
class ImaginationSettings:
    """Constants of goal sampling.

    Attributes:
        violation: Factor on the weight of a tier per violated hard constraint, in [0, 1].
        mismatch: Weight of a tier, relative to a matching one, per ``any`` facet whose stated
            values it lacks (stated people may all be ones that the target does not have), in [0,
            1].
        familiar: Exponent that draws items of a tier towards its front (familiar, undoubted); 1 is
            uniform; in [0.1, 100].
        tier_items: Items considered per tier, most familiar first; at least 1.
        tiers: Tiers considered, at least 1.
        attempts: Resamplings of a goal that a rejected item would have met, at least 0.
    """

    violation: float = 0.03
    mismatch: float = 0.15
    familiar: float = 1.5
    tier_items: int = 300
    tiers: int = 8
    attempts: int = 5

    def __post_init__(self) -> None:
        """Check ranges; ValueError names the constant that is out of its range."""
        check_constants(
            self,
            {
                **dict.fromkeys(("violation", "mismatch"), (0.0, 1.0)),
                "familiar": (0.1, 100.0),
                **dict.fromkeys(("tier_items", "tiers"), (1, None)),
                "attempts": (0, None),
            },
            place="ImaginationSettings",
        )


class GoalSampler:
    """Samples goals that fit a view.

    Built once per decision, then about ten microseconds a goal.
    """

    __slots__ = (
        "_catalog",
        "_cumulative",
        "_likes",
        "_closed",
        "_rejected",
        "_settings",
        "_tiers",
        "_offered",
    )

    def __init__(
        self, view: DialogueView, retriever: StructuredRetriever, settings: ImaginationSettings
    ) -> None:
        self._catalog = view.catalog
        self._settings = settings
        self._likes = list(view.state.likes)
        self._closed = list(view.state.closed)
        self._offered = 0
        self._rejected = 0
        for item, reaction in view.offers:
            if reaction == DETAILS:
                continue
            self._offered |= view.catalog.works[item]
            if reaction == REJECT:
                self._rejected |= 1 << item
        self._tiers: list[list[int]] = []
        self._cumulative: list[float] = []
        self._collect(view, retriever)

    def _collect(self, view: DialogueView, retriever: StructuredRetriever) -> None:
        """Weigh the tiers.

        By constraints violated, and by how much of each was rejected already.
        """
        settings, total = self._settings, 0.0
        stated = sum(
            1
            for f, facet in enumerate(view.catalog.domain.facets)
            if facet.match == "any" and self._likes[f]
        )
        for tier, violations, met in retriever.tiers(view.state, view.catalog.everything):
            left = tier & ~self._offered
            if not left:
                continue
            size = left.bit_count()
            rejected = (tier & self._rejected).bit_count()
            weight = settings.violation**violations * settings.mismatch ** (stated - met)
            total += weight * size / (size + rejected)
            items = list(retriever.ordered(view.state, left, settings.tier_items))
            self._tiers.append(items)
            self._cumulative.append(total)
            if len(self._tiers) == settings.tiers:
                break

    def sample(self, rng: random.Random) -> tuple[Goal, int]:
        """A goal and the bit set of its items not offered yet (not empty while an item is left)."""
        goal, found = self._draw(rng)
        for _ in range(self._settings.attempts):
            if not found & self._rejected:
                break
            goal, found = self._draw(rng)
        return goal, found & ~self._offered

    def _draw(self, rng: random.Random) -> tuple[Goal, int]:
        catalog = self._catalog
        if not self._tiers:
            goal = Goal(tuple(self._likes))
            return goal, targets(catalog, goal)
        draw = rng.random() * self._cumulative[-1]
        level = next(
            (i for i, edge in enumerate(self._cumulative) if draw < edge), len(self._tiers) - 1
        )
        items = self._tiers[level]
        pivot = catalog.items[self._pick(items, rng)]
        goal = Goal(tuple(self._values(f, pivot, items, rng) for f in range(len(self._likes))))
        return goal, targets(catalog, goal) | 1 << pivot.index

    def _pick(self, items: list[int], rng: random.Random) -> int:
        return items[int(len(items) * rng.random() ** self._settings.familiar)]

    def _values(self, f: int, pivot: Item, items: list[int], rng: random.Random) -> tuple[int, ...]:
        """Wanted values of a facet.

        What was stated, what the pivot has, and others that co-occur.
        """
        facet, likes, own = self._catalog.domain.facets[f], self._likes[f], pivot.values[f]
        if facet.match == "all":
            fits = all(value in own for value in likes)
            return likes if self._closed[f] and fits else own
        if self._closed[f] and likes:
            return likes
        values = list(likes)
        if own and not any(value in likes for value in own):
            values.append(own[int(len(own) * rng.random())])
        missing = (facet.goal_size or len(values)) - len(values)
        for _ in range(max(0, missing)):
            others = self._catalog.items[self._pick(items, rng)].values[f]
            if others and others[0] not in values:
                values.append(others[0])
        return tuple(values)


class GoalPool:
    """A fixed number of sampled goals, shared by a decision's simulations and estimates.

    Attributes:
        goals: ``(goal, acceptable)`` pairs as :meth:`GoalSampler.sample` returns them.
    """

    __slots__ = ("goals",)

    def __init__(self, sampler: GoalSampler, size: int, rng: random.Random) -> None:
        self.goals = [sampler.sample(rng) for _ in range(size)]

    def draw(self, rng: random.Random) -> tuple[Goal, int]:
        """One of the goals, uniformly."""
        return self.goals[int(len(self.goals) * rng.random())]


class ImaginedUser(EmbeddedUser):
    """An embedded user in the middle of a dialogue, as a planner imagines it.

    What it has seen is drawn when it matters: an item is seen with the behaviour's rate, by
    familiarity. ``worn`` is the patience that the dialogue cost a user of this fatigue
    (``simulators.wear``); the level of impatience shown bounds it.
    """

    __slots__ = ("_chances", "_known", "_unseen")

    def __init__(
        self,
        view: DialogueView,
        goal: Goal,
        acceptable: int,
        behaviour: Behaviour,
        stream: Uniform,
        vague: tuple[dict[int, tuple[int, ...]], ...],
        seen: SeenItems,
        worn: float,
    ) -> None:
        super().__init__(view.catalog, goal, behaviour, 0, stream, vague, acceptable)
        self._chances = seen
        self._known: dict[int, bool] = {}
        self._unseen = (acceptable & -acceptable).bit_length() - 1 if acceptable else -1
        self._resume(view, worn)

    def _resume(self, view: DialogueView, worn: float) -> None:
        """Take over what the view shows.

        Values said, questions asked, patience worn, offers pending.
        """
        state, rng = view.state, self.stream
        for f, values in enumerate(self.goal.values):
            likes = state.likes[f]
            left = tuple([v for v in values if v not in likes]) if likes else values
            if len(left) > 1:
                first = int(len(left) * rng.random())
                left = left[first:] + left[:first]
            self.remaining[f] = left
            for pair in state.ambiguous[f]:
                self.vague_said[f] += tuple([v for v in pair if v in left])
        self.evaded = state.evasions[:]
        self.streak = view.streak
        self.level = view.impatience
        self.asked_details = view.details
        low, high = view.impatience / 3.0, (view.impatience + 0.95) / 3.0
        spent = min(max(worn / self.behaviour.patience, low), high)
        self.patience = self.behaviour.patience * max(0.05, 1.0 - spent)
        if view.just_rejected and view.offers:
            self.last_rejected = view.offers[-1][0]
            self.reason_facet = view.reason[0]

    @classmethod
    def restored(
        cls,
        catalog: Catalog,
        goal: Goal,
        acceptable: int,
        behaviour: Behaviour,
        stream: Uniform,
        vague: tuple[dict[int, tuple[int, ...]], ...],
        seen: SeenItems,
        state: dict[str, Any],
    ) -> ImaginedUser:
        """The imagined user that :meth:`get_state` was asked of, in another process if need be."""
        user = cls.__new__(cls)
        EmbeddedUser.__init__(user, catalog, goal, behaviour, 0, stream, vague, acceptable)
        user._chances = seen
        user._unseen = (acceptable & -acceptable).bit_length() - 1 if acceptable else -1
        user.set_state(state)
        return user

    def get_state(self) -> dict[str, Any]:
        """What changes during a rollout, and which items it was found to have seen or not."""
        known = [[item, seen] for item, seen in self._known.items()]
        return {**super().get_state(), "known": known}

    def set_state(self, state: dict[str, Any]) -> None:
        """Return to a state from :meth:`get_state`."""
        super().set_state(state)
        self._known = dict(state["known"])

    def _has_seen(self, item: int) -> bool:
        known = self._known.get(item)
        if known is None:
            chance = self._chances.probability(item, self.behaviour.seen)
            known = self._known[item] = item != self._unseen and self.stream.random() < chance
        return known
