"""What an environment of your own needs so that planners, not only RL agents, can run on it."""

from __future__ import annotations

from typing import Any, Protocol, runtime_checkable

import numpy as np
from numpy.typing import NDArray

from dialogue.view import DialogueView, SystemTurn

METHODS = {
    "view": "property: the dialogue.view.DialogueView that policies read",
    "play": "play(turn) -> (observation, reward, terminated, truncated, info): a policy's own turn",
    "action_masks": "action_masks() -> bool array of the legal actions",
    "dialogue_record": "dialogue_record() -> dict: the dialogue as evaluation/records.py wants it",
}


@runtime_checkable
class ConversationEnv(Protocol):
    """The protocol of conversation environments.

    SB3 agents need only Gymnasium; planners need this.
    """

    @property
    def view(self) -> DialogueView:
        """The public view of the running dialogue."""
        ...

    def play(self, turn: SystemTurn | int) -> tuple[Any, float, bool, bool, dict[str, Any]]:
        """Advance by a policy's own turn; same return value as Gymnasium's ``step``."""
        ...

    def action_masks(self) -> NDArray[np.bool_]:
        """Legal actions, shape ``(n_actions,)``."""
        ...

    def dialogue_record(self) -> dict[str, Any]:
        """The dialogue so far, JSON-compatible."""
        ...


def require_protocol(env: Any, what: str) -> None:
    """Check that an unwrapped environment can be used by ``what``.

    Raises:
        TypeError: A method is missing; the message names each missing one and what it must do.
    """
    missing = [
        f"  {name}: {need}" for name, need in METHODS.items() if not hasattr(type(env), name)
    ]
    if missing:
        name = f"{type(env).__module__}.{type(env).__name__}"
        raise TypeError(
            f"{what} needs more than Gymnasium's interface, and {name} lacks:\n"
            + "\n".join(missing)
            + "\n(envs/protocol.py describes them; SB3 agents run without)"
        )
