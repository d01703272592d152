"""Streams: the same numbers by seed, episode, role and turn, whatever was drawn before."""

import random

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from dialogue.streams import ROW, Role, Stream, generator, pick

TURNS = 5
small = st.integers(0, 50)


def numbers(stream: Stream, count: int) -> list[float]:
    return [stream.random() for _ in range(count)]


@given(
    seed=small,
    episode=small,
    role=st.sampled_from(Role),
    draws=st.lists(st.integers(0, 3 * ROW), min_size=TURNS, max_size=TURNS),
    order=st.permutations(range(TURNS)),
)
def test_a_turns_numbers_do_not_depend_on_what_was_drawn_before(
    seed: int, episode: int, role: Role, draws: list[int], order: list[int]
) -> None:
    stream = Stream(seed, episode, role, TURNS)
    for turn in order:
        stream.start(turn)
        fresh = Stream(seed, episode, role, TURNS)
        fresh.start(turn)
        assert numbers(stream, draws[turn]) == numbers(fresh, draws[turn])


@given(before=st.integers(0, 3 * ROW), after=st.integers(1, 2 * ROW), turn=st.integers(0, 4))
def test_seek_continues_where_tell_was(before: int, after: int, turn: int) -> None:
    stream = Stream(3, 4, Role.USER, TURNS)
    stream.start(turn)
    numbers(stream, before)
    counters = stream.tell()
    assert counters == (turn, before)
    following = numbers(stream, after)
    stream.start(0)
    stream.seek(counters)
    assert numbers(stream, after) == following
    other = Stream(3, 4, Role.USER, TURNS)
    other.seek(counters)
    assert numbers(other, after) == following


def test_a_row_goes_on_as_long_as_needed() -> None:
    """An extension repeats neither its own row, nor another turn's, nor itself."""
    stream = Stream(0, 0, Role.USER, TURNS)
    found = []
    for turn in range(TURNS):
        stream.start(turn)
        found += numbers(stream, 4 * ROW)
    assert len(set(found)) == len(found) == TURNS * 4 * ROW
    assert all(0.0 <= number < 1.0 for number in found)
    assert abs(np.mean(found) - 0.5) < 0.05


def test_the_number_of_prepared_turns_does_not_matter() -> None:
    short, long = Stream(1, 2, Role.TEXT, 3), Stream(1, 2, Role.TEXT, 200)
    for turn in range(3):
        short.start(turn)
        long.start(turn)
        assert numbers(short, ROW + 5) == numbers(long, ROW + 5)


def test_seed_episode_role_and_turn_each_matter() -> None:
    keys = [(0, 0), (1, 0), (0, 1), (7, 1), (1, 7)]
    first = {Stream(*key, role, 2).random() for key in keys for role in Role}
    assert len(first) == len(keys) * len(Role)
    rolls = {
        float(generator(*key, role, turn).random())
        for key in keys
        for role in Role
        for turn in range(3)
    }
    assert len(rolls) == len(keys) * len(Role) * 3


def test_a_turn_that_was_not_prepared() -> None:
    stream = Stream(0, 0, Role.USER, 3)
    stream.start(2)
    with pytest.raises(
        ValueError, match="turn 3 of a stream prepared for 3 turns; raise max_turns"
    ):
        stream.start(3)


def test_numbers_are_fixed_for_good() -> None:
    """A published seed means the same dialogues in every version."""
    stream = Stream(0, 0, Role.USER, 11)
    assert stream.random() == float(
        np.random.Generator(np.random.PCG64(np.random.SeedSequence([0, 0, 0]))).random()
    )
    assert generator(1, 2, Role.POLICY, 3).integers(1 << 30) == np.random.Generator(
        np.random.PCG64(np.random.SeedSequence([1, 2, 2, 3]))
    ).integers(1 << 30)


def test_pick_is_uniform() -> None:
    rng = random.Random(0)
    counts = np.bincount([pick(rng, [0, 1, 2]) for _ in range(3000)])
    assert counts.min() > 900
    assert pick(rng, ["only"]) == "only"
    with pytest.raises(IndexError):
        pick(rng, [])
