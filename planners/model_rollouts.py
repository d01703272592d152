"""Rollouts on a language model: each ply is one call (dreams §4.2, A.3.4).

A call returns the imagined user's reply, what it means for the state, and the scores of the actions
that may follow, so that a simulation of k(El) plies takes k(El) calls' time.
"""

from __future__ import annotations

import base64
import random
import struct
from collections.abc import Sequence
from dataclasses import asdict
from typing import Any

from catalogs.goal import Goal
from dialogue.acts import UserActs
from dialogue.snapshot import view_state
from dialogue.view import DialogueView
from envs.conversation import Conversation
from language.llm.call import Call
from language.llm.roles import Roles
from language.prompts import imagining
from language.prompts.acts import read_acts
from language.prompts.scoring import read_scores
from planners.dreams_model import ConversationEvaluator
from planners.model_scorer import legal
from planners.scorer import ScorerSettings
from simulators.accounts import book
from simulators.behaviour import Behaviour
from simulators.imagined import ImaginedUser
from simulators.seen import SeenItems

_WORDS = 625
"""Numbers in the state of Python's generator."""

Ply = tuple[UserActs, Sequence[float] | None, str]
"""Acts of the reply, scores of the next actions (None: not given), the reply."""


class ModelImaginedUser(ImaginedUser):
    """An imagined user whose replies a language model writes.

    The embedded one stands in for a bad answer, and keeps account of patience and of what was said.

    Attributes:
        scores: Scores of the actions that came with its last reply, None without.
        plies: Actions and replies of the rollout so far, for the model to read.
    """

    __slots__ = ("_roles", "_scorer", "_view", "plies", "scores")

    def __init__(
        self,
        view: DialogueView,
        goal: Goal,
        acceptable: int,
        behaviour: Behaviour,
        stream: random.Random,
        vague: tuple[dict[int, tuple[int, ...]], ...],
        seen: SeenItems,
        worn: float,
        *,
        roles: Roles,
        scorer: ScorerSettings,
    ) -> None:
        super().__init__(view, goal, acceptable, behaviour, stream, vague, seen, worn)
        self._view = view
        self._roles = roles
        self._scorer = scorer
        self.scores: Sequence[float] | None = None
        self.plies: list[dict[str, Any]] = []

    def respond(self, action: int, item: int) -> UserActs:
        """One ply: the model's reply to a system action, in acts."""
        before = self.get_state()
        call = self._call(action, item, before)
        embedded = super().respond(action, item)
        after = self.get_state()
        acts, self.scores, reply = self._roles.ask(call, lambda: (embedded, None, ""))
        if acts != embedded:
            self.set_state(before)
            book(self, action, item, acts)
            self._known = dict(after["known"])
        name = self.catalog.domain.actions[action]
        self.plies.append({"action": name, "reply": reply})
        return acts

    def _call(self, action: int, item: int, before: dict[str, Any]) -> Call[Ply]:
        view, catalog = self._view, self.catalog
        stream = self.stream
        assert isinstance(stream, random.Random)
        numbers = stream.getstate()
        offers = view.offers
        about = item if item >= 0 else (offers[-1][0] if offers else -1)

        def read(answer: imagining.PlyResult) -> Ply:
            acts = read_acts(catalog, answer.meaning, about)
            return acts, read_scores(catalog.domain, answer.scores), answer.reply

        return Call(
            role="imagine",
            prompt=imagining.PROMPT,
            messages=imagining.messages(
                view, self.goal, self.patience, action, item, self._knows(item), self.plies
            ),
            result=imagining.PlyResult,
            read=read,
            inputs=lambda: {
                "catalog": dict(catalog.origin),
                "view": view_state(view, texts=False),
                "user": {
                    "goal": [list(values) for values in self.goal.values],
                    "acceptable": hex(self.acceptable),
                    "behaviour": asdict(self.behaviour),
                    "state": before,
                },
                "rng": write_generator(numbers),
                "action": action,
                "item": item,
                "scorer": asdict(self._scorer),
            },
            turn=view.turn,
            max_tokens=500,
        )

    def _knows(self, item: int) -> bool:
        """Whether it was already found to have seen an item; asking would draw a number."""
        return self._known.get(item, False)


class ModelEvaluator(ConversationEvaluator):
    """Priors inside rollouts are those that came with the imagined user's reply."""

    def _inside(self, world: Conversation) -> Sequence[float]:
        scores = world.user.scores
        found = None if scores is None else legal(scores, world.view)
        return super()._inside(world) if found is None else found


def write_generator(state: tuple[Any, ...]) -> str:
    """The state of a ``random.Random`` as text; :func:`read_generator` makes an equal one."""
    version, numbers, _ = state
    assert version == 3
    return base64.b64encode(struct.pack(f"<{_WORDS}I", *numbers)).decode("ascii")


def read_generator(text: str) -> random.Random:
    """A generator that continues where the written one stood.

    Raises:
        ValueError: The text is not one that :func:`write_generator` wrote.
    """
    try:
        numbers = struct.unpack(f"<{_WORDS}I", base64.b64decode(text, validate=True))
    except (struct.error, ValueError) as error:
        raise ValueError(f"not the state of a generator: {error}") from error
    generator = random.Random()
    generator.setstate((3, numbers, None))
    return generator
