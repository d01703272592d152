"""What a decision assumes: goals, behaviour and acceptance belong together."""

import random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dialogue.acts import Kind
from planners.belief import Profile, load_profiles
from planners.hypotheses import Hypotheses, imagine
from planners.tools import PlannerTools
from simulators.imagined import ImaginationSettings
from tests.planners.situations import AVERAGE, GENRE, act, hear, view_of
from tests.small_world import films


def made(seed: int, count: int = 30, profiles: list[Profile] | None = None) -> Hypotheses:
    view = view_of(films())
    hear(view, act(Kind.LIKE, GENRE, 0))
    tools = PlannerTools(view.catalog)
    believed = profiles or load_profiles("learned")
    return imagine(view, tools, ImaginationSettings(), count, believed, random.Random(seed))


@settings(max_examples=25)
@given(seed=st.integers(0, 10_000), count=st.integers(1, 40))
def test_acceptance_is_of_the_goals_imagined(seed: int, count: int) -> None:
    found = made(seed, count)
    assert len(found.goals.goals) == count
    for item in range(len(films())):
        met = sum(1 for _, acceptable in found.goals.goals if acceptable >> item & 1)
        assert found.acceptance.met(item).bit_count() == met


def test_the_same_stream_imagines_the_same() -> None:
    assert made(3).goals.goals == made(3).goals.goals
    assert made(3).goals.goals != made(4).goals.goals


def test_acceptance_counts_on_what_is_believed_to_be_seen() -> None:
    [item] = [i for i in range(len(films())) if made(0).acceptance.met(i)][:1]
    profile = Profile(1.0, AVERAGE)
    found = made(0, profiles=[profile])
    seen = PlannerTools(films()).seen.probability(item, AVERAGE.seen)
    share = found.acceptance.met(item).bit_count() / len(found.goals.goals)
    assert seen > 0.0
    assert found.acceptance.of(item) == pytest.approx(share * (1.0 - seen))
