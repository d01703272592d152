"""What is hidden stays hidden: seals, reachability from the view, replays with another goal."""

import types
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

from baselines.references import AlwaysRecommend, AskAll, RandomPolicy
from catalogs.goal import Goal
from catalogs.goals import GoalSplits
from dialogue.view import DialogueView
from envs.conversation import Conversation, HiddenError
from envs.crs import CRSEnv
from envs.world import World
from rewards.transition import Transition
from simulators.behaviour import Behaviour
from simulators.personas import Persona
from simulators.user import EmbeddedUser
from tests.dialogues import hold
from tests.replay import record_dialogue, replayed_decisions

HIDDEN = (
    Goal, GoalSplits, EmbeddedUser, Persona, Behaviour, World, Conversation, CRSEnv, Transition,
)  # fmt: skip
LEAVES = (str, bytes, float, complex, bool, type(None), type, types.ModuleType, np.ndarray)


@pytest.fixture(params=["acts", "text"])
def env(request: pytest.FixtureRequest, no_data: str) -> CRSEnv:
    return CRSEnv("redial", channel=request.param, split="test", data_dir=no_data)


PEEKS = {
    "user": lambda env: env.conversation.user,
    "goal": lambda env: env.conversation.user.goal,
    "seen": lambda env: env.conversation.user.seen,
    "persona": lambda env: env.conversation.user.behaviour,
    "targets": lambda env: env.conversation.hidden(),
    "snapshot": lambda env: env.get_state(),
    "snapshot of the dialogue": lambda env: env.conversation.get_state(),
}


@pytest.mark.parametrize("peek", PEEKS)
def test_peeking_while_deciding_raises(env: CRSEnv, peek: str) -> None:
    class Peeking(AskAll):
        def decide(self, view: DialogueView, rng: np.random.Generator) -> int:
            PEEKS[peek](env)
            return 0

    with pytest.raises(HiddenError, match="read while a policy decides"):
        hold(env, Peeking(), 0, 0)
    PEEKS[peek](env)  # the seal is off again, whatever was raised


def test_peeking_at_the_record_raises(no_data: str) -> None:
    env = CRSEnv("redial", split="test", data_dir=no_data)
    env.reset(seed=0)
    with env.conversation.sealed(), pytest.raises(HiddenError):
        env.dialogue_record()
    assert env.dialogue_record()["turns"] == []


def test_seals_nest(env: CRSEnv) -> None:
    env.reset(seed=0)
    talk = env.conversation
    with talk.sealed():
        with talk.sealed():
            pass
        with pytest.raises(HiddenError):
            _ = talk.user
    assert talk.user.goal


def parts(thing: Any) -> Iterator[Any]:
    """Everything one step away: items, attributes, closures, bound objects."""
    if isinstance(thing, dict):
        yield from thing.keys()
        yield from thing.values()
    elif isinstance(thing, list | tuple | set | frozenset):
        yield from thing
    if isinstance(thing, types.MethodType):
        yield thing.__self__
        yield thing.__func__
    if isinstance(thing, types.FunctionType):
        yield thing.__defaults__
        yield from (cell.cell_contents for cell in thing.__closure__ or ())
    yield from getattr(thing, "__dict__", {}).values()
    for kind in type(thing).__mro__:
        slots = kind.__dict__.get("__slots__", ())
        for slot in (slots,) if isinstance(slots, str) else slots:
            if hasattr(thing, slot):
                yield getattr(thing, slot)


def reachable(start: Any, limit: int = 2_000_000) -> list[Any]:
    """Every object that attributes lead to from one."""
    found, waiting, known = [], [start], {id(start)}
    while waiting:
        thing = waiting.pop()
        found.append(thing)
        assert len(found) < limit, "the walk does not end"
        for part in parts(thing):
            if id(part) not in known and not isinstance(part, LEAVES):
                known.add(id(part))
                waiting.append(part)
    return found


@pytest.mark.parametrize("retrieval", ["structured", "fusion"])
@pytest.mark.parametrize("channel", ["acts", "text"])
def test_nothing_hidden_is_reachable_from_the_view(
    channel: Any, retrieval: str, no_data: str
) -> None:
    env = CRSEnv("redial", channel=channel, split="test", retrieval=retrieval, data_dir=no_data)
    for episode in range(3):
        env.reset(seed=0, options={"episode": episode})
        for action in (0, 1, 4, 5, 4):
            if not (env.conversation.terminated or env.conversation.truncated):
                env.step(action)
    found = reachable(env.view)
    assert any(thing is env.catalog for thing in found)
    assert any(thing is env.world.retriever for thing in found)
    user = env.conversation.user
    assert user.seen.bit_count() > 100
    for thing in found:
        assert not isinstance(thing, HIDDEN), type(thing)
        assert not (isinstance(thing, int) and thing in (user.seen, user.acceptable) and thing > 9)


def test_the_walk_finds_what_is_reachable(no_data: str) -> None:
    """The walk is worth something: from the environment it finds each hidden kind."""
    env = CRSEnv("redial", channel="text", split="test", data_dir=no_data)
    env.reset(seed=0)
    found = reachable(env)
    for kind in HIDDEN:
        assert any(isinstance(thing, kind) for thing in found), kind
    env.view.retriever.peek = lambda: env  # type: ignore[attr-defined]
    try:
        assert any(isinstance(thing, Goal) for thing in reachable(env.view))
    finally:
        del env.view.retriever.peek  # type: ignore[attr-defined]


@pytest.mark.parametrize("policy", [RandomPolicy, AlwaysRecommend, AskAll])
def test_another_goal_with_the_same_replies_changes_nothing(env: CRSEnv, policy: type) -> None:
    for episode in range(15):
        recorded = record_dialogue(policy, env, seed=2, episode=episode)
        assert replayed_decisions(policy, env, recorded) == recorded.decisions


def test_a_recording_is_what_hold_holds(env: CRSEnv) -> None:
    for episode in range(5):
        recorded = record_dialogue(AskAll, env, seed=2, episode=episode)
        assert recorded.decisions == hold(env, AskAll(), 2, episode).decisions


def test_a_policy_that_knows_the_goal_is_caught(env: CRSEnv) -> None:
    class Leaky(AskAll):
        """Reads past the seal."""

        def decide(self, view: DialogueView, rng: np.random.Generator) -> int:
            return int(env.conversation._user.goal.values[0][0]) % 3

    changed = []
    for episode in range(10):
        recorded = record_dialogue(Leaky, env, seed=2, episode=episode)
        changed.append(replayed_decisions(Leaky, env, recorded) != recorded.decisions)
    assert any(changed)


class ByNumbers:
    """An agent of observations: the action whose share of the observation is largest."""

    def start(self, space: Any, rng: np.random.Generator) -> None:
        pass

    def act(self, observation: np.ndarray, mask: np.ndarray, rng: np.random.Generator) -> int:
        noise = rng.random(len(mask)) + observation[: len(mask)]
        return int(np.argmax(np.where(mask, noise, -1.0)))


def test_agents_of_observations_are_replayed_too(env: CRSEnv) -> None:
    for episode in range(10):
        recorded = record_dialogue(ByNumbers, env, seed=1, episode=episode)
        assert replayed_decisions(ByNumbers, env, recorded) == recorded.decisions
