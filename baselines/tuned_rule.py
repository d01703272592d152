"""The strongest rule by hand over the public view, with constants to tune on train goals.

It does not look ahead: everything is decided by counting what is known, what was just asked, and
how the last offer was received. Against it, search is compared with more than asking all.

1. Explain the last offer when the user asks about it.
2. Ask while questions are left (their number depends on the situation) and something is open.
3. Otherwise offer the shared retriever's best item.
"""

from __future__ import annotations

from dataclasses import dataclass, fields
from typing import Literal, get_args

import numpy as np

from dialogue.acts import SEEN
from dialogue.constants import check_constants
from dialogue.view import DialogueView

Order = Literal["topics", "people", "reversed", "least_known"]
Reflect = Literal["never", "reason", "always"]
NEVER = 99
"""More than any dialogue counts: "no limit" where a constant is a limit."""


@dataclass(frozen=True, slots=True)
class TunedRuleSettings:
    """Constants of the rule; counts are whole numbers of at least 0.

    Attributes:
        order: Which open facet is asked about first: ``topics`` (the domain's order), ``people``
            (people first), ``reversed`` (the domain's order from its end), or ``least_known`` (the
            fewest values known, equal ones in the domain's order).
        first: Questions in a row before the first offer.
        after_rejection: Questions in a row after an offer was turned down.
        after_reason: The same while the user's last words say what was wrong.
        after_seen: The same where the item was only known already.
        hurry: Questions fewer per level of impatience shown.
        topic_values: Values after which a facet that needs all of its values is known well enough.
        people_values: Values after which a facet that needs one of its values is.
        ask_limit: Questions about one facet in all.
        evasions: Evasions after which a facet is not asked about any more; 0 means no limit.
        ambiguous_first: Whether a facet with an unclear word is asked about before all others.
        enough_candidates: Items that fit equally well, or fewer, with which it offers at once.
        enough_facets: Facets of which something is known, with which it offers at once.
        sure_score: Share of the constraints that the best item must meet for offering at once.
        last_turns: Turns at the end in which it asks no more.
        reflect: When a rejection is taken up by FailureReflection: ``never``, with a ``reason``
            only, or ``always``. It counts as a question.
        explain: Whether it explains an offer when asked.
    """

    order: Order = "reversed"
    first: int = 2
    after_rejection: int = 1
    after_reason: int = 1
    after_seen: int = 1
    hurry: int = 0
    topic_values: int = 3
    people_values: int = 2
    ask_limit: int = 3
    evasions: int = 2
    ambiguous_first: bool = False
    enough_candidates: int = 0
    enough_facets: int = NEVER
    sure_score: float = 0.0
    last_turns: int = 2
    reflect: Reflect = "always"
    explain: bool = True

    def __post_init__(self) -> None:
        """Check the ranges; ValueError names the constant."""
        counts = [field.name for field in fields(self) if field.type == "int"]
        check_constants(
            self,
            {**dict.fromkeys(counts, (0, None)), "sure_score": (0.0, 1.0)},
            {"order": get_args(Order), "reflect": get_args(Reflect)},
        )


class TunedRule:
    """Asks, explains and offers by rule; a pure function of the view.

    Args:
        settings: Constants.
    """

    def __init__(self, settings: TunedRuleSettings | None = None) -> None:
        self.settings = settings or TunedRuleSettings()

    def reset(self, view: DialogueView, rng: np.random.Generator) -> None:
        """Nothing to forget."""

    def decide(self, view: DialogueView, rng: np.random.Generator) -> int:
        """The next action; the environment fills in item and words."""
        domain, rules = view.catalog.domain, self.settings
        if rules.explain and view.details >= 0:
            return domain.explain
        open_facets = self._open(view)
        can_offer = view.offered != view.catalog.everything
        if can_offer and (view.streak >= self._questions(view) or self._sure(view)):
            return domain.recommend
        if view.just_rejected and self._takes_up(view):
            return domain.reflect
        if open_facets:
            return min(open_facets, key=lambda f: self._place(view, f))
        return domain.recommend if can_offer else 0

    def _questions(self, view: DialogueView) -> int:
        """Questions in a row that the situation allows."""
        rules = self.settings
        if view.max_turns - view.turn <= rules.last_turns:
            return 0
        if not view.offers:
            allowed = rules.first
        elif view.offers[-1][1] == SEEN:
            allowed = rules.after_seen
        elif view.reason[0] >= 0:
            allowed = rules.after_reason
        else:
            allowed = rules.after_rejection
        return allowed - rules.hurry * view.impatience

    def _sure(self, view: DialogueView) -> bool:
        """Whether the next offer looks good enough to stop asking."""
        rules, found = self.settings, view.assess()
        if found.scores[0] < rules.sure_score:
            return False
        known = sum(1 for likes in view.state.likes if likes)
        return found.candidates <= rules.enough_candidates or known >= rules.enough_facets

    def _takes_up(self, view: DialogueView) -> bool:
        if self.settings.reflect == "always":
            return True
        return self.settings.reflect == "reason" and view.reason[0] >= 0

    def _open(self, view: DialogueView) -> list[int]:
        """Facets that another question may tell more about."""
        return [f for f in range(len(view.asked)) if self._is_open(view, f)]

    def _is_open(self, view: DialogueView, f: int) -> bool:
        rules, state = self.settings, view.state
        if state.closed[f] or view.asked[f] >= rules.ask_limit:
            return False
        if rules.evasions and state.evasions[f] >= rules.evasions:
            return False
        needs_all = view.catalog.domain.facets[f].match == "all"
        enough = rules.topic_values if needs_all else rules.people_values
        return bool(state.ambiguous[f]) or len(state.likes[f]) < enough

    def _place(self, view: DialogueView, f: int) -> tuple[bool, int, int]:
        """Sorts open facets: what is asked about first comes first."""
        rules, facet = self.settings, view.catalog.domain.facets[f]
        clear = rules.ambiguous_first and not view.state.ambiguous[f]
        if rules.order == "least_known":
            return clear, len(view.state.likes[f]), f
        if rules.order == "people":
            return clear, int(not facet.person), f
        return clear, 0, -f if rules.order == "reversed" else f
