"""Rollouts on a language model: each ply is one call (dreams §4.2, A.3.4).

A call returns the imagined user's reply, what it means for the state, and the scores of the actions
that may follow, so that a simulation of k(El) plies takes k(El) calls' time.
"""

from __future__ import annotations

import base64
import random
import struct
from collections.abc import Iterator, Sequence
from dataclasses import asdict
from typing import Any

from catalogs.goal import Goal
from dialogue.acts import ACCEPT, UserActs
from dialogue.snapshot import view_state
from dialogue.view import DialogueView
from envs.conversation import Conversation
from language.llm.call import Call
from language.llm.roles import Roles
from language.prompts import imagining
from language.prompts.acts import read_acts
from language.prompts.scoring import legal, legal_after, read_scores
from language.prompts.user import Answer
from planners.dreams_model import ConversationEvaluator
from planners.scorer import ScorerSettings
from simulators.behaviour import Behaviour
from simulators.imagined import ImaginedUser
from simulators.overruling import settle
from simulators.seen import SeenItems

_WORDS = 625
"""Numbers in the state of Python's generator."""

Ply = tuple[Answer | None, Sequence[float] | None]
"""The reply and the scores of the next actions; None where the model gave none."""


class ModelImaginedUser(ImaginedUser):
    """An imagined user whose replies a language model writes.

    The embedded one stands in for a bad answer, and keeps account of patience and of what was said.

    Args:
        numbers: Counts a decision's simulations: equal calls of two of them are two samples.

    Attributes:
        scores: Scores of the actions that came with its last reply, None without.
        plies: Actions and replies of the rollout so far, for the model to read.
    """

    __slots__ = ("_number", "_roles", "_scorer", "_view", "plies", "scores")

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
        numbers: Iterator[int],
    ) -> None:
        super().__init__(view, goal, acceptable, behaviour, stream, vague, seen, worn)
        self._number = next(numbers)
        self._view = view
        self._roles = roles
        self._scorer = scorer
        self.scores: Sequence[float] | None = None
        self.plies: list[dict[str, Any]] = []

    def respond(self, action: int, item: int) -> UserActs:
        """One ply: the model's reply to a system action, in acts, within the rules.

        The rules are those of the real user on a model (``simulators.overruling``): the imagined
        goal decides what is accepted, and patience decides who leaves.
        """
        before, numbers = self.get_state(), self._generator().getstate()
        embedded = super().respond(action, item)
        after = self.get_state()
        call = self._call(action, item, before, after, numbers)
        answer, self.scores = self._roles.ask(call, lambda: (None, None))
        if answer is None:
            acts, reply = embedded, ""
        else:
            acts, reply = settle(self, before, embedded, answer, action, item).acts, answer.reply
            self._known = dict(after["known"])
        name = self.catalog.domain.actions[action]
        self.plies.append({"action": name, "reply": reply})
        return acts

    def _generator(self) -> random.Random:
        assert isinstance(self.stream, random.Random)
        return self.stream

    def _call(
        self,
        action: int,
        item: int,
        before: dict[str, Any],
        after: dict[str, Any],
        numbers: tuple[Any, ...],
    ) -> Call[Ply]:
        view, catalog = self._view, self.catalog
        knows = dict(after["known"]).get(item, False)

        def read(written: imagining.PlyResult) -> Ply:
            acts = read_acts(catalog, written.meaning, item)
            scores = read_scores(catalog.domain, written.scores)
            if legal_after(scores, view, acts) is None:
                raise ValueError("give at least one of the actions that are possible then a score")
            accepts = any(act.kind == ACCEPT for act in acts)
            return Answer(acts, written.reply, accepts), scores

        return Call(
            role="imagine",
            prompt=imagining.PROMPT,
            messages=imagining.messages(
                view, self.goal, before["patience"], action, item, knows, self.plies
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
            sample=self._number,
            max_tokens=500,
        )


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
