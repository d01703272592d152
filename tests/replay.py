"""Does a policy decide from what it may see? Two live runs that differ only in the goal must agree.

``record_dialogue`` holds a dialogue with the embedded user. ``replayed_decisions`` holds it again
with a user who wants something else but says word for word what was recorded: a policy that reads
the public side only decides as it did. Both take policies of either kind: ``decide(view, rng)``, or
``act(observation, mask, rng)``, which sees only numbers.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any
from unittest.mock import patch

from catalogs.goal import Goal
from dialogue.acts import Kind, UserActs
from dialogue.streams import Role, generator
from dialogue.view import SystemTurn
from envs.crs import CRSEnv
from simulators.user import EmbeddedUser

Decision = int | SystemTurn


@dataclass(frozen=True)
class Recorded:
    """A dialogue: how it was started, what the user meant in each turn, what the policy decided."""

    seed: int
    episode: int
    split: str
    goal: dict[str, list[str]]
    persona: str
    opening: UserActs
    replies: tuple[UserActs, ...]
    decisions: tuple[Decision, ...]


class ReplayedUser(EmbeddedUser):
    """Wants what it was made with, and says what was recorded."""

    __slots__ = ("_opening", "_replies")

    def replay(self, recorded: Recorded) -> "ReplayedUser":
        """Take over what to say."""
        self._opening = recorded.opening
        self._replies = list(recorded.replies)
        return self

    def open(self) -> UserActs:
        """The recorded opening."""
        return self._opening

    def respond(self, action: int, item: int) -> UserActs:
        """The next recorded reply, whatever the system did."""
        acts = self._replies.pop(0)
        self.left = any(act.kind == Kind.QUIT for act in acts)
        return acts


def record_dialogue(
    policy_factory: Callable[[], Any],
    env: CRSEnv,
    seed: int = 0,
    episode: int = 0,
    split: str = "test",
) -> Recorded:
    """Hold a dialogue with the embedded user and keep what was said and decided."""
    env.reset(seed=seed, options={"episode": episode, "split": split})
    talk = env.conversation
    persona = env._persona
    assert persona is not None
    goal = talk.user.goal.named(env.catalog)
    replies: list[UserActs] = []
    live = talk.user.respond

    class Listening:
        """Passes everything on and keeps the replies."""

        def __getattr__(self, name: str) -> Any:
            return getattr(user, name)

        def respond(self, action: int, item: int) -> UserActs:
            replies.append(live(action, item))
            return replies[-1]

    user, talk._user = talk._user, Listening()
    decisions = _decide(policy_factory(), env, seed, episode, env.max_turns)
    return Recorded(
        seed,
        episode,
        split,
        goal,
        persona,
        talk.opening_said,
        tuple(replies),
        tuple(decisions),
    )


def replayed_decisions(
    policy_factory: Callable[[], Any],
    env: CRSEnv,
    recorded: Recorded,
    goal: Goal | None = None,
) -> tuple[Decision, ...]:
    """Decisions of a new policy when a user with another goal says what was recorded.

    Args:
        policy_factory: Makes the policy; it must not carry anything over from the recorded run.
        env: The environment that the dialogue was recorded in.
        recorded: The dialogue.
        goal: What the other user wants; default: the split's next goal.

    Returns:
        As many decisions as were recorded; compare them with ``recorded.decisions``.
    """
    other = goal or _next_goal(env, recorded)
    named = other.named(env.catalog)
    assert named != recorded.goal, "the other user must want something else"
    options = {"split": recorded.split, "persona": recorded.persona, "goal": named}

    def make(*args: Any) -> ReplayedUser:
        return ReplayedUser(*args).replay(recorded)

    with patch("envs.crs.EmbeddedUser", make):
        env.reset(seed=recorded.seed, options={**options, "episode": recorded.episode})
    found = _decide(policy_factory(), env, recorded.seed, recorded.episode, len(recorded.decisions))
    return tuple(found)


def _next_goal(env: CRSEnv, recorded: Recorded) -> Goal:
    goals = env.splits.of(recorded.split)
    names = [goal.named(env.catalog) for goal in goals]
    return goals[(names.index(recorded.goal) + 1) % len(goals)]


def _decide(policy: Any, env: CRSEnv, seed: int, episode: int, most: int) -> list[Decision]:
    """Let a policy decide until the dialogue is over, at most so many turns."""
    talk = env.conversation
    decisions: list[Decision] = []
    by_view = hasattr(policy, "decide")
    begin = generator(seed, episode, Role.POLICY, 0)
    with talk.sealed():
        if by_view:
            policy.reset(env.view, begin)
        else:
            policy.start(env.action_space, begin)
    observation = env.observer.encode(env.view)
    while len(decisions) < most and not (talk.terminated or talk.truncated):
        rng = generator(seed, episode, Role.POLICY, len(decisions) + 1)
        with talk.sealed():
            if by_view:
                decision = policy.decide(env.view, rng)
            else:
                decision = int(policy.act(observation, env.action_masks(), rng))
        decisions.append(decision)
        observation = env.play(decision)[0]
    return decisions
