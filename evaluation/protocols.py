"""What the runner expects of policies, and whether a policy and an environment fit together.

Planners decide from a dialogue's public view (``dialogue.policy.Policy``) and need an environment
with the dialogue protocol (``envs.protocol``). A policy that needs only Gymnasium implements
:class:`ObservationPolicy` and runs in any registered environment.

A reference that is told the hidden parts, such as the oracle, says ``privileged = True`` and has
``inform(hidden)``: after each reset it receives what ``conversation.hidden()`` returns.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Protocol, runtime_checkable

import gymnasium as gym
import numpy as np
import numpy.typing as npt

from envs.protocol import METHODS, require_protocol


class PolicyError(TypeError):
    """Something that is no policy; the message names the methods it lacks."""


@runtime_checkable
class ObservationPolicy(Protocol):
    """Decides from observations alone, as agents of RL libraries do.

    ``rng`` is a generator for this decision alone.
    """

    def start(self, action_space: gym.Space[Any], rng: np.random.Generator) -> None:
        """Begin an episode; called once before the first decision of each."""
        ...

    def act(
        self, observation: Any, mask: npt.NDArray[np.bool_] | None, rng: np.random.Generator
    ) -> Any:
        """An action of the action space; ``mask`` is None where the environment has none."""
        ...


def has_dialogues(env: gym.Env[Any, Any]) -> bool:
    """Whether an environment has the dialogue protocol, so that dialogues can be recorded."""
    return all(hasattr(type(env.unwrapped), name) for name in METHODS)


def environment_name(env: gym.Env[Any, Any]) -> str:
    """The registered id, or the class's name."""
    return env.spec.id if env.spec is not None else type(env.unwrapped).__name__


def check_match(env: gym.Env[Any, Any], policy: object) -> None:
    """Check that a policy can be run in an environment.

    Raises:
        PolicyError: The policy implements neither protocol.
        TypeError: It decides from a view, and the environment lacks methods; each is named.
    """
    if isinstance(policy, ObservationPolicy):
        return
    name = type(policy).__name__
    if not hasattr(policy, "decide"):
        raise PolicyError(
            f"{name} is no policy: it has neither decide(view, rng) (dialogue.policy.Policy) nor "
            f"start(action_space, rng) and act(observation, mask, rng) "
            f"(evaluation.protocols.ObservationPolicy)"
        )
    require_protocol(env.unwrapped, f"{name} decides from the view of a dialogue: it")


def action_mask(env: gym.Env[Any, Any], info: Mapping[str, Any]) -> npt.NDArray[np.bool_] | None:
    """The legal actions now: from ``info``, else from the environment or a wrapper, else None.

    Raises:
        ValueError: The mask allows nothing; libraries would silently pick an illegal action.
    """
    mask = info.get("action_mask")
    if mask is None:
        try:
            mask = env.get_wrapper_attr("action_masks")()
        except AttributeError:
            return None
    mask = np.asarray(mask, dtype=np.bool_)
    if not mask.any():
        raise ValueError(f"{environment_name(env)}: the action mask allows no action")
    return mask
