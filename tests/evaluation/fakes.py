"""A small environment with the dialogue protocol, policies, and records made by hand."""

import os
import signal
import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import gymnasium as gym
import numpy as np

from dialogue.view import SystemTurn
from language.llm.errors import DialogueFailed, RunStopped
from language.llm.usage import current

FACETS = [
    ["genre", "all", "GenreInquiry"],
    ["star", "any", "StarInquiry"],
    ["director", "any", "DirectorInquiry"],
]
ACTIONS = [
    *(inquiry for _, _, inquiry in FACETS),
    "FailureReflection",
    "ItemRec",
    "ItemExplanation",
]
HOSTILE = (
    '"quoted" \\ new\nline\r\u2028\x85 <script>alert(1)</script> [bold]x[/bold] ‮שלום‬ 🎬 \ud800'
)


def turn(action: str, **changes: Any) -> dict[str, Any]:
    """A turn of a record; item turns need ``item``."""
    made: dict[str, Any] = {
        "turn": 1,
        "action": action,
        "legal": True,
        "item": None,
        "system": "system text",
        "user": "user text",
        "said": [],
        "heard": [],
        "ranking": [],
        "retrieved": [],
        "query": None,
        "rewards": {"explore": 0.0, "retrieve": 0.0, "attitude": 0.0, "cost": -0.1, "accept": 0.0},
        "search_changed": None,
        "trace": None,
        "state": {},
    }
    made.update(changes)
    if made["item"] is not None and action == "ItemRec" and not made["ranking"]:
        made["ranking"] = [made["item"]]
    if made["item"] is not None:
        made.setdefault("item_values", {"genre": [], "star": [], "director": []})
    return made


def record(*turns: dict[str, Any], **changes: Any) -> dict[str, Any]:
    """A completed dialogue record with target ``t``."""
    numbered = [entry | {"turn": number} for number, entry in enumerate(turns, start=1)]
    made: dict[str, Any] = {
        "schema": 1,
        "episode": 0,
        "split": "test",
        "seed": 0,
        "goal_index": 0,
        "goal": {"genre": ["comedy", "drama"], "star": ["Ann", "Bob"], "director": ["Cleo"]},
        "persona": "one",
        "targets": ["t"],
        "opening": {"user": "hello", "said": [], "heard": []},
        "turns": numbered,
        "outcome": "truncated",
        "success": False,
        "n_turns": len(numbered),
        "return": sum(sum(entry["rewards"].values()) for entry in numbered),
        "facets": FACETS,
    }
    return made | changes


def timing(episode: int = 0, policy: float = 0.5, environment: float = 0.25) -> dict[str, Any]:
    return {
        "schema": 1,
        "episode": episode,
        "seconds_policy": policy,
        "seconds_environment": environment,
        "seconds_turns": [policy],
        "calls": 0,
        "tokens": 0,
        "retries": 0,
        "cost": 0.0,
    }


class FakeConversation:
    """Hidden parts behind a seal."""

    def __init__(self, target: str) -> None:
        self._target = target
        self._sealed = False

    def hidden(self) -> str:
        if self._sealed:
            raise PermissionError("the goal is hidden while a policy decides")
        return self._target

    @contextmanager
    def sealed(self) -> Iterator[None]:
        self._sealed = True
        try:
            yield
        finally:
            self._sealed = False


class FakeView:
    """What fake policies see."""

    def __init__(self, env: "FakeEnv") -> None:
        self.turn = 0
        self.env = env  # a hole on purpose: the seal must hold nevertheless


class FakeEnv(gym.Env[Any, Any]):
    """Item number 0..5 is wanted; a recommendation of ``ranking[0]`` may hit it. Four turns."""

    action_space = gym.spaces.Discrete(len(ACTIONS))
    observation_space = gym.spaces.Box(0.0, 1.0, (2,), np.float32)

    def reset(self, *, seed: int | None = None, options: dict[str, Any] | None = None) -> Any:
        super().reset(seed=seed)
        assert seed is not None
        assert options is not None
        self.key = {"episode": options["episode"], "split": options["split"], "seed": seed}
        self.draws = np.random.default_rng([seed, options["episode"]])
        self.target = str(self.draws.integers(6))
        self.conversation = FakeConversation(self.target)
        self._view = FakeView(self)
        self.turns: list[dict[str, Any]] = []
        self.done = False
        return self._observation(), {"action_mask": self.action_masks()}

    @property
    def view(self) -> FakeView:
        return self._view

    def action_masks(self) -> Any:
        return np.array([True, True, True, False, True, False])

    def _observation(self) -> Any:
        return np.full(2, self._view.turn / 4, np.float32)

    def step(self, action: Any) -> Any:
        return self.play(int(action))

    def play(self, choice: SystemTurn | int) -> Any:
        assert not self.done
        chosen = SystemTurn(choice) if isinstance(choice, int) else choice
        item = None
        if ACTIONS[chosen.action] == "ItemRec":
            item = str((chosen.ranking or (int(self.draws.integers(6)),))[0])
        hit = item == self.target
        self._view.turn += 1
        values = {"genre": ["comedy"], "star": ["Ann"], "director": ["Cleo"]}
        extra = {"item_values": values} if item is not None else {}
        user = f"{self.draws.random()} {HOSTILE}"
        rewards = {"explore": 0.0, "cost": -0.1, "accept": 1.0 if hit else 0.0}
        changed = chosen.search_changed
        made = turn(ACTIONS[chosen.action], item=item, user=user, rewards=rewards, **extra)
        self.turns.append(made | {"search_changed": changed})
        self.done = hit or len(self.turns) == 4
        reward = sum(rewards.values())
        info = {"action_mask": self.action_masks(), "is_success": hit}
        return self._observation(), reward, hit, self.done and not hit, info

    def dialogue_record(self) -> dict[str, Any]:
        hit = bool(self.turns and self.turns[-1]["item"] == self.target)
        persona = f"persona {self.key['episode'] % 3}"
        outcome = {"outcome": "accepted" if hit else "truncated", "success": hit}
        head = {**self.key, "persona": persona, "targets": [self.target], **outcome}
        return record(*self.turns, **head, goal_index=self.key["episode"] % 2)


class GuessPolicy:
    """Recommends a random item each turn; remembers nothing across dialogues."""

    def __init__(self, pause: float = 0.0) -> None:
        self.pause = pause

    def reset(self, view: Any, rng: np.random.Generator) -> None:
        self.first = int(rng.integers(6))

    def decide(self, view: Any, rng: np.random.Generator) -> SystemTurn | int:
        time.sleep(self.pause)
        if view.turn == 0:
            return 0
        guess = (self.first + int(rng.integers(3))) % 6
        return SystemTurn(4, ranking=(guess,), search_changed=bool(guess % 2))


class FailingPolicy(GuessPolicy):
    """Raises in one episode."""

    def __init__(self, episode: int) -> None:
        super().__init__()
        self.episode = episode

    def decide(self, view: Any, rng: np.random.Generator) -> SystemTurn | int:
        if view.env.key["episode"] == self.episode:
            raise ZeroDivisionError("a bug in the policy")
        return super().decide(view, rng)


class DyingPolicy(FailingPolicy):
    """Kills its own process in one episode, as the system does when memory is short."""

    def decide(self, view: Any, rng: np.random.Generator) -> SystemTurn | int:
        if view.env.key["episode"] == self.episode:
            os.kill(os.getpid(), signal.SIGKILL)
        return super().decide(view, rng)


class ModelPolicy(GuessPolicy):
    """Books a model's calls as a role would; in some episodes the model fails or stops the run.

    Args:
        failing: Reason by episode; the dialogue fails at its second turn.
        stopped: Episode in which the run is stopped.
        pause: Seconds of each call.
    """

    def __init__(
        self, failing: dict[int, str] | None = None, stopped: int = -1, pause: float = 0.0
    ) -> None:
        super().__init__(pause)
        self.failing = failing or {}
        self.stopped = stopped

    def decide(self, view: Any, rng: np.random.Generator) -> SystemTurn | int:
        episode = view.env.key["episode"]
        if episode == self.stopped:
            raise RunStopped("llm.max_calls=5 is spent; raise it and continue with resume=true")
        if episode in self.failing and view.turn == 1:
            current().fault("track", "connection")
            reason = self.failing[episode]
            raise DialogueFailed(f"track: the endpoint did not answer ({reason})", reason)
        current().add("score", calls=1, tokens_in=10, tokens_out=2, cost_usd=0.25, retries=1)
        if view.turn == 0:
            current().fault("score", "refusal")
            current().fallback("score", "refusal", view.turn + 1)
        return super().decide(view, rng)


class MuteEnv(FakeEnv):
    """Its user, a model, does not even say the opening in some episodes."""

    def __init__(self, mute: tuple[int, ...]) -> None:
        self.mute = mute

    def reset(self, *, seed: int | None = None, options: dict[str, Any] | None = None) -> Any:
        assert options is not None
        if options["episode"] in self.mute:
            raise DialogueFailed("user: the endpoint did not answer", "unreachable")
        return super().reset(seed=seed, options=options)


class PeekingPolicy(GuessPolicy):
    """Tries to read the goal while it decides."""

    def decide(self, view: Any, rng: np.random.Generator) -> SystemTurn | int:
        return int(view.env.conversation.hidden())


class FakeOracle:
    """Is told the target."""

    privileged = True

    def reset(self, view: Any, rng: np.random.Generator) -> None:
        self.target = -1

    def inform(self, hidden: str) -> None:
        self.target = int(hidden)

    def decide(self, view: Any, rng: np.random.Generator) -> SystemTurn:
        return SystemTurn(4, ranking=(self.target,))


class ObserverPolicy:
    """Acts on observations: a legal action at random."""

    def start(self, action_space: gym.Space[Any], rng: np.random.Generator) -> None:
        self.n = int(action_space.n)  # type: ignore[attr-defined]

    def act(self, observation: Any, mask: Any, rng: np.random.Generator) -> int:
        legal = np.flatnonzero(mask) if mask is not None else np.arange(self.n)
        return int(rng.choice(legal))


class PlainEnv(gym.Env[Any, Any]):
    """An environment of somebody else: two actions, three steps, no dialogue."""

    action_space = gym.spaces.Discrete(2)
    observation_space = gym.spaces.Box(0.0, 1.0, (1,), np.float32)

    def reset(self, *, seed: int | None = None, options: dict[str, Any] | None = None) -> Any:
        super().reset(seed=seed)
        self.steps = 0
        return np.zeros(1, np.float32), {}

    def step(self, action: Any) -> Any:
        self.steps += 1
        reward = float(action) + float(self.np_random.random())
        info = {"is_success": bool(action)} if self.steps == 3 else {}
        return np.zeros(1, np.float32), reward, self.steps == 3, False, info
