"""The policy protocol: what a planner, an RL agent or a baseline implements."""

from __future__ import annotations

from pathlib import Path
from typing import Protocol, runtime_checkable

import numpy as np

from dialogue.view import DialogueView, SystemTurn


@runtime_checkable
class Policy(Protocol):
    """Decides the system's next turn from the public view.

    ``rng`` is a generator for this decision alone; a policy must draw from nothing else.
    """

    def reset(self, view: DialogueView, rng: np.random.Generator) -> None:
        """Forget the last dialogue; called once before the first decision of each."""
        ...

    def decide(self, view: DialogueView, rng: np.random.Generator) -> int | SystemTurn:
        """An action index, or a turn with the policy's own text, query or ranking."""
        ...


@runtime_checkable
class Saveable(Protocol):
    """A policy with learned parameters."""

    def save(self, path: Path) -> None:
        """Write the parameters to a file."""
        ...

    def load(self, path: Path) -> None:
        """Read parameters that :meth:`save` wrote; nothing is unpickled."""
        ...
