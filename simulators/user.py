"""The embedded user: a goal, a behaviour, and what follows from them.

It works on acts, never on text. It accepts only a target: an item that meets its goal (dreams
§A.10) and that it has not seen. The environment verifies acceptance against the catalogue again.
"""

from __future__ import annotations

from typing import Any

from catalogs.catalog import Catalog
from catalogs.goal import Goal, targets
from dialogue.acts import (
    ACCEPT,
    CORRECT,
    DETAILS,
    EVADE,
    LIKE,
    NOMORE,
    OTHER,
    QUIT,
    REJECT,
    SEEN,
    SIGH,
    VAGUE,
    UserAct,
    UserActs,
)
from dialogue.streams import Uniform
from simulators.behaviour import Behaviour

SEEN_COST = 0.5
USELESS_COST = 0.5
FATIGUE_COST = 1.0
REJECTION_COST = 1.0
CORRECTS_SLIP = 0.8
"""Chance per reply that a slip not yet taken back is corrected."""
GIVES_WISH = 0.5
"""Chance that a stated reason comes with what is wanted instead."""


class EmbeddedUser:
    """One simulated user in one dialogue.

    Args:
        catalog: The items.
        goal: What is wanted; at least one target must be left by ``seen``.
        behaviour: How the user behaves.
        seen: Bit set of the items already seen.
        stream: Where all of the user's randomness comes from.
        vague: Per facet and value, the values with which a vague word confuses it (see
            :func:`vague_partners`).
        acceptable: Bit set of the targets, if the caller has it: items that meet the goal and are
            not seen.

    Attributes:
        patience: What is left; the user leaves at 0 or below.
    """

    __slots__ = (
        "_all", "acceptable", "asked_details", "behaviour", "catalog", "evaded", "goal",
        "last_rejected", "level", "left", "n_facets", "patience", "reason_facet", "remaining",
        "seen", "slip", "stream", "streak", "vague", "vague_said",
    )  # fmt: skip

    def __init__(
        self,
        catalog: Catalog,
        goal: Goal,
        behaviour: Behaviour,
        seen: int,
        stream: Uniform,
        vague: tuple[dict[int, tuple[int, ...]], ...],
        acceptable: int | None = None,
    ) -> None:
        self.catalog = catalog
        self.goal = goal
        self.behaviour = behaviour
        self.seen = seen
        self.stream = stream
        self.vague = vague
        facets = catalog.domain.facets
        self.n_facets = len(facets)
        self._all = [facet.match == "all" for facet in facets]
        self.acceptable = targets(catalog, goal) & ~seen if acceptable is None else acceptable
        self.remaining: list[tuple[int, ...]] = list(goal.values)
        self.vague_said: list[tuple[int, ...]] = [()] * self.n_facets
        self.evaded = [0] * self.n_facets
        self.slip: tuple[int, int, int] | None = None
        self.patience = behaviour.patience
        self.streak = 0
        self.level = 0
        self.asked_details = -1
        self.last_rejected = -1
        self.reason_facet = -1
        self.left = False

    def shuffle(self) -> None:
        """Draw the order in which the goal's values will come up; once per dialogue."""
        for f, values in enumerate(self.remaining):
            order = list(values)
            for i in range(len(order) - 1, 0, -1):
                j = int(self.stream.random() * (i + 1))
                order[i], order[j] = order[j], order[i]
            self.remaining[f] = tuple(order)

    def open(self) -> UserActs:
        """The opening: each facet's first value with the behaviour's chance."""
        acts: list[UserAct] = []
        behaviour, draw = self.behaviour, self.stream.random
        for f in range(self.n_facets):
            chance = behaviour.opens_topic if self._all[f] else behaviour.opens_person
            if self.remaining[f] and draw() < chance:
                self._tell(f, acts)
        return tuple(acts)

    def respond(self, action: int, item: int) -> UserActs:
        """React to a system action (an index of the domain's actions).

        ``item`` is the item it is about, or -1.
        """
        acts: list[UserAct] = []
        slip = self.slip
        if slip is not None and self.stream.random() < CORRECTS_SLIP:
            acts.append(UserAct(CORRECT, slip[0], slip[1], slip[2]))
            self.slip = None
        if action < self.n_facets:
            self.asked_details = -1
            self._tire()
            self._answer(action, acts)
        elif action == self.n_facets:
            self.asked_details = -1
            self._tire()
            self._answer_reflection(acts)
        elif action == self.n_facets + 1:
            self.streak = 0
            self._consider(item, acts)
        else:
            self.streak = 0
            self._hear_details(item, acts)
        self._show_patience(acts)
        return tuple(acts)

    def _tire(self) -> None:
        self.streak += 1
        if self.streak > self.behaviour.fatigue:
            self.patience -= FATIGUE_COST

    def _answer(self, facet: int, acts: list[UserAct]) -> None:
        behaviour, draw = self.behaviour, self.stream.random
        if not self.remaining[facet]:
            self.patience -= USELESS_COST
            acts.append(UserAct(NOMORE, facet))
            return
        unclear = self.vague_said[facet]
        chance = behaviour.evade_topic if self._all[facet] else behaviour.evade_person
        if not unclear and draw() < chance * 0.5 ** self.evaded[facet]:
            self.evaded[facet] += 1
            acts.append(UserAct(EVADE, facet))
            return
        self._tell(facet, acts)
        if self.remaining[facet] and draw() < behaviour.two_values:
            self._tell(facet, acts)
        if draw() < behaviour.volunteer:
            others = [f for f in range(self.n_facets) if f != facet and self.remaining[f]]
            if others:
                self._tell(others[int(draw() * len(others))], acts)

    def _tell(self, facet: int, acts: list[UserAct]) -> None:
        """State the next value of a facet, clearly, vaguely, or with a slip."""
        behaviour, draw = self.behaviour, self.stream.random
        value = self.remaining[facet][0]
        if value in self.vague_said[facet]:
            self._say(facet, value, acts)
            return
        partners = self.vague[facet].get(value)
        if partners and draw() < behaviour.vague:
            self.vague_said[facet] = (*self.vague_said[facet], value)
            acts.append(UserAct(VAGUE, facet, value, partners[int(draw() * len(partners))]))
        elif self.slip is None and draw() < behaviour.slip:
            wrong = self._wrong_value(facet, value)
            if wrong == value:
                self._say(facet, value, acts)
                return
            self.remaining[facet] = self.remaining[facet][1:]
            self.slip = (facet, value, wrong)
            acts.append(UserAct(LIKE, facet, wrong))
        else:
            self._say(facet, value, acts)

    def _say(self, facet: int, value: int, acts: list[UserAct]) -> None:
        self.remaining[facet] = tuple(v for v in self.remaining[facet] if v != value)
        if self.vague_said[facet]:
            self.vague_said[facet] = tuple(v for v in self.vague_said[facet] if v != value)
        acts.append(UserAct(LIKE, facet, value))

    def _wrong_value(self, facet: int, value: int) -> int:
        """One of the twelve most frequent values that are not wanted.

        ``value`` when there is none.
        """
        wanted = self.goal.values[facet]
        options = [
            v
            for v in range(min(12 + len(wanted), len(self.catalog.vocabulary[facet])))
            if v not in wanted
        ]
        return options[int(self.stream.random() * len(options))] if options else value

    def _has_seen(self, item: int) -> bool:
        return bool(self.seen >> item & 1)

    def _consider(self, item: int, acts: list[UserAct]) -> None:
        self.asked_details = -1
        if self._has_seen(item):
            self.patience -= SEEN_COST
            self.last_rejected, self.reason_facet = item, -1
            acts.append(UserAct(SEEN, -1, -1, item))
        elif self.stream.random() < self.behaviour.details:
            self.asked_details = item
            acts.append(UserAct(DETAILS, -1, -1, item))
        else:
            self._decide(item, acts)

    def _hear_details(self, item: int, acts: list[UserAct]) -> None:
        if self.asked_details == item:
            self.asked_details = -1
            self._decide(item, acts)
        else:
            self.asked_details = -1
            self.patience -= USELESS_COST
            acts.append(UserAct(OTHER))

    def _decide(self, item: int, acts: list[UserAct]) -> None:
        if self.acceptable >> item & 1:
            acts.append(UserAct(ACCEPT, -1, -1, item))
            return
        self.patience -= REJECTION_COST
        self.last_rejected, self.reason_facet = item, -1
        if self.stream.random() < self.behaviour.reason:
            self._give_reason(item, acts)
        else:
            acts.append(UserAct(REJECT, -1, -1, item))

    def _unmet(self, item: int) -> list[int]:
        """Facets whose wanted values the item fails."""
        values = self.catalog.items[item].values
        failed = []
        for f, wanted in enumerate(self.goal.values):
            if wanted:
                hits = [v in values[f] for v in wanted]
                if not (all(hits) if self._all[f] else any(hits)):
                    failed.append(f)
        return failed

    def _give_reason(self, item: int, acts: list[UserAct]) -> None:
        facets = self._unmet(item)
        if not facets:  # what is wrong with it is that it has been seen (a model asked about it)
            acts.append(UserAct(SEEN, -1, -1, item))
            return
        facet = facets[int(self.stream.random() * len(facets))]
        unwanted = [
            v for v in self.catalog.items[item].values[facet] if v not in self.goal.values[facet]
        ]
        value = unwanted[int(self.stream.random() * len(unwanted))] if unwanted else -1
        self.reason_facet = facet
        acts.append(UserAct(REJECT, facet, value, item))
        if self.stream.random() < GIVES_WISH:
            self._wish(facet, item, acts)

    def _wish(self, facet: int, item: int, acts: list[UserAct]) -> bool:
        """Say a wanted value of the facet that was not said yet, one that the item lacks first."""
        values = self.catalog.items[item].values[facet]
        left = self.remaining[facet]
        if not left:
            return False
        self._say(facet, next((v for v in left if v not in values), left[0]), acts)
        return True

    def _answer_reflection(self, acts: list[UserAct]) -> None:
        """Say what is wanted instead of what the last rejection was about."""
        item = self.last_rejected
        if item < 0:
            self.patience -= USELESS_COST
            acts.append(UserAct(OTHER))
            return
        facet = self.reason_facet
        if facet < 0:
            facets = [f for f in self._unmet(item) if self.remaining[f]] or [
                f for f in range(self.n_facets) if self.remaining[f]
            ]
            facet = facets[int(self.stream.random() * len(facets))] if facets else -1
        if facet >= 0 and self._wish(facet, item, acts):
            return
        self.patience -= USELESS_COST
        acts.append(UserAct(NOMORE, facet) if facet >= 0 else UserAct(OTHER))

    def _show_patience(self, acts: list[UserAct]) -> None:
        if self.patience <= 0 and not (acts and acts[-1].kind == ACCEPT):
            self.left = True
            acts.append(UserAct(QUIT))
            return
        total = self.behaviour.patience
        level = int(3.0 * (total - self.patience) / total)
        if level > self.level:
            self.level = level
            acts.append(UserAct(SIGH, level))

    def get_state(self) -> dict[str, Any]:
        """Everything that changes during a dialogue, as plain JSON values."""
        return {
            "remaining": [list(values) for values in self.remaining],
            "vague_said": [list(values) for values in self.vague_said],
            "evaded": self.evaded[:],
            "slip": list(self.slip) if self.slip else None,
            "patience": self.patience,
            "streak": self.streak,
            "level": self.level,
            "asked_details": self.asked_details,
            "last_rejected": self.last_rejected,
            "reason_facet": self.reason_facet,
            "left": self.left,
        }

    def set_state(self, state: dict[str, Any]) -> None:
        """Return to a state from :meth:`get_state` (of a user with the same goal and behaviour)."""
        self.remaining = [tuple(values) for values in state["remaining"]]
        self.vague_said = [tuple(values) for values in state["vague_said"]]
        self.evaded = list(state["evaded"])
        slip = state["slip"]
        self.slip = (slip[0], slip[1], slip[2]) if slip else None
        for name in (
            "patience",
            "streak",
            "level",
            "asked_details",
            "last_rejected",
            "reason_facet",
            "left",
        ):
            setattr(self, name, state[name])


def vague_partners(catalog: Catalog) -> tuple[dict[int, tuple[int, ...]], ...]:
    """Per facet: value -> values that one of the domain's vague words also fits, ascending."""
    result: list[dict[int, tuple[int, ...]]] = []
    for f, facet in enumerate(catalog.domain.facets):
        partners: dict[int, set[int]] = {}
        ids = catalog.value_ids[f]
        for names in facet.vague.values():
            values = [ids[name] for name in names if name in ids]
            if len(values) == 2:
                a, b = values
                partners.setdefault(a, set()).add(b)
                partners.setdefault(b, set()).add(a)
        result.append({value: tuple(sorted(found)) for value, found in sorted(partners.items())})
    return tuple(result)
