"""What holds in every dialogue, whatever the catalogue, the goal, the user and the actions."""

import json
import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from catalogs.catalog import members
from catalogs.goal import targets
from dialogue.acts import Kind
from dialogue.state import PreferenceState
from dialogue.view import SystemTurn
from envs.crs import CRSEnv
from envs.world import World
from retrieval.structured import StructuredRetriever
from tests.small_world import env_of
from tests.strategies import turns, worlds

CHANNELS = ["acts", "text"]
channel = pytest.mark.parametrize("channel", CHANNELS)
fewer = settings(max_examples=60)


def start(data: st.DataObject, place: World, channel: str) -> CRSEnv:
    env = env_of(place, channel=channel, max_turns=8)
    env.reset(seed=data.draw(st.integers(0, 99)), options={"episode": data.draw(st.integers(0, 9))})
    return env


def legal(env: CRSEnv) -> list[bool]:
    """Legality by its documented rule, from the public exchanges alone."""
    view, catalog = env.view, env.catalog
    offered = 0
    for exchange in view.exchanges:
        if exchange.action == env.domain.recommend:
            offered |= catalog.works[exchange.item]
    last = {act.kind for act in view.exchanges[-1].acts}
    inquiries = [True] * env.domain.n_facets
    rejected = bool(last & {Kind.REJECT, Kind.SEEN})
    return [*inquiries, rejected, offered != catalog.everything, bool(offered)]


@channel
@given(data=st.data(), place=worlds())
@fewer
def test_a_dialogue(channel: str, data: st.DataObject, place: World) -> None:
    """Return, masks, observations, offers, acceptance and the end of one dialogue."""
    env = start(data, place, channel)
    user = env.conversation.user
    met = targets(env.catalog, user.goal)
    assert user.acceptable == met & ~user.seen != 0
    earned, offered = [], 0
    for turn in data.draw(turns(env.catalog)):
        asked = turn.action if isinstance(turn, SystemTurn) else turn
        mask = env.action_masks()
        assert mask.any()
        assert mask.tolist() == legal(env)
        before = env.view.invalid
        observation, reward, terminated, truncated, info = env.play(turn)
        assert reward == sum(info["reward_terms"].values())
        assert set(info["reward_terms"]) == {"explore", "retrieve", "attitude", "cost", "accept"}
        assert -1.7 - 1e-9 <= reward < 10.9
        assert env.observation_space.contains(observation)
        assert info["invalid_action"] == (not mask[asked]) == (env.view.invalid == before + 1)
        exchange = env.view.exchanges[-1]
        assert exchange.action == (asked if mask[asked] else 0)
        if exchange.action == env.domain.recommend:
            if not isinstance(turn, SystemTurn):
                assert not offered >> exchange.item & 1, "offered twice unasked"
            offered |= env.catalog.works[exchange.item]
        assert info["is_success"] == (info["reward_terms"]["accept"] > 0)
        if info["is_success"]:
            assert exchange.action in (env.domain.recommend, env.domain.explain)
            assert met >> exchange.item & 1
            assert not user.seen >> exchange.item & 1
        assert terminated == (info["is_success"] or user.left)
        assert truncated == (not terminated and info["turn"] == 8)
        earned.append(reward)
        if terminated or truncated:
            with pytest.raises(RuntimeError, match="over; call reset"):
                env.play(0)
            break
    record = env.dialogue_record()
    assert record["return"] == pytest.approx(sum(earned))
    totals = [sum(entry["rewards"].values()) for entry in record["turns"]]
    assert totals == pytest.approx(earned)
    assert json.loads(json.dumps(record)) == record


@given(data=st.data(), place=worlds())
@fewer
def test_the_state_round_trips_through_json(data: st.DataObject, place: World) -> None:
    env = start(data, place, "acts")
    for turn in data.draw(turns(env.catalog)):
        ended = any(env.play(turn)[2:4])
        state = env.view.state
        written = json.dumps(state.to_json(env.catalog))
        assert PreferenceState.from_json(json.loads(written), env.catalog) == state
        assert state.copy() == state
        if ended:
            break


@channel
@given(data=st.data(), place=worlds())
@fewer
def test_a_snapshot_is_exact(channel: str, data: st.DataObject, place: World) -> None:
    """From a snapshot, here and in another environment, the dialogue goes on as it did."""
    env = start(data, place, channel)
    script = data.draw(turns(env.catalog))
    cut = data.draw(st.integers(0, len(script)))
    other = env_of(place, channel=channel, max_turns=8)
    other.reset(seed=env.np_random_seed, options={"episode": env.episode})
    saved = None
    for number, turn in enumerate(script):
        if number == cut:
            saved = json.loads(json.dumps(env.get_state()))
        if any(env.play(turn)[2:4]):
            break
    if saved is None:
        return
    first = told(env)
    rest = script[cut:]
    for one in (env, other):
        one.set_state(saved)
        assert json.loads(json.dumps(one.get_state())) == saved
        replies = go_on(one, rest)
        one.set_state(saved)
        assert go_on(one, rest) == replies
        assert told(one) == first


def go_on(env: CRSEnv, script: list[int | SystemTurn]) -> list[object]:
    """Everything that comes back."""
    found: list[object] = []
    for turn in script:
        observation, reward, terminated, truncated, info = env.play(turn)
        plain = {**info, "action_mask": info["action_mask"].tolist()}
        found.append((observation.tolist(), reward, terminated, truncated, plain))
        if terminated or truncated:
            break
    return found


def told(env: CRSEnv) -> str:
    """The whole dialogue, hidden parts included, bit for bit."""
    return json.dumps([env.dialogue_record(), env.get_state()])


@given(data=st.data(), place=worlds())
@fewer
def test_an_observation_is_a_function_of_the_view(data: st.DataObject, place: World) -> None:
    """Asked again, from a fork, or with a retriever that has cached nothing: the same numbers."""
    env = start(data, place, "acts")
    assert len(set(env.observer.names)) == env.observer.size
    for turn in data.draw(turns(env.catalog)):
        observation, *rest = env.play(turn)
        fresh = env.view.fork()
        fresh.retriever = StructuredRetriever(env.catalog)
        for view in (env.view, env.view.fork(), fresh):
            assert np.array_equal(env.observer.encode(view), observation)
        assert observation.dtype == np.float32
        assert observation.shape == (len(env.observer.names),)
        if any(rest[1:3]):
            break


@given(data=st.data(), place=worlds())
@fewer
def test_rows_of_a_work_share_seen_and_offered(data: st.DataObject, place: World) -> None:
    env = start(data, place, "acts")
    works = env.catalog.works
    for turn in data.draw(turns(env.catalog)):
        ended = any(env.play(turn)[2:4])
        for bits in (env.view.offered, env.conversation.user.seen):
            assert all(works[item] & bits == works[item] for item in members(bits))
        if ended:
            break


@given(data=st.data(), place=worlds())
@fewer
def test_seen_leaves_a_target(data: st.DataObject, place: World) -> None:
    """Every goal keeps a target, unseen with all rows of its work, at every rate."""
    goal = data.draw(st.sampled_from(place.splits.test))
    wanted = targets(place.catalog, goal)
    for rate in (0.0, 0.3, 1.0):
        seen = place.seen.draw(data.draw(st.integers(0, 9)), 3, rate, wanted)
        left = wanted & ~seen
        assert left
        assert any(not place.catalog.works[item] & seen for item in members(left))


@given(data=st.data(), place=worlds())
@fewer
def test_retrieve_is_a_potential(data: st.DataObject, place: World) -> None:
    """Whatever happens in between, a dialogue without acceptance earns last minus first overlap."""
    env = start(data, place, "acts")
    transition = env.conversation._transition
    first, paid = transition.overlap_after, 0.0
    for turn in data.draw(turns(env.catalog)):
        *_, terminated, truncated, info = env.play(turn)
        paid += info["reward_terms"]["retrieve"]
        if info["is_success"]:
            return
        assert math.isclose(paid, 0.5 * (transition.overlap_after - first), abs_tol=1e-12)
        if terminated or truncated:
            break
