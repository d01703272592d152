"""What all prompted methods are: a flow over steps that reads texts and nothing else."""

from __future__ import annotations

from typing import Any, ClassVar

import numpy as np

from baselines.steps import Player, Step, Steps
from dialogue.view import DialogueView
from retrieval.situation import check_channel


class PromptedMethod:
    """A comparator whose model calls are steps; its ``decide`` is the method.

    A subclass is made with ``name``, the planner's, and ``steps``, all that it may ask.

    Args:
        roles: Who plays the role ``policy``; None: embedded.

    Attributes:
        asks: Roles that it asks for, where a language model plays them.
        prompts: By role, the prompts of its steps.
    """

    asks = ("policy",)
    prompts: ClassVar[dict[str, str]]
    _name: ClassVar[str]

    def __init_subclass__(cls, *, name: str = "", steps: tuple[Step[Any, Any], ...] = ()) -> None:
        """Name the method, and its prompts in records."""
        super().__init_subclass__()
        if steps:
            cls._name = name
            cls.prompts = {"policy": " ".join(step.prompt for step in steps)}

    def __init__(self, roles: Player | None = None) -> None:
        self._steps = Steps(roles)

    def reset(self, view: DialogueView, rng: np.random.Generator) -> None:
        """Check that there are texts to read.

        Raises:
            ValueError: The environment has ``channel=acts``, whose dialogues have no texts.
        """
        check_channel(view, self._name)
