"""Trained agents as policies: over a dialogue's public view, or over any observations."""

from __future__ import annotations

from itertools import islice
from pathlib import Path
from typing import Any

import gymnasium as gym
import numpy as np
from numpy.typing import NDArray

from baselines.sb3_agent import SB3Agent, load_agent
from baselines.sb3_interface import Interface, interface_of
from catalogs.catalog import Catalog
from dialogue.history import relive
from dialogue.view import DialogueView
from envs.observation import Observer


class SB3Policy:
    """Decides from the view, which it encodes as the environment does (``dialogue.policy.Policy``).

    A masked agent gets the legal actions; any other may choose an illegal one, which the
    environment counts. A recurrent agent that enters a dialogue in the middle sees its finished
    turns first.

    Args:
        agent: The trained agent.
    """

    def __init__(self, agent: SB3Agent) -> None:
        self.agent = agent
        self._observer: Observer | None = None
        self._catalog: Catalog | None = None
        self._witnessed = 0

    def reset(self, view: DialogueView, rng: np.random.Generator) -> None:
        """Forget the last dialogue."""
        self.agent.forget()
        self._witnessed = 0

    def decide(self, view: DialogueView, rng: np.random.Generator) -> int:
        """The agent's action; ``rng`` is not used."""
        past = len(view.exchanges) - 1
        if self.agent.algorithm.recurrent and past > self._witnessed:
            for earlier in islice(relive(view), self._witnessed, past):
                self._act(earlier)
        self._witnessed = len(view.exchanges)
        return self._act(view)

    def _act(self, view: DialogueView) -> int:
        observation = self._observer_of(view).encode(view)
        return int(self.agent.predict(observation, np.array(view.mask())))

    def _observer_of(self, view: DialogueView) -> Observer:
        if self._observer is None or self._catalog is not view.catalog:
            self._observer = Observer(view.catalog.domain, len(view.catalog))
            self._catalog = view.catalog
        return self._observer

    def save(self, path: Path) -> None:
        """Write the agent to a file."""
        self.agent.save(path)

    def load(self, path: Path) -> None:
        """Replace the agent by a saved one of its algorithm; AgentFileError if it does not fit."""
        self.agent = load_agent(path, self.agent.interface, self.agent.header.algorithm)


class SB3ObservationPolicy:
    """Decides from observations, in any environment (``evaluation.protocols.ObservationPolicy``).

    Args:
        agent: The trained agent.
    """

    def __init__(self, agent: SB3Agent) -> None:
        self.agent = agent

    def start(self, action_space: gym.Space[Any], rng: np.random.Generator) -> None:
        """Begin an episode."""
        self.agent.forget()

    def act(
        self, observation: Any, mask: NDArray[np.bool_] | None, rng: np.random.Generator
    ) -> Any:
        """The agent's action; ``rng`` is not used."""
        return self.agent.predict(observation, mask)

    def save(self, path: Path) -> None:
        """Write the agent to a file."""
        self.agent.save(path)

    def load(self, path: Path) -> None:
        """Replace the agent by a saved one of its algorithm; AgentFileError if it does not fit."""
        self.agent = load_agent(path, self.agent.interface, self.agent.header.algorithm)


def policy_of(agent: SB3Agent) -> SB3Policy | SB3ObservationPolicy:
    """The policy of an agent: over the view if that gives what it reads, else over observations."""
    return SB3Policy(agent) if agent.interface.by_view else SB3ObservationPolicy(agent)


def load_policy(
    path: Path, env: gym.Env[Any, Any] | Interface, algorithm: str | None = None
) -> SB3Policy | SB3ObservationPolicy:
    """The policy of a saved agent, checked against an environment or the interface of one.

    Raises:
        AgentFileError: The file is missing, damaged, or does not fit (see ``load_agent``).
    """
    interface = env if isinstance(env, Interface) else interface_of(env)
    return policy_of(load_agent(path, interface, algorithm))
