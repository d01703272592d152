"""One conversation: user, tracker, retriever, responder and reward; ``advance`` alone moves it."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from operator import index
from typing import Any, Protocol

from catalogs.catalog import Catalog
from catalogs.goal import Goal
from dialogue.acts import ACCEPT, UserAct, UserActs
from dialogue.snapshot import set_view_state, view_state
from dialogue.streams import Stream
from dialogue.view import DialogueView, Exchange, SystemTurn
from envs.step import Step
from rewards.terms import overlap
from rewards.total import Reward
from rewards.transition import Transition

RANKING_SIZE = 10


class User(Protocol):
    """Who the conversation is with."""

    goal: Goal
    acceptable: int
    left: bool

    def open(self) -> UserActs:
        """What the user means with its opening."""
        ...

    def respond(self, action: int, item: int) -> UserActs:
        """What the user means with its reply to a system action about ``item`` (-1: none)."""
        ...


class TextLayer(Protocol):
    """Turns acts into text and back; absent in ``channel=acts``."""

    def system_text(self, turn: SystemTurn, item: int, view: DialogueView) -> str:
        """The system's utterance (called before the view records the action)."""
        ...

    def user_text(self, acts: UserActs, view: DialogueView) -> str:
        """The user's utterance for what it means."""
        ...

    def track(self, text: str, view: DialogueView) -> UserActs:
        """What the environment's tracker understands."""
        ...


class HiddenError(RuntimeError):
    """Something hidden was read while a policy decides."""


class Conversation:
    """A dialogue in progress.

    Args:
        view: The public side; its retriever ranks what is offered.
        user: The (simulated or imagined) user.
        reward: The reward.
        text: The text layer, or None when acts pass as they are.
        keep_steps: Whether to keep a :class:`Step` per turn for the record.
        imagined: Whether this is a rollout, which keeps no history at all.
        streams: Streams to move to each turn's own numbers.

    Attributes:
        view: The public side.
        terminated: Whether a target was accepted or the user left.
        truncated: Whether the turn limit ended the dialogue.
        accepted: Whether a verified target was accepted.
        rewards: Weighted reward parts of the last turn.
        heard: The user's acts of the last turn as tracked.
        steps: What happened, when kept.
        opening_said: The user's acts of its opening as meant.
        opening_overruled: What was overruled of a model's opening; None for other users.
    """

    __slots__ = (
        "_actions", "_best", "_imagined", "_reward", "_sealed", "_streams", "_text", "_transition",
        "_user", "accepted", "heard", "keep_steps", "opening_overruled", "opening_said", "rewards",
        "steps", "terminated", "truncated", "view",
    )  # fmt: skip

    def __init__(
        self,
        view: DialogueView,
        user: User,
        reward: Reward,
        text: TextLayer | None = None,
        keep_steps: bool = True,
        streams: tuple[Stream, ...] = (),
        imagined: bool = False,
    ) -> None:
        self.view = view
        self._user = user
        self._reward = reward
        self._text = text
        self._streams = streams
        self._sealed = False
        self._actions = len(view.asked) + 3
        self.keep_steps = keep_steps
        self._imagined = imagined
        self.terminated = False
        self.truncated = False
        self.accepted = False
        self.rewards: list[float] = []
        self.steps: list[Step] = []
        self.opening_said: UserActs = ()
        self.opening_overruled: tuple[str, ...] | None = None
        self.heard: UserActs = ()
        self._transition = Transition()
        self._transition.view = view
        self._transition.goal = user.goal
        self._transition.overlap_after = 0.0
        self._best = -1

    @property
    def catalog(self) -> Catalog:
        """The items."""
        return self.view.catalog

    @property
    def user(self) -> Any:
        """The user, hidden goal and all; HiddenError while a policy decides."""
        if self._sealed:
            raise HiddenError(
                "the user (goal, persona, seen items) was read while a policy decides; "
                "policies read the view only"
            )
        return self._user

    def hidden(self) -> int:
        """Bit set of the items that the user would accept, for privileged references (oracle)."""
        return int(self.user.acceptable)

    @contextmanager
    def sealed(self) -> Iterator[None]:
        """Raise on any access to the hidden side in this block; runners decide inside it."""
        before, self._sealed = self._sealed, True
        try:
            yield
        finally:
            self._sealed = before

    def open(self) -> UserActs:
        """Let the user begin; returns the acts as tracked."""
        said = self._user.open()
        self.opening_overruled = getattr(self._user, "overruled", None)
        text, heard = "", said
        if self._text is not None:
            text = self._text.user_text(said, self.view)
            heard = self._text.track(text, self.view)
        self.view.apply_user(heard)
        self.opening_said = said
        self._look_up()
        if not self._imagined:
            self.view.exchanges.append(Exchange(0, -1, -1, (), "", text, heard))
        return heard

    def join(self) -> None:
        """Begin in the middle: the view already tells what was said (imagined conversations)."""
        self._look_up()

    def advance(self, turn: SystemTurn | int) -> float:
        """Play one system turn and the user's reply; returns the reward.

        An illegal action is a wasted legal turn: it is replaced by the first question, costs extra,
        and is counted in ``view.invalid``.

        Raises:
            RuntimeError: The dialogue is over.
            ValueError: The action does not exist, or the turn's ranking is malformed.
            TypeError: The action is no integer, or a part of the turn has the wrong type.
        """
        if self.terminated or self.truncated:
            raise RuntimeError("the dialogue is over; call reset() before the next turn")
        own: SystemTurn | None = None
        if isinstance(turn, SystemTurn):
            own = turn.plain()
            asked = own.action
        else:
            asked = index(turn)
        if not 0 <= asked < self._actions:
            raise ValueError(
                f"action {asked} does not exist; this domain has actions 0..{self._actions - 1}"
            )
        return self._play(asked, own)

    def _play(self, asked: int, turn: SystemTurn | None) -> float:
        view, user, transition = self.view, self._user, self._transition
        legal = self._legal(asked)
        action = asked if legal else 0
        if not legal:
            view.invalid += 1
            turn = SystemTurn(0, trace=turn.trace if turn else None)
        transition.repeated = self._repeats(action)
        transition.best_before = sum(view.state.best)
        transition.overlap_before = transition.overlap_after
        retrieved = view.retriever.top(view, RANKING_SIZE) if self.keep_steps else ()
        item, ranking = self._item(action, turn)
        system_text = ""
        if self._text is not None:
            turn = turn or SystemTurn(action)
            system_text = self._text.system_text(turn, item, view)
        view.apply_system(action, item)
        for stream in self._streams:
            stream.start(view.turn)
        said = user.respond(action, item)
        user_text, heard = "", said
        if self._text is not None:
            user_text = self._text.user_text(said, view)
            heard = self._text.track(user_text, view)
        view.apply_user(heard)
        self.heard = heard
        self._verify(said, item)
        if not self._imagined:
            query = turn.query if turn else None
            view.exchanges.append(
                Exchange(view.turn, action, item, ranking, system_text, user_text, heard, query)
            )
        reward = self._pay(action, legal, said)
        if self.keep_steps:
            chosen = turn or SystemTurn(action)
            state = view.state.to_json(view.catalog)
            overruled = getattr(user, "overruled", None)
            done = view.exchanges[-1], said, legal, retrieved, tuple(self.rewards)
            self.steps.append(Step(*done, chosen, state, overruled))
        return reward

    def _legal(self, action: int) -> bool:
        n_facets = self._actions - 3
        return action < n_facets or self.view.open_acts()[action - n_facets]

    def _repeats(self, action: int) -> bool:
        view = self.view
        if action < self._actions - 3:
            return view.state.closed[action]
        return action == self._actions - 1 and view.details < 0

    def _item(self, action: int, turn: SystemTurn | None) -> tuple[int, tuple[int, ...]]:
        """The item that an action is about, and the ranking it came from."""
        view = self.view
        if action == self._actions - 2:
            if turn is not None and turn.ranking:
                ranking = self._checked(turn.ranking)
                return ranking[0], ranking
            if not self.keep_steps:
                return view.assess().best, ()
            ranking = view.retriever.top(view, RANKING_SIZE)
            return ranking[0], ranking
        if action == self._actions - 1:
            return (view.details if view.details >= 0 else view.offers[-1][0]), ()
        return -1, ()

    def _checked(self, ranking: tuple[int, ...]) -> tuple[int, ...]:
        if len(ranking) > RANKING_SIZE or len(set(ranking)) < len(ranking):
            raise ValueError(f"a ranking has at most {RANKING_SIZE} different items, got {ranking}")
        if min(ranking) < 0 or max(ranking) >= len(self.view.catalog):
            raise ValueError(
                f"ranking {ranking} names items outside 0..{len(self.view.catalog) - 1}"
            )
        return ranking

    def _verify(self, said: UserActs, item: int) -> None:
        """Decide the outcome from the catalogue, not from what the user says."""
        view = self.view
        self.accepted = False
        for act in said:
            if act[0] == ACCEPT and item >= 0:
                self.accepted = bool(self._user.acceptable >> item & 1)
        self.terminated = self.accepted or self._user.left
        self.truncated = not self.terminated and view.turn >= view.max_turns
        view.ended = self.terminated

    def _pay(self, action: int, legal: bool, said: UserActs) -> float:
        transition = self._transition
        transition.action = action
        transition.legal = legal
        transition.acts = said
        transition.accepted = self.accepted
        transition.left = self._user.left
        if not self.accepted:
            self._look_up()
        self.rewards = self._reward.parts(transition)
        return sum(self.rewards)

    def _look_up(self) -> None:
        """Update the overlap of the best item with the goal.

        Most turns leave the best item as it was.
        """
        best = self.view.assess().best
        if best != self._best:
            self._best = best
            self._transition.overlap_after = overlap(self.view.catalog, self._transition.goal, best)

    def get_state(self) -> dict[str, Any]:
        """Everything that changes, as plain JSON values.

        Exact and cheap (for runners and tests).
        """
        overruled = self.opening_overruled
        return {
            "view": view_state(self.view),
            "user": self.user.get_state(),
            "opening_said": [list(act) for act in self.opening_said],
            "opening_overruled": None if overruled is None else list(overruled),
            "terminated": self.terminated,
            "truncated": self.truncated,
            "accepted": self.accepted,
            "rewards": list(self.rewards),
            "heard": [list(act) for act in self.heard],
            "steps": [step.to_plain() for step in self.steps],
        }

    def set_state(self, state: dict[str, Any]) -> None:
        """Return to a state of a conversation with the same user, whatever happened since."""
        set_view_state(self.view, state["view"])
        self._best = -1
        self._transition.overlap_after = 0.0
        self._look_up()
        user: Any = self._user  # only the simulated user, not every `User`, has states
        user.set_state(state["user"])
        self.terminated, self.truncated = state["terminated"], state["truncated"]
        self.accepted = state["accepted"]
        self.rewards = list(state["rewards"])
        self.heard = tuple(UserAct(*act) for act in state["heard"])
        self.opening_said = tuple(UserAct(*act) for act in state["opening_said"])
        overruled = state["opening_overruled"]
        self.opening_overruled = None if overruled is None else tuple(overruled)
        played = self.view.exchanges[1:]
        self.steps = [
            Step.from_plain(saved, exchange)
            for saved, exchange in zip(state["steps"], played, strict=bool(state["steps"]))
        ]
