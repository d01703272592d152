"""Prefixes as an environment of one decision each, so that whatever runs a policy can score one."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from operator import index
from typing import Any

import gymnasium as gym
import numpy as np
from gymnasium import spaces
from numpy.typing import NDArray

from dialogue.view import DialogueView, SystemTurn
from envs.conversation import HiddenError
from envs.observation import Observer
from envs.worlds import open_world
from evaluation.prefixes.data import CATALOG, Prefix, read_prefixes
from evaluation.prefixes.scoring import score_decision
from evaluation.records import SCHEMA

SPLIT = "test"
"""Split of the dialogues that the prefixes are from."""


class Hidden:
    """What a prefix hides, with the two methods of ``envs.conversation.Conversation`` about it."""

    def __init__(self, prefix: Prefix) -> None:
        self._prefix = prefix
        self._sealed = False

    @property
    def prefix(self) -> Prefix:
        """Goal, targets and gold; HiddenError while a policy decides."""
        if self._sealed:
            raise HiddenError(
                "the gold of a prefix was read while a policy decides; policies read the view only"
            )
        return self._prefix

    def hidden(self) -> int:
        """Bit set of the targets, for privileged references (oracle)."""
        return self.prefix.targets

    @contextmanager
    def sealed(self) -> Iterator[None]:
        """Raise on any access in this block."""
        before, self._sealed = self._sealed, True
        try:
            yield
        finally:
            self._sealed = before


class PrefixEnv(gym.Env[NDArray[np.float32], np.int64]):
    """Episode k is prefix k: one decision, right (reward 1) or wrong (0), and it is over.

    The policy sees the prefix's public view; goal, targets and gold stay here. There is no user:
    nothing is said in reply.

    Args:
        retrieval: The retriever that the policy shares, as of ``envs.crs.CRSEnv``.
        encoder: Of dense and fusion retrieval.
        llm: Settings of language models; only the encoder ``openai`` reads them.
        prefixes: Other prefixes over the bundled films; default: those that come with the project.
    """

    metadata: dict[str, Any] = {"render_modes": []}  # noqa: RUF012 - as Gymnasium declares it

    def __init__(
        self,
        retrieval: str = "structured",
        encoder: str = "embedded",
        llm: Mapping[str, Any] | None = None,
        prefixes: tuple[Prefix, ...] | None = None,
    ) -> None:
        self._world = open_world(CATALOG, retrieval=retrieval, encoder=encoder, llm=llm)
        items = self._world.catalog
        self._prefixes = read_prefixes(items) if prefixes is None else prefixes
        self.domain = items.domain
        self.observer = Observer(items.domain, len(items))
        self.action_space = spaces.Discrete(len(items.domain.actions))
        self.observation_space = spaces.Box(0.0, 1.0, (self.observer.size,), np.float32)
        self._view: DialogueView | None = None
        self._record: dict[str, Any] = {}
        self.conversation = Hidden(self._prefixes[0])

    def __len__(self) -> int:
        """Number of prefixes."""
        return len(self._prefixes)

    @property
    def view(self) -> DialogueView:
        """The public view of the prefix; of the policy to read."""
        if self._view is None:
            raise RuntimeError("no prefix yet: call reset() first")
        return self._view

    def reset(
        self, *, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[NDArray[np.float32], dict[str, Any]]:
        """Take up prefix ``options["episode"]`` (default: 0).

        Raises:
            ValueError: There is no such prefix, or another split than ``test`` is asked for.
        """
        super().reset(seed=seed)
        chosen = options or {}
        episode, split = chosen.get("episode", 0), chosen.get("split", SPLIT)
        if split != SPLIT:
            raise ValueError(f"prefixes are of the split {SPLIT!r}, not {split!r}")
        if not 0 <= episode < len(self._prefixes):
            raise ValueError(f"there are prefixes 0..{len(self._prefixes) - 1}, not {episode}")
        prefix = self._prefixes[episode]
        self.conversation = Hidden(prefix)
        self._view = prefix.view(self._world.catalog, self._world.retriever)
        self._record = {
            "schema": SCHEMA,
            "episode": episode,
            "split": split,
            "seed": self.np_random_seed,
            "prefix": prefix.name,
            "turns_before": self._view.turn,
            "success": False,
            "return": 0.0,
            "length": 0,
        }
        return self.observer.encode(self._view), {"action_mask": self.action_masks()}

    def step(
        self, action: np.int64 | int
    ) -> tuple[NDArray[np.float32], float, bool, bool, dict[str, Any]]:
        """Score an action."""
        return self.play(index(action))

    def play(
        self, turn: SystemTurn | int
    ) -> tuple[NDArray[np.float32], float, bool, bool, dict[str, Any]]:
        """Score a policy's own turn."""
        view = self.view
        decided = turn.plain() if isinstance(turn, SystemTurn) else SystemTurn(index(turn))
        scored = score_decision(self.conversation.prefix, view, decided)
        self._record |= {**scored, "success": scored["right"], "length": 1}
        self._record["return"] = float(scored["right"])
        info = {"action_mask": self.action_masks(), "is_success": scored["right"]}
        return self.observer.encode(view), self._record["return"], True, False, info

    def action_masks(self) -> NDArray[np.bool_]:
        """Legal actions, shape ``(F + 3,)``."""
        return np.array(self.view.mask())

    def dialogue_record(self) -> dict[str, Any]:
        """The decision and its score; see :func:`evaluation.prefixes.scoring.score_decision`."""
        return dict(self._record)
