"""Episodes: which goal and persona number k is, what the seed changes, what reset's options do."""

from typing import Any

import numpy as np
import pytest

from catalogs.goal import targets
from catalogs.goals import SPLITS
from dialogue.view import SystemTurn
from envs.crs import CRSEnv
from simulators.personas import bundled_personas


@pytest.fixture
def env(no_data: str) -> CRSEnv:
    return CRSEnv("redial", channel="acts", split="test", data_dir=no_data, keep_steps=True)


def start(env: CRSEnv, seed: int | None = None, **options: Any) -> None:
    env.reset(seed=seed, options=options)


@pytest.mark.parametrize("split", SPLITS)
def test_episode_k_is_fixed_by_the_formula(env: CRSEnv, split: str) -> None:
    goals, people = env.splits.of(split), bundled_personas()
    size = len(goals)
    for k in (0, 1, size - 1, size, 2 * size + 3, 149, 4_000_000_000):
        for seed in (0, 5):
            start(env, seed, episode=k, split=split)
            record = env.dialogue_record()
            assert env.conversation.user.goal == goals[k % size]
            assert record["persona"] == people[(k % size + k // size) % 10].name
            assert (record["episode"], record["split"], record["seed"]) == (k, split, seed)
            assert record["goal_index"] == k % size


def test_150_test_dialogues_pair_each_goal_with_each_persona(env: CRSEnv) -> None:
    size = len(env.splits.test)
    assert size == 15
    pairs = set()
    for k in range(150):
        start(env, 0, episode=k)
        record = env.dialogue_record()
        pairs.add((record["goal_index"], record["persona"]))
    assert len(pairs) == 150


def test_the_seed_changes_only_the_users_randomness(env: CRSEnv) -> None:
    openings, seen = set(), set()
    for seed in range(30):
        start(env, seed, episode=3)
        user = env.conversation.user
        openings.add(env.conversation.opening_said)
        seen.add(user.seen)
        assert user.goal == env.splits.test[3]
        assert user.behaviour == bundled_personas()[3].behaviour
        assert user.acceptable == targets(env.catalog, user.goal) & ~user.seen
    assert len(openings) > 3
    assert len(seen) == 30


def test_the_seed_stays_until_another_one_comes(env: CRSEnv) -> None:
    start(env, 7, episode=4)
    first = env.get_state()
    env.step(0)
    start(env, episode=4)
    assert env.get_state() == first
    start(env, 8, episode=4)
    assert env.get_state() != first


def test_random_order_draws_episodes_from_the_seed(no_data: str) -> None:
    env = CRSEnv("redial", channel="acts", data_dir=no_data)
    runs = []
    for _ in range(2):
        env.reset(seed=3)
        numbers = [env.episode]
        for _ in range(5):
            env.reset()
            numbers.append(env.episode)
        runs.append(numbers)
    assert runs[0] == runs[1]
    assert len(set(runs[0])) == 6
    env.reset(seed=4)
    assert env.episode != runs[0][0]


def test_sequential_order_counts(no_data: str) -> None:
    env = CRSEnv("redial", channel="acts", order="sequential", data_dir=no_data)
    env.reset(seed=0)
    numbers = [env.episode]
    for _ in range(3):
        env.reset()
        numbers.append(env.episode)
    assert numbers == [0, 1, 2, 3]
    env.reset(options={"episode": 10})
    env.reset()
    assert env.episode == 11
    env.reset(seed=0)
    assert env.episode == 0


def test_goal_and_persona_of_ones_own(env: CRSEnv) -> None:
    item = env.catalog.items[5]
    names = {
        facet.name: [env.catalog.value(f, v) for v in item.values[f]]
        for f, facet in enumerate(env.domain.facets)
    }
    start(env, 0, episode=0, goal=names, persona="cinephile_adult")
    record = env.dialogue_record()
    assert record["goal"] == names
    assert record["persona"] == "cinephile_adult"
    assert record["goal_index"] is None
    assert targets(env.catalog, env.conversation.user.goal) >> 5 & 1


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"epsiode": 3}, r"no option 'epsiode'; did you mean 'episode'\? \(options: episode, "),
        ({"episode": -1}, "'episode' must be a whole number from 0"),
        ({"episode": 1.5}, "'episode' must be a whole number"),
        ({"episode": 1 << 32}, "'episode' must be a whole number"),
        ({"split": "dev"}, "'split' must be one of test, heldout, train, not 'dev'"),
        ({"persona": "nobody"}, "no persona 'nobody'; there are eager_teen, "),
        ({"goal": ["comedy"]}, "'goal' must map facet names to lists of values"),
        ({"goal": {"genre": "comedy"}}, "'goal': 'genre' must be a list of values, not 'comedy'"),
        ({"goal": {"genre": ["polka"]}}, "'goal': .*no genre 'polka'"),
        ({"goal": {"genre": [["crime"]]}}, "'genre' must be a list of values"),
        ({"goal": {"genre": b"crime"}}, "'genre' must be a list of values"),
        ({"goal": {"colour": ["red"]}}, "'goal': .*no facet 'colour'; it has genre, star"),
    ],
)
def test_wrong_options(env: CRSEnv, options: dict[str, Any], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        env.reset(options=options)


@pytest.mark.parametrize("options", [5, "episode", ["episode"]])
def test_options_that_are_no_mapping(env: CRSEnv, options: Any) -> None:
    with pytest.raises(ValueError, match="reset options must be a mapping"):
        env.reset(options=options)


def test_a_goal_that_nothing_meets(env: CRSEnv) -> None:
    everything = list(env.catalog.vocabulary[0])
    with pytest.raises(ValueError, match="'goal': no item of sample_movie meets"):
        env.reset(options={"goal": {"genre": everything}})


def test_the_goal_order_is_said_in_the_users_order(env: CRSEnv) -> None:
    """The order in which values come up is drawn: it differs by seed, not by what was asked."""
    firsts = set()
    for seed in range(40):
        start(env, seed, episode=2)
        firsts.add(env.conversation.user.remaining[1])
    assert len(firsts) > 1


def test_a_snapshot_of_another_episode_is_refused(env: CRSEnv) -> None:
    start(env, 0, episode=1)
    saved = env.get_state()
    start(env, 0, episode=2)
    with pytest.raises(ValueError, match="snapshot is of episode 1, the environment is in 2"):
        env.set_state(saved)


@pytest.mark.parametrize(
    ("seed", "options", "what"),
    [
        (1, {}, "seed 0"),
        (0, {"split": "heldout"}, "split test"),
        (0, {"persona": "cinephile_adult"}, "persona"),
        (0, {"goal": {"genre": ["crime"]}}, "goal"),
    ],
)
def test_a_snapshot_of_another_user_is_refused(
    env: CRSEnv, seed: int, options: dict[str, Any], what: str
) -> None:
    start(env, 0, episode=1, split="test")
    saved = env.get_state()
    start(env, seed, **{"episode": 1, "split": "test", **options})
    with pytest.raises(ValueError, match=f"the snapshot is of {what}"):
        env.set_state(saved)


def test_numpy_integers_are_integers(env: CRSEnv) -> None:
    """Options and turns from arrays are as good as plain numbers."""
    start(env, 0, episode=0)
    _, first, *_ = env.play(0)
    start(env, 0, episode=0)
    _, again, *_ = env.play(np.int64(0))  # type: ignore[arg-type]
    assert first == again
    start(env, 0, episode=0)
    ranking = tuple(np.array([3, 1, 2]))
    env.play(SystemTurn(np.int64(4), ranking=ranking))  # type: ignore[arg-type]
    assert env.view.exchanges[-1].ranking == (3, 1, 2)
    assert env.view.exchanges[-1].item == 3
