"""The belief over profiles, and the file they come from."""

import random
from collections import Counter
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from catalogs.catalog import Catalog
from dialogue.acts import Kind
from envs.world import World
from planners.belief import Profile, ProfileBelief, load_profiles
from planners.learn_profiles import write_profiles
from simulators.wear import wear
from tests.planners.situations import (
    AVERAGE,
    GENRE,
    RECOMMEND,
    STAR,
    act,
    go_on,
    hear,
    reach,
    view_of,
)
from tests.small_world import env_of
from tests.strategies import behaviours, turns, worlds

EVASIVE = Profile(0.5, replace(AVERAGE, evade_topic=0.8, evade_person=0.8))
OPEN = Profile(0.5, replace(AVERAGE, evade_topic=0.05, evade_person=0.05))


def test_without_evidence_it_is_the_prior(small: Catalog) -> None:
    belief = ProfileBelief([Profile(3.0, EVASIVE.behaviour), Profile(1.0, AVERAGE)], view_of(small))
    assert belief.weights == pytest.approx([0.75, 0.25])


def test_evasions_raise_the_evasive_profile(small: Catalog) -> None:
    view, course = view_of(small), []
    hear(view)
    for facet in (GENRE, STAR, STAR):
        course.append(ProfileBelief([EVASIVE, OPEN], view).weights[0])
        go_on(view, facet, act(Kind.EVADE, facet))
    course.append(ProfileBelief([EVASIVE, OPEN], view).weights[0])
    assert course == sorted(course)
    assert course[0] == pytest.approx(0.5)
    assert course[-1] > 0.95


def test_answers_lower_it_again(small: Catalog) -> None:
    view = view_of(small)
    hear(view)
    go_on(view, GENRE, act(Kind.EVADE, GENRE))
    high = ProfileBelief([EVASIVE, OPEN], view).weights[0]
    go_on(view, GENRE, act(Kind.LIKE, GENRE, 0))
    go_on(view, STAR, act(Kind.LIKE, STAR, 0))
    assert ProfileBelief([EVASIVE, OPEN], view).weights[0] < high


@given(data=st.data(), place=worlds())
@settings(max_examples=60)
def test_at_any_view(data: st.DataObject, place: World) -> None:
    """Probabilities, whatever the dialogue and however extreme the profiles are."""
    env = env_of(place, max_turns=12)
    reach(env, data.draw(turns(env.catalog)), data.draw(st.integers(0, 5)))
    profiles = [
        Profile(weight, data.draw(behaviours()))
        for weight in data.draw(st.lists(st.floats(0.001, 5.0), min_size=1, max_size=4))
    ]
    belief = ProfileBelief(profiles, env.view)
    assert sum(belief.weights) == pytest.approx(1.0)
    assert all(0.0 <= weight <= 1.0 for weight in belief.weights)
    for profile in profiles:
        fatigue = profile.behaviour.fatigue
        spent = wear(env.view.exchanges, env.domain.n_facets, fatigue)[-1]
        assert belief.worn(profile.behaviour) == spent
    drawn = belief.draw(random.Random(data.draw(st.integers(0, 99))))
    assert drawn in [profile.behaviour for profile in profiles]
    lowest = min(profile.behaviour.seen for profile in profiles)
    highest = max(profile.behaviour.seen for profile in profiles)
    assert lowest - 1e-9 <= belief.mean("seen") <= highest + 1e-9


def test_draws_follow_the_posterior(small: Catalog) -> None:
    view = view_of(small)
    hear(view)
    go_on(view, GENRE, act(Kind.EVADE, GENRE))
    belief = ProfileBelief([EVASIVE, OPEN], view)
    rng = random.Random(3)
    drawn = Counter(belief.draw(rng).evade_topic for _ in range(2000))
    assert drawn[0.8] / 2000 == pytest.approx(belief.weights[0], abs=0.03)
    expected = belief.weights[0] * 0.8 + belief.weights[1] * 0.05
    assert belief.mean("evade_topic") == pytest.approx(expected)


def test_nothing_is_worn_before_the_first_turn(small: Catalog) -> None:
    view = view_of(small)
    assert ProfileBelief([OPEN], view).worn(OPEN.behaviour) == 0
    hear(view)
    go_on(view, RECOMMEND, act(Kind.REJECT, other=0), item=0)
    assert ProfileBelief([OPEN], view).worn(OPEN.behaviour) == 1


@pytest.mark.parametrize("kind", ["generic", "learned"])
def test_the_profiles_that_come_along(kind: str) -> None:
    profiles = load_profiles(kind)
    assert sum(profile.weight for profile in profiles) == pytest.approx(1.0, abs=0.01)
    assert all(profile.weight > 0 for profile in profiles)
    assert len(profiles) == 1 or kind == "learned"


def test_an_unknown_kind_names_the_known_ones() -> None:
    with pytest.raises(ValueError, match="user_model: no 'leaned'; it is one of generic, learned"):
        load_profiles("leaned")


def test_profiles_are_written_and_read_back(tmp_path: Path) -> None:
    path = tmp_path / "profiles.yaml"
    write_profiles(path, {"generic": [Profile(1.0, AVERAGE)], "learned": [EVASIVE, OPEN]})
    assert load_profiles("generic", path) == (Profile(1.0, AVERAGE),)
    assert load_profiles("learned", path) == (EVASIVE, OPEN)


def test_a_malformed_profile_is_named(tmp_path: Path) -> None:
    path = tmp_path / "profiles.yaml"
    write_profiles(path, {"generic": [Profile(1.0, AVERAGE)]})
    path.write_text(path.read_text(encoding="utf-8").replace("reason: 0.5", "reason: 1.5"))
    with pytest.raises(ValueError, match=r"profiles\.yaml: generic\[0\].*reason"):
        load_profiles("generic", path)
