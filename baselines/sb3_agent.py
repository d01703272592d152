"""A trained agent: a network that reads observations, without the algorithm that trained it."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from baselines.sb3_algorithms import Algorithm, find_algorithm, policy_arguments
from baselines.sb3_file import Header, library_versions, read_agent_file, write_agent_file
from baselines.sb3_interface import Interface

Mask = NDArray[np.bool_]


class SB3Agent:
    """Decides from observations, always with the likeliest (best valued) action.

    Args:
        header: What the agent is and what it reads and does.
        policy: The library's policy with its weights.
        interface: The environment's side that it fits.

    Attributes:
        header: As given.
        algorithm: The algorithm's row.
        interface: As given.
    """

    def __init__(self, header: Header, policy: Any, interface: Interface) -> None:
        self.header = header
        self.algorithm = find_algorithm(header.algorithm)
        self.interface = interface
        self._policy = policy
        self._memory: Any = None
        self._begins = True

    @classmethod
    def of_model(
        cls,
        model: Any,
        algorithm: Algorithm,
        interface: Interface,
        network: dict[str, Any],
        hyperparameters: dict[str, Any],
    ) -> SB3Agent:
        """The agent in a trained model of the library."""
        header = Header(
            algorithm=algorithm.name,
            observation_space=str(interface.observation_space),
            observation_names=interface.observation_names,
            action_space=str(interface.action_space),
            action_names=interface.action_names,
            network=network,
            hyperparameters=hyperparameters,
            discount=float(model.gamma),
            seed=int(model.seed),
            total_timesteps=int(model.num_timesteps),
            versions=library_versions(),
        )
        return cls(header, model.policy, interface)

    def forget(self) -> None:
        """Begin a new episode: a recurrent agent's state is emptied."""
        self._memory = None
        self._begins = True

    def predict(self, observation: Any, mask: Mask | None = None) -> Any:
        """The action for one observation: an int where actions are Discrete, else an array.

        Raises:
            ValueError: The mask allows nothing, or a masked agent got none.
        """
        arguments: dict[str, Any] = {}
        if self.algorithm.masked:
            if mask is None or not mask.any():
                raise ValueError(
                    f"{self.header.algorithm} needs a mask that allows an action, not {mask}"
                )
            arguments["action_masks"] = mask
        if self.algorithm.recurrent:
            arguments["episode_start"] = np.array([self._begins])
        action, self._memory = self._policy.predict(
            observation, state=self._memory, deterministic=True, **arguments
        )
        self._begins = False
        return int(action) if np.ndim(action) == 0 else action

    def weights(self) -> dict[str, NDArray[Any]]:
        """A copy of the weights by name."""
        return {
            name: tensor.detach().numpy().copy()
            for name, tensor in self._policy.state_dict().items()
        }

    def save(self, path: Path) -> None:
        """Write the agent to a file; a reader sees the old file or the whole new one."""
        write_agent_file(path, self.header, self.weights())


def load_agent(path: Path, interface: Interface, algorithm: str | None = None) -> SB3Agent:
    """Read an agent that :meth:`SB3Agent.save` wrote; nothing is unpickled.

    Args:
        path: The file.
        interface: What it must fit (:func:`baselines.sb3_interface.interface_of`).
        algorithm: The algorithm that it must be of, if that matters.

    Raises:
        AgentFileError: No such file, not an agent's, damaged, or of another algorithm, domain or
            environment.
    """
    import torch

    torch.set_num_threads(1)
    with read_agent_file(path) as content:
        content.check(interface, algorithm)
        header = content.header
        kind = find_algorithm(header.algorithm)
        # The generator is put back: loading must not move anybody's random numbers.
        with torch.random.fork_rng(devices=[]):
            policy = kind.policy_class(interface.observation_space)(
                interface.observation_space,
                interface.action_space,
                lambda _: 0.0,
                **policy_arguments(header.network),
            )
        shapes = {name: tuple(t.shape) for name, t in policy.state_dict().items()}
        weights = content.weights(shapes)
    policy.load_state_dict({name: torch.from_numpy(array) for name, array in weights.items()})
    policy.set_training_mode(False)
    return SB3Agent(header, policy, interface)
