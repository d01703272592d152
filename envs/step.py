"""One finished turn with everything that was hidden in it; records are made from these."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from dialogue.acts import UserAct, UserActs
from dialogue.view import Exchange, SystemTurn


@dataclass(frozen=True, slots=True)
class Step:
    """Everything about one finished turn, hidden parts included; the environment records it.

    Attributes:
        exchange: The public part.
        said: The user's acts as meant.
        legal: Whether the action was legal.
        retrieved: The shared retriever's ranking for the state before the action.
        rewards: Weighted value of each reward term, in the order of ``Reward.names``.
        turn: What the policy asked for.
        state: The preference state after the turn, as JSON.
        overruled: What the catalogue or the rules overruled of what a model said as the user
            (``simulators.overruling``); None for a user that no model plays.
    """

    exchange: Exchange
    said: UserActs
    legal: bool
    retrieved: tuple[int, ...]
    rewards: tuple[float, ...]
    turn: SystemTurn
    state: dict[str, Any]
    overruled: tuple[str, ...] | None = None

    def to_plain(self) -> dict[str, Any]:
        """The hidden part as plain JSON values; the exchange is part of the view."""
        turn = self.turn
        ranking = None if turn.ranking is None else list(turn.ranking)
        return {
            "said": [list(act) for act in self.said],
            "legal": self.legal,
            "retrieved": list(self.retrieved),
            "rewards": list(self.rewards),
            "turn": [turn.action, turn.text, turn.query, ranking, turn.search_changed, turn.trace],
            "state": self.state,
            "overruled": None if self.overruled is None else list(self.overruled),
        }

    @classmethod
    def from_plain(cls, saved: dict[str, Any], exchange: Exchange) -> Step:
        """Read what :meth:`to_plain` wrote."""
        action, text, query, ranking, changed, trace = saved["turn"]
        turn = SystemTurn(
            action, text, query, None if ranking is None else tuple(ranking), changed, trace
        )
        return cls(
            exchange=exchange,
            said=tuple(UserAct(*act) for act in saved["said"]),
            legal=saved["legal"],
            retrieved=tuple(saved["retrieved"]),
            rewards=tuple(saved["rewards"]),
            turn=turn,
            state=saved["state"],
            overruled=None if saved["overruled"] is None else tuple(saved["overruled"]),
        )
