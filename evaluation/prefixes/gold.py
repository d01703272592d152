"""The gold next action of a prefix: what a careful annotator who knows the goal would do next.

The rules, first to apply; they read the tracked state, the goal and the items. They share no code
with any policy or with the scorer beyond the environment's own: which items hold a value
(``catalogs.goal``), the tracked state (:class:`~dialogue.state.PreferenceState`) and the shared
retriever (:class:`~retrieval.structured.StructuredRetriever`), which policies see too. *Left to
say* in a facet are the goal's values that the tracked state does not hold, unless the user has said
that there is nothing more. The *chance* of a state is the number of targets in the first tier of
equally fitting items (``retrieval.structured``) that holds one, divided by the number of items down
to it: how soon offering in order finds a target.

=============  ========================================================  =========================
rule           when                                                      gold, preferred first
=============  ========================================================  =========================
details        the user asked about the offer                            ItemExplanation
reason         an offer was just rejected for a facet in which           FailureReflection, the
               something is left to say                                  facet's inquiry; ItemRec
                                                                         if the best is a target
target         the best item for what is known is a target               ItemRec
last turn      one turn is left                                          ItemRec
question       something is left to say                                  the inquiry after which
                                                                         the chance is highest
nothing left   else                                                      ItemRec
=============  ========================================================  =========================

About ``question``: the chance after an inquiry is the mean over what is left to say in its facet,
each value being the answer. Inquiries within :data:`NEAR` of the best are gold too, and so is one
that clears up a vague word which may mean something left to say. A facet that the user evaded just
now is left alone where another one has something left. After a rejection without a reason
FailureReflection is gold too if the item fails a facet with something left to say. Where no inquiry
raises the chance, ItemRec is gold too.

Where ItemRec is gold by another rule than ``target`` or ``reason``, any offer is right; else the
offer must be a target, whoever ranked it.
"""

from __future__ import annotations

from dataclasses import dataclass

from catalogs.catalog import Catalog
from catalogs.goal import Goal, facet_matches
from dialogue.acts import EVADE, LIKE, REJECT, UserAct
from dialogue.state import PreferenceState
from dialogue.view import DialogueView
from retrieval.structured import StructuredRetriever

NEAR = 0.5
"""Share of the best inquiry's chance from which another one is worth making too."""


@dataclass(frozen=True, slots=True)
class Gold:
    """What is right after a prefix.

    Attributes:
        actions: Gold actions of the domain, the preferred one first.
        rule: The rule that applied.
        any_offer: Whether ItemRec is right whatever it offers.
        needless: Questions (inquiries, FailureReflection) after which nothing new can be said.
    """

    actions: tuple[int, ...]
    rule: str
    any_offer: bool
    needless: tuple[int, ...]


class GoldRules:
    """Derives gold actions over one catalogue.

    Args:
        catalog: The items.
    """

    def __init__(self, catalog: Catalog) -> None:
        self._catalog = catalog
        self._retriever = StructuredRetriever(catalog)

    def of(self, view: DialogueView, goal: Goal, targets: int) -> Gold:
        """The gold next action.

        Args:
            view: The prefix; not over yet.
            goal: What the user wants.
            targets: Bit set of the items that it would accept.
        """
        domain = self._catalog.domain
        left = [_left(view.state, goal, f) for f in range(domain.n_facets)]
        reflects = self._reflection_facets(view, goal, left)
        needless = [f for f, values in enumerate(left) if not values]
        if not reflects:
            needless.append(domain.reflect)
        actions, rule, any_offer = self._choose(view, targets, left, reflects)
        return Gold(tuple(dict.fromkeys(actions)), rule, any_offer, tuple(needless))

    def _choose(
        self, view: DialogueView, targets: int, left: list[tuple[int, ...]], reflects: list[int]
    ) -> tuple[list[int], str, bool]:
        """Actions, rule, and whether any offer is right."""
        domain = self._catalog.domain
        found = self._retriever.top(view, 1)
        on_target = bool(found) and bool(targets >> found[0] & 1)
        if view.details >= 0:
            return [domain.explain], "details", False
        if view.reason[0] >= 0 and reflects:
            offer = [domain.recommend] if on_target else []
            return [domain.reflect, *reflects, *offer], "reason", False
        if on_target:
            return [domain.recommend], "target", False
        if view.turn >= view.max_turns - 1:
            return [domain.recommend], "last turn", True
        if any(left):
            asked, helps = self._questions(view, targets, left)
            blind = [domain.reflect] if reflects else []
            offer = [] if helps else [domain.recommend]
            return [*asked, *blind, *offer], "question", not helps
        return [domain.recommend], "nothing left", True

    def _questions(
        self, view: DialogueView, targets: int, left: list[tuple[int, ...]]
    ) -> tuple[list[int], bool]:
        """The inquiries worth making, best first, and whether the best raises the chance."""
        evaded = {act.facet for act in view.exchanges[-1].acts if act.kind == EVADE}
        open_facets = [f for f, values in enumerate(left) if values]
        free = [f for f in open_facets if f not in evaded] or open_facets
        worth = {f: self._after(view, targets, f, left[f]) for f in free}
        order = sorted(free, key=lambda f: (-worth[f], f))
        best = worth[order[0]]
        good = [f for f in order if worth[f] >= NEAR * best or _unclear(view.state, f, left[f])]
        return good, best > self._chance(view.state, view.offered, targets)

    def _after(
        self, view: DialogueView, targets: int, facet: int, values: tuple[int, ...]
    ) -> float:
        """Mean chance after an answer with one of the values."""
        total = 0.0
        for value in values:
            state = view.state.copy()
            state.update((UserAct(LIKE, facet, value),))
            total += self._chance(state, view.offered, targets)
        return total / len(values)

    def _chance(self, state: PreferenceState, offered: int, targets: int) -> float:
        passed = 0
        for tier, _, _ in self._retriever.tiers(state, self._catalog.everything & ~offered):
            passed += tier.bit_count()
            if hits := (tier & targets).bit_count():
                return hits / passed
        return 0.0

    def _reflection_facets(
        self, view: DialogueView, goal: Goal, left: list[tuple[int, ...]]
    ) -> list[int]:
        """Facets that the user would speak about when asked what was wrong, if it can say more."""
        if not view.just_rejected:
            return []
        if view.reason[0] >= 0:
            return [view.reason[0]] if left[view.reason[0]] else []
        item, reaction = view.offers[-1]
        if reaction != REJECT:
            return []  # it has been seen: nothing was wrong with it
        return [f for f in self._missed(goal, item) if left[f]]

    def _missed(self, goal: Goal, item: int) -> list[int]:
        return [
            f
            for f, facet in enumerate(self._catalog.domain.facets)
            if not facet_matches(self._catalog, f, goal.values[f], facet.match == "all") >> item & 1
        ]


def _left(state: PreferenceState, goal: Goal, facet: int) -> tuple[int, ...]:
    """Wanted values of a facet that are not known, if the user has more to say about it."""
    if state.closed[facet]:
        return ()
    return tuple(value for value in goal.values[facet] if value not in state.likes[facet])


def _unclear(state: PreferenceState, facet: int, left: tuple[int, ...]) -> bool:
    """Whether a vague word about the facet may mean something that is left to say."""
    return any(value in left for pair in state.ambiguous[facet] for value in pair)
