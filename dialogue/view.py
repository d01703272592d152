"""The public view of a conversation: all that a policy may read, and nothing that is hidden.

Never in here: goal, persona, seen items, reward, info.
"""

from __future__ import annotations

from dataclasses import dataclass
from operator import index
from typing import TYPE_CHECKING, NamedTuple, Protocol

from catalogs.catalog import Catalog
from dialogue.acts import ACCEPT, DETAILS, OTHER, QUIT, REJECT, REJECTIONS, SEEN, SIGH, UserActs
from dialogue.state import PreferenceState

if TYPE_CHECKING:
    from collections.abc import Sequence

NO_REASON = (-1, -1)


@dataclass(frozen=True, slots=True)
class SystemTurn:
    """What a policy does in a turn; what is missing, the environment fills in.

    Attributes:
        action: Action index of the domain.
        text: Utterance, or None for the environment's responder.
        query: Free-text query that the ranking was made with, if any (recorded).
        ranking: At most 10 item indices; ItemRec offers ``ranking[0]``. None for the shared
            retriever's.
        search_changed: Whether a search overruled the policy's prior, if it has both (recorded).
        trace: JSON-compatible account of how the decision was made, if asked for (recorded).
    """

    action: int
    text: str | None = None
    query: str | None = None
    ranking: tuple[int, ...] | None = None
    search_changed: bool | None = None
    trace: dict[str, object] | None = None

    def plain(self) -> SystemTurn:
        """The same turn in Python's own types, for turns made with NumPy numbers or arrays.

        Raises:
            TypeError: The action or an entry of the ranking is no integer, or a text is none.
        """
        for what, text in (("text", self.text), ("query", self.query)):
            if text is not None and not isinstance(text, str):
                raise TypeError(f"the {what} of a turn must be a text or None, not {text!r}")
        return SystemTurn(
            index(self.action),
            self.text,
            self.query,
            None if self.ranking is None else tuple(map(index, self.ranking)),
            None if self.search_changed is None else bool(self.search_changed),
            self.trace,
        )


class Exchange(NamedTuple):
    """One finished turn: what the system did and what came back (turn 0: only the user's opening).

    Attributes:
        turn: Turn number; 0 is the opening.
        action: System action, -1 for the opening.
        item: Item offered or explained, -1 if none.
        ranking: Items ranked in the turn, possibly empty.
        system_text: The system's utterance, empty in ``channel=acts``.
        user_text: The user's utterance, empty in ``channel=acts``.
        acts: The user's acts as tracked (from text in ``channel=text``).
        query: The policy's query, if it gave one.
    """

    turn: int
    action: int
    item: int
    ranking: tuple[int, ...]
    system_text: str
    user_text: str
    acts: UserActs
    query: str | None = None


class Assessment(NamedTuple):
    """How well a tracked state pins down an item.

    Attributes:
        candidates: Number of items that meet the constraints equally well and best, 0..N.
        entropy: Entropy in bits of the uniform belief over these candidates.
        scores: Share of constraints met by the best three items, each in [0, 1].
        best: Index of the top item, -1 when nothing is left to offer.
    """

    candidates: int
    entropy: float
    scores: tuple[float, float, float]
    best: int


class SharedRetriever(Protocol):
    """The retriever that environment and policies share (see ``retrieval``)."""

    def assess(self, view: DialogueView) -> Assessment:
        """Candidate count, entropy, top scores and top item for the tracked state."""
        ...

    def top(self, view: DialogueView, count: int) -> tuple[int, ...]:
        """The best ``count`` items for the tracked state that were not offered yet."""
        ...


class DialogueView:
    """Public state of one conversation. Policies must treat it as read-only.

    Attributes:
        catalog: The items.
        retriever: The shared retriever.
        channel: ``text`` or ``acts``.
        max_turns: Number of system turns after which the dialogue is truncated.
        state: The tracked preferences.
        turn: Number of finished system turns.
        last_action: The system's last action, -1 before the first.
        asked: Per facet, number of inquiries so far.
        streak: Consecutive questions (inquiries and reflections) just asked.
        offers: ``(item, accepted kind)`` pairs in order: item index and the :class:`Kind` of the
            reaction (ACCEPT, REJECT, SEEN, DETAILS while undecided, OTHER when ignored).
        offered: Bit set of the offered items and all rows of the same works.
        rejections: Number of rejections, "seen it" included.
        seen: Number of "seen it" rejections.
        explained: Number of explanations given so far.
        reason: ``(facet, value)`` of the last rejection's stated reason while it is the last thing
            that happened, else ``NO_REASON``; ``value`` is -1 when only the facet was named.
        just_rejected: Whether the last user turn rejected an offer.
        details: Item whose details the user just asked for, or -1.
        impatience: Highest level of impatience shown, 0..3.
        ended: Whether the user accepted or left.
        invalid: Number of illegal actions so far.
        suggested: Scores of the actions that came with the tracking of the last utterance, or None:
            one model call may read a text and score what to do next. Embedded tracking gives none.
        exchanges: Finished turns, opening first (empty in imagined conversations).
    """

    __slots__ = (
        "_assessment", "asked", "catalog", "channel", "details", "ended", "exchanges", "explained",
        "impatience", "invalid", "just_rejected", "last_action", "max_turns", "offered", "offers",
        "reason", "rejections", "retriever", "seen", "state", "streak", "suggested", "turn",
    )  # fmt: skip

    def __init__(
        self, catalog: Catalog, retriever: SharedRetriever, channel: str, max_turns: int
    ) -> None:
        self.catalog = catalog
        self.retriever = retriever
        self.channel = channel
        self.max_turns = max_turns
        self.state = PreferenceState(catalog.domain.n_facets)
        self.turn = 0
        self.last_action = -1
        self.asked = [0] * catalog.domain.n_facets
        self.streak = 0
        self.offers: list[tuple[int, int]] = []
        self.offered = 0
        self.rejections = 0
        self.seen = 0
        self.explained = 0
        self.reason = NO_REASON
        self.just_rejected = False
        self.details = -1
        self.impatience = 0
        self.ended = False
        self.invalid = 0
        self.suggested: tuple[float, ...] | None = None
        self.exchanges: list[Exchange] = []
        self._assessment: Assessment | None = None

    def fork(self) -> DialogueView:
        """A copy to imagine from: same public facts, its own state, no history of texts."""
        new = DialogueView.__new__(DialogueView)
        new.catalog = self.catalog
        new.retriever = self.retriever
        new.channel = "acts"
        new.max_turns = self.max_turns
        new.state = self.state.copy()
        new.turn = self.turn
        new.last_action = self.last_action
        new.asked = self.asked[:]
        new.streak = self.streak
        new.offers = self.offers[:]
        new.offered = self.offered
        new.rejections = self.rejections
        new.seen = self.seen
        new.explained = self.explained
        new.reason = self.reason
        new.just_rejected = self.just_rejected
        new.details = self.details
        new.impatience = self.impatience
        new.ended = self.ended
        new.invalid = self.invalid
        new.suggested = None
        new.exchanges = []
        new._assessment = None
        return new

    def assess(self) -> Assessment:
        """The shared retriever's assessment of the present state, made once a turn."""
        found = self._assessment
        if found is None:
            found = self._assessment = self.retriever.assess(self)
        return found

    def forget_assessment(self) -> None:
        """Assess anew when next asked (after the state was replaced)."""
        self._assessment = None

    def open_acts(self) -> tuple[bool, bool, bool]:
        """Whether FailureReflection, ItemRec and ItemExplanation are legal now.

        FailureReflection needs a rejection just now, ItemRec an item not offered yet,
        ItemExplanation an offer.
        """
        return self.just_rejected, self.offered != self.catalog.everything, bool(self.offers)

    def mask(self) -> list[bool]:
        """Legal actions, length F + 3. Inquiries are always legal, so the mask is never empty."""
        return [True] * len(self.asked) + list(self.open_acts())

    def apply_system(self, action: int, item: int) -> None:
        """Record a system action before the user reacts to it."""
        n_facets = len(self.asked)
        self._assessment = None
        self.suggested = None
        self.turn += 1
        self.last_action = action
        if action < n_facets:
            self.asked[action] += 1
            self.streak += 1
        elif action == n_facets:
            self.streak += 1
            if self.reason[0] >= 0:
                self.state.confirm_doubts(self.reason[0])
        elif action == n_facets + 1:
            self.streak = 0
            self.offered |= self.catalog.works[item]
            self.offers.append((item, OTHER))
        else:
            self.streak = 0
            self.explained += 1

    def apply_user(self, acts: UserActs) -> None:
        """Record what the user said: the state, reactions to offers, patience shown, the end."""
        self._assessment = None
        self.just_rejected = False
        self.reason = NO_REASON
        self.details = -1
        for kind, facet, value, other in acts:
            if kind < REJECT:
                continue
            if kind == SIGH:
                self.impatience = max(self.impatience, facet)
            elif kind in REJECTIONS:
                self.just_rejected = True
                self.rejections += 1
                self._react(other, kind)
                if kind == SEEN:
                    self.seen += 1
                elif facet >= 0:
                    self.reason = (facet, value)
            elif kind == DETAILS:
                self.details = other
                self._react(other, kind)
            elif kind == ACCEPT:
                self._react(other, kind)
            elif kind == QUIT:
                self.ended = True
        self.state.update(acts)

    def _react(self, item: int, kind: int) -> None:
        for position in range(len(self.offers) - 1, -1, -1):
            if self.offers[position][0] == item:
                self.offers[position] = (item, kind)
                return

    def transcript(self) -> Sequence[tuple[str, str]]:
        """The texts as ``(speaker, utterance)`` in order; empty in ``channel=acts``."""
        lines: list[tuple[str, str]] = []
        for exchange in self.exchanges:
            if exchange.system_text:
                lines.append(("system", exchange.system_text))
            if exchange.user_text:
                lines.append(("user", exchange.user_text))
        return lines
