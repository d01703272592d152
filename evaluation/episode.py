"""Running one policy in one environment, an episode at a time."""

from __future__ import annotations

import json
import operator
import sys
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import AbstractContextManager, contextmanager, nullcontext
from dataclasses import dataclass, field
from typing import Any

import gymnasium as gym
import numpy as np

from dialogue.snapshot import public_facts
from dialogue.streams import Role, generator
from dialogue.view import DialogueView, SystemTurn
from evaluation.canonical import canonical_line
from evaluation.completion import complete_record
from evaluation.failures import failed_dialogue, failed_episode, unopened_dialogue
from evaluation.model_usage import usage_counts
from evaluation.protocols import action_mask, check_match, environment_name, has_dialogues
from evaluation.records import SCHEMA, Record, Timing
from evaluation.threads import Abandoned, Wanted, always
from language.llm.errors import DialogueFailed
from language.llm.usage import Usage, collect

MakeEnv = Callable[[], gym.Env[Any, Any]]
MakePolicy = Callable[[], Any]
Finished = tuple[Record, Timing]
Models = Mapping[str, Mapping[str, Any]]
"""By role, the model's name and the prompt's with its version."""


class ViewChangedError(RuntimeError):
    """A policy that wrote to the view it was given to read."""


class EpisodeMismatchError(RuntimeError):
    """An environment that played another episode than the one asked for."""


@dataclass(slots=True)
class Clock:
    """Seconds of one episode, kept apart by who spends them.

    Attributes:
        turns: Seconds of each decision, in order.
        reset: Seconds of the policy's reset.
        environment: Seconds of everything else.
    """

    turns: list[float] = field(default_factory=list)
    reset: float = 0.0
    environment: float = 0.0
    _last: float = field(default_factory=time.perf_counter)

    def lap(self) -> float:
        """Seconds since the last lap."""
        now = time.perf_counter()
        seconds, self._last = now - self._last, now
        return seconds

    def timing(self, episode: int, usage: Usage, failure: DialogueFailed | None) -> Timing:
        """The line of ``timings.jsonl``; without a model its counts are zeros."""
        message = {} if failure is None else {"failure_message": str(failure)}
        return {
            "schema": SCHEMA,
            "episode": episode,
            "seconds_policy": self.reset + sum(self.turns),
            "seconds_environment": self.environment,
            "seconds_turns": self.turns,
            **usage_counts(usage),
            **message,
        }


@dataclass(frozen=True, slots=True)
class EpisodeRunner:
    """What a process needs to run episodes; picklable when its factories are.

    Attributes:
        make_env: Builds the environment.
        make_policy: Builds the policy.
        seed: Run seed, non-negative.
        split: Split of the goals.
        models: See :class:`Session`.
    """

    make_env: MakeEnv
    make_policy: MakePolicy
    seed: int
    split: str
    models: Models = field(default_factory=dict)

    def __call__(self) -> Session:
        """Build environment and policy; the session runs episode k when it is called with k."""
        env, policy = self.make_env(), self.make_policy()
        check_match(env, policy)
        torch = sys.modules.get("torch")
        if torch is not None:
            # One thread in every process: sums, and so records, do not depend on `workers`.
            torch.set_num_threads(1)
        return Session(env, policy, self.seed, self.split, self.models)


class Session:
    """One environment and one policy, ready for any number of episodes.

    Args:
        env: The environment, wrapped or not.
        policy: A policy that :func:`check_match` accepts.
        seed: Run seed, non-negative.
        split: Split of the goals.
        models: What records say about the models by role. Added to what the environment says are
            the roles that the policy names in its attribute ``asks``, and ``embed`` if it is here.
            A policy with prompts of its own names them by role in its attribute ``prompts``.
    """

    def __init__(
        self,
        env: gym.Env[Any, Any],
        policy: Any,
        seed: int,
        split: str,
        models: Models | None = None,
    ) -> None:
        self.env = env
        self.policy = policy
        self.seed = seed
        self.split = split
        self._wanted: Wanted = always
        self._open = False
        self._recorded = has_dialogues(env)
        self._by_view = self._recorded and hasattr(policy, "decide")
        asked = {*getattr(policy, "asks", ()), "embed"}
        self._models = {
            role: _told(told, role, policy)
            for role, told in (models or {}).items()
            if role in asked
        }

    def __call__(self, episode: int, wanted: Wanted = always) -> Finished:
        """Run one episode; returns its record and its timing.

        A dialogue that cannot go on for want of a model is a record too
        (:mod:`evaluation.failures`).

        Raises:
            Abandoned: The result is not wanted any more; asked before each turn.
        """
        clock, self._wanted, self._open = Clock(), wanted, False
        failure = None
        with collect() as usage:
            try:
                record = self._run(episode, clock)
            except DialogueFailed as error:
                failure = error
                record = self._failed(episode, clock, error)
        # As a reader of the file will see it; what JSON lacks is refused here, by episode.
        record = json.loads(canonical_line(record))
        clock.environment += clock.lap()
        return record, clock.timing(episode, usage, failure)

    def _run(self, episode: int, clock: Clock) -> Record:
        options = {"episode": episode, "split": self.split}
        if self._by_view:
            self._talk(episode, clock)
            return self._dialogue_record(episode)
        if self._recorded:
            self._act(episode, clock, self.seed, options)
            return self._dialogue_record(episode)
        return self._act(episode, clock, self._episode_seed(episode), None)

    def _failed(self, episode: int, clock: Clock, error: DialogueFailed) -> Record:
        key = {"episode": episode, "seed": self.seed}
        if not self._recorded:
            return failed_episode(key, len(clock.turns), error)
        if not self._open:  # what the environment holds may be of the episode before
            return unopened_dialogue(key | {"split": self.split}, error)
        return failed_dialogue(self._dialogue_record(episode), error)

    def _goes_on(self) -> None:
        if not self._wanted():
            raise Abandoned

    def close(self) -> None:
        """Close the environment."""
        self.env.close()

    def _talk(self, episode: int, clock: Clock) -> None:
        """A dialogue of a policy that decides from the view; hidden parts are sealed meanwhile."""
        base: Any = self.env.unwrapped
        self.env.reset(seed=self.seed, options={"episode": episode, "split": self.split})
        self._open = True
        clock.environment += clock.lap()
        with self._sealed(base), self._unchanged(base.view):
            self.policy.reset(base.view, self._rng(episode, 0))
        if getattr(self.policy, "privileged", False):
            self.policy.inform(base.conversation.hidden())
        clock.reset = clock.lap()
        ended = False
        while not ended:
            self._goes_on()
            with self._sealed(base), self._unchanged(base.view):
                turn = self.policy.decide(base.view, self._rng(episode, len(clock.turns) + 1))
            clock.turns.append(clock.lap())
            _, _, terminated, truncated, _ = base.play(self._turn(turn))
            ended = bool(terminated or truncated)
            clock.environment += clock.lap()

    def _act(self, episode: int, clock: Clock, seed: int, options: dict[str, Any] | None) -> Record:
        """An episode of a policy that acts on observations; returns the generic record."""
        observation, info = self.env.reset(seed=seed, options=options)
        self._open = True
        clock.environment += clock.lap()
        self.policy.start(self.env.action_space, self._rng(episode, 0))
        clock.reset = clock.lap()
        total, ended = 0.0, False
        while not ended:
            self._goes_on()
            mask = action_mask(self.env, info)
            clock.environment += clock.lap()
            with self._sealed(self.env.unwrapped):
                rng = self._rng(episode, len(clock.turns) + 1)
                action = self.policy.act(observation, mask, rng)
            clock.turns.append(clock.lap())
            observation, reward, terminated, truncated, info = self.env.step(action)
            total += float(reward)
            ended = bool(terminated or truncated)
            clock.environment += clock.lap()
        success = info.get("is_success")
        return {
            "schema": SCHEMA,
            "episode": episode,
            "seed": self.seed,
            "return": total,
            "length": len(clock.turns),
            "success": None if success is None else bool(success),
        }

    def _sealed(self, base: Any) -> AbstractContextManager[Any]:
        """Hides goal, persona and seen items; an environment without a conversation has none."""
        conversation = getattr(base, "conversation", None)
        if conversation is None or getattr(self.policy, "privileged", False):
            return nullcontext()
        sealed: AbstractContextManager[Any] = conversation.sealed()
        return sealed

    @contextmanager
    def _unchanged(self, view: Any) -> Iterator[None]:
        """Check that the policy only reads the view: reward and turn limit are counted in it."""
        if not isinstance(view, DialogueView):
            yield
            return
        before = public_facts(view)
        yield
        after = public_facts(view)
        changed = [name for name in before if before[name] != after[name]]
        if changed:
            raise ViewChangedError(
                f"{type(self.policy).__name__} changed {', '.join(changed)} of the view; policies "
                f"only read it: plan on view.fork()"
            )

    def _turn(self, turn: Any) -> int | SystemTurn:
        if isinstance(turn, SystemTurn):
            return turn
        try:
            return operator.index(turn)
        except TypeError as error:
            raise TypeError(
                f"{type(self.policy).__name__}.decide returned {turn!r}; it must return an action "
                f"index or a SystemTurn"
            ) from error

    def _dialogue_record(self, episode: int) -> Record:
        base: Any = self.env.unwrapped
        record: Record = base.dialogue_record()
        asked = {"episode": episode, "seed": self.seed, "split": self.split}
        for key, value in asked.items():
            if record[key] != value:
                raise EpisodeMismatchError(
                    f"{environment_name(self.env)} recorded {key} {record[key]!r} where {value!r} "
                    f"was asked for; its reset must use seed and options (envs.protocol)"
                )
        if self._models:
            record = record | {"llm": {**record.get("llm", {}), **self._models}}
        catalog = getattr(base, "catalog", None)
        return record if catalog is None else complete_record(record, catalog)

    def _rng(self, episode: int, turn: int) -> np.random.Generator:
        return generator(self.seed, episode, Role.POLICY, turn)

    def _episode_seed(self, episode: int) -> int:
        """A seed of its own for each episode of an environment that knows no episode numbers."""
        sequence = np.random.SeedSequence([self.seed, episode, int(Role.SPACE)])
        return int(sequence.generate_state(1)[0])


def _told(model: Mapping[str, Any], role: str, policy: Any) -> Mapping[str, Any]:
    """What a record says about a role: with the policy's own prompts, if it has any."""
    own = getattr(policy, "prompts", {}).get(role)
    return model if own is None else {**model, "prompt": own}
