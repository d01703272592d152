"""Expectation-maximisation finds the behaviours that dialogues were made with."""

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
import pytest

from catalogs.catalog import Catalog
from planners.belief import Profile
from planners.evidence import Evidence
from planners.learn_profiles import collect, mean_patience
from planners.mixture import fit_profiles
from simulators.behaviour import PROBABILITIES, Behaviour
from tests.planners.situations import AVERAGE
from tests.small_world import env_of, goal, persona, world

TALKER = replace(AVERAGE, opens_topic=0.9, evade_person=0.05, volunteer=0.7, reason=0.9)
MUMBLER = replace(AVERAGE, opens_topic=0.1, evade_person=0.7, volunteer=0.05, reason=0.1)


def synthetic(behaviour: Behaviour, dialogues: int, rng: np.random.Generator) -> list[Evidence]:
    """Evidence of dialogues with a handful of chances each, and no course of impatience."""
    data = []
    for _ in range(dialogues):
        found = Evidence()
        for name in PROBABILITIES:
            for _ in range(int(rng.integers(1, 5))):
                found.count(name, bool(rng.random() < getattr(behaviour, name)))
        data.append(found)
    return data


def grouped(profiles: Sequence[Profile]) -> list[Profile]:
    """One profile a group, with its mean patience; the heavier group first."""
    groups: dict[tuple[float, ...], list[Profile]] = {}
    for one in profiles:
        rates = tuple(getattr(one.behaviour, name) for name in PROBABILITIES)
        groups.setdefault(rates, []).append(one)
    merged = []
    for members in groups.values():
        weight = sum(one.weight for one in members)
        patience = sum(one.weight * one.behaviour.patience for one in members) / weight
        merged.append(Profile(weight, replace(members[0].behaviour, patience=patience)))
    return sorted(merged, key=lambda one: -one.weight)


def test_two_well_separated_behaviours_are_recovered() -> None:
    rng = np.random.default_rng(1)
    data = synthetic(TALKER, 180, rng) + synthetic(MUMBLER, 60, rng)
    first, second = grouped(fit_profiles(data, 3, 2, 30, np.random.default_rng(2)))
    assert first.weight == pytest.approx(0.75, abs=0.06)
    assert first.weight + second.weight == pytest.approx(1.0)
    for profile, truth in ((first, TALKER), (second, MUMBLER)):
        for name in PROBABILITIES:
            found = getattr(profile.behaviour, name)
            assert found == pytest.approx(getattr(truth, name), abs=0.12), name


def test_one_profile_is_the_average() -> None:
    rng = np.random.default_rng(3)
    data = synthetic(TALKER, 100, rng) + synthetic(MUMBLER, 100, rng)
    (only,) = grouped(fit_profiles(data, 3, 1, 1, np.random.default_rng(0)))
    assert only.weight == pytest.approx(1.0)
    taken = sum(found.taken["volunteer"] for found in data)
    chances = sum(found.chances["volunteer"] for found in data)
    assert only.behaviour.volunteer == pytest.approx(taken / chances, abs=0.01)


def test_the_same_stream_fits_the_same_profiles() -> None:
    data = synthetic(TALKER, 20, np.random.default_rng(4))
    fits = [fit_profiles(data, 3, 3, 5, np.random.default_rng(5)) for _ in range(2)]
    assert fits[0] == fits[1]
    weights = [profile.weight for profile in fits[0]]
    assert weights == sorted(weights, reverse=True)


def test_patience_is_learned_from_dialogues(small: Catalog) -> None:
    """Dialogues on train goals with two kinds of people: who stays long and who leaves early."""
    people = [
        persona(replace(TALKER, patience=1.5, seen=0.0, details=0.0), "short"),
        persona(replace(MUMBLER, patience=4.5, seen=0.0, details=0.0), "long"),
    ]
    goals = [
        goal(small, "horror|mystery", "Otto Brand", "W. Quill"),
        goal(small, "western|drama", "Jem Stone", "C. Ashdown"),
    ]
    env = env_of(world(small, goals, people))
    data = collect(env, 240, seed=0)
    assert len(data) == 240
    assert all(found.exchanges for found in data)
    profiles = grouped(fit_profiles(data, 3, 2, 30, np.random.default_rng(0)))
    by_reason = sorted(profiles, key=lambda profile: -profile.behaviour.reason)
    short, long = (profile.behaviour for profile in by_reason)
    assert short.patience == pytest.approx(1.5, abs=0.75)
    assert long.patience == pytest.approx(4.5, abs=1.25)
    generic = mean_patience(short, profiles)
    assert short.patience < generic.patience < long.patience


def test_collecting_reads_public_exchanges_only(small: Catalog) -> None:
    """Two collections of the same episodes agree; what is kept holds no goal and no persona."""
    goals = [goal(small, "horror|mystery", "Otto Brand", "W. Quill")]
    env = env_of(world(small, goals, [persona(TALKER)]))
    first, second = (collect(env, 5, seed=3) for _ in range(2))
    assert first == second
    assert {name for found in first for name in vars(found)} == {"taken", "chances", "exchanges"}


def test_who_tires_when_is_told_apart_within_a_group(small: Catalog) -> None:
    """Two kinds of people who differ in nothing that is said, only in when questions tire them."""
    same = replace(TALKER, patience=2.0, seen=0.0, details=0.0)
    people = [persona(replace(same, fatigue=fatigue), str(fatigue)) for fatigue in (1, 5)]
    goals = [
        goal(small, "horror|mystery", "Otto Brand", "W. Quill"),
        goal(small, "western|drama", "Jem Stone", "C. Ashdown"),
    ]
    data = collect(env_of(world(small, goals, people)), 400, seed=0)
    profiles = fit_profiles(data, 3, 1, 40, np.random.default_rng(0))
    weights = {False: 0.0, True: 0.0}
    for one in profiles:
        weights[one.behaviour.fatigue >= 3] += one.weight
    assert weights[False] == pytest.approx(0.5, abs=0.15)
    assert weights[True] == pytest.approx(0.5, abs=0.15)
    first, second = profiles[:2]
    assert {first.behaviour.fatigue <= 2, second.behaviour.fatigue <= 2} == {True, False}
