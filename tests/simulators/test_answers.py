"""What the embedded user tells: opening, answers, evasions, vague words, slips, volunteering."""

from collections import Counter
from dataclasses import replace
from typing import Any

import pytest

from catalogs.catalog import Catalog
from dialogue.acts import Kind, UserAct
from dialogue.state import PreferenceState
from simulators.behaviour import Behaviour
from simulators.user import CORRECTS_SLIP, vague_partners
from tests.simulators.people import DIRECTOR, GENRE, RECOMMEND, STAR, crime, kinds, share, user
from tests.small_world import PLAIN, goal

DRAWS = 2000
CLOSE = 0.04
"""Four standard errors of a share of 2,000."""


def near(rate: float) -> object:
    return pytest.approx(rate, abs=CLOSE)


def test_opening_states_each_facet_with_its_chance(small: Catalog) -> None:
    counts: Counter[int] = Counter()
    for seed in range(DRAWS):
        acts = user(small, seed, opens_topic=0.7, opens_person=0.2).open()
        assert len({act.facet for act in acts}) == len(acts)
        counts.update(act.facet for act in acts)
    assert counts[GENRE] / DRAWS == near(0.7)
    assert counts[STAR] / DRAWS == near(0.2)
    assert counts[DIRECTOR] / DRAWS == near(0.2)


def test_a_plain_user_tells_one_value_a_question_until_none_is_left(small: Catalog) -> None:
    person = user(small)
    wanted = crime(small)
    told = []
    for _ in range(3):
        (act,) = person.respond(GENRE, -1)
        assert (act.kind, act.facet) == (Kind.LIKE, GENRE)
        told.append(act.value)
    assert tuple(told) == wanted.values[GENRE]
    assert person.respond(GENRE, -1) == (UserAct(Kind.NOMORE, GENRE),)


def test_shuffle_draws_the_order(small: Catalog) -> None:
    orders: Counter[tuple[int, ...]] = Counter()
    for seed in range(DRAWS):
        person = user(small, seed)
        person.shuffle()
        assert sorted(person.remaining[GENRE]) == sorted(crime(small).values[GENRE])
        orders[person.remaining[GENRE]] += 1
    assert len(orders) == 6
    assert min(orders.values()) / DRAWS == near(1 / 6)


def test_two_values(small: Catalog) -> None:
    replies = [user(small, seed, two_values=0.3).respond(GENRE, -1) for seed in range(DRAWS)]
    assert {len(acts) for acts in replies} == {1, 2}
    assert share(len(acts) == 2 for acts in replies) == near(0.3)
    assert all({act.facet for act in acts} == {GENRE} for acts in replies)


def test_volunteer_adds_another_facet(small: Catalog) -> None:
    replies = [user(small, seed, volunteer=0.4).respond(GENRE, -1) for seed in range(DRAWS)]
    extra = [acts[1].facet for acts in replies if len(acts) == 2]
    assert len(extra) / DRAWS == near(0.4)
    assert share(facet == STAR for facet in extra) == pytest.approx(0.5, abs=0.08)
    assert set(extra) == {STAR, DIRECTOR}


def evasive(rate: str, chance: float) -> Behaviour:
    changes: dict[str, Any] = {rate: chance}
    return replace(PLAIN, **changes)


@pytest.mark.parametrize(
    ("facet", "rate"), [(GENRE, "evade_topic"), (STAR, "evade_person"), (DIRECTOR, "evade_person")]
)
def test_evasions_halve_on_repetition(small: Catalog, facet: int, rate: str) -> None:
    first, second = [], []
    for seed in range(DRAWS):
        person = user(small, seed, like=evasive(rate, 0.6))
        first.append(kinds(person.respond(facet, -1)) == [Kind.EVADE])
        if first[-1]:
            second.append(kinds(person.respond(facet, -1)) == [Kind.EVADE])
    assert share(first) == near(0.6)
    assert share(second) == pytest.approx(0.3, abs=0.06)
    other = {GENRE: STAR, STAR: GENRE, DIRECTOR: GENRE}[facet]
    assert kinds(user(small, 0, like=evasive(rate, 1.0)).respond(other, -1)) == [Kind.LIKE]


def test_vague_words_are_clarified_by_asking_again(small: Catalog) -> None:
    partners = vague_partners(small)[GENRE]
    for seed in range(200):
        person = user(small, seed, vague=1.0, evade_topic=1.0, opens_topic=1.0)
        person.shuffle()
        (vague,) = person.open()
        assert vague.kind == Kind.VAGUE
        value, other = vague.value, vague.other
        assert value in crime(small).values[GENRE]
        assert other in partners[value]
        (clear,) = person.respond(GENRE, -1)  # not even an evasive user leaves it open
        assert clear == UserAct(Kind.LIKE, GENRE, value)


def test_the_chance_of_a_vague_word(small: Catalog) -> None:
    replies = [user(small, seed, vague=0.25).respond(GENRE, -1) for seed in range(DRAWS)]
    assert share(acts[0].kind == Kind.VAGUE for acts in replies) == near(0.25)
    people = [user(small, seed, vague=1.0).respond(STAR, -1) for seed in range(50)]
    assert {act.kind for acts in people for act in acts} == {Kind.LIKE}


def test_vague_partners_are_mutual_and_from_the_domain(small: Catalog) -> None:
    table = vague_partners(small)
    assert [bool(facet) for facet in table] == [True, False, False]
    fits = [set(values) for values in small.domain.facets[GENRE].vague.values()]
    for value, others in table[GENRE].items():
        assert list(others) == sorted(set(others))
        for other in others:
            assert value in table[GENRE][other]
            assert {small.value(GENRE, value), small.value(GENRE, other)} in fits


def test_a_slip_names_an_unwanted_value_and_is_taken_back(small: Catalog) -> None:
    """After the correction the state is as if the slip had not been."""
    wanted = crime(small).values[GENRE]
    turns = []
    for seed in range(DRAWS):
        person = user(small, seed, slip=1.0)
        state = PreferenceState(3)
        (slip,) = person.respond(GENRE, -1)
        person.behaviour = PLAIN  # no further slips
        assert slip.kind == Kind.LIKE
        assert slip.value not in wanted
        state.update((slip,))
        for turn in range(1, 30):
            acts = person.respond(STAR, -1) if turn == 1 else person.respond(RECOMMEND, 8)
            state.update(acts)
            if acts and acts[0].kind == Kind.CORRECT:
                assert acts[0] == UserAct(Kind.CORRECT, GENRE, wanted[0], slip.value)
                assert state.likes[GENRE] == (wanted[0],)
                assert state.withdrawn[GENRE] == (slip.value,)
                turns.append(turn)
                assert person.slip is None
                assert Kind.CORRECT not in kinds(person.respond(DIRECTOR, -1))
                break
            assert person.slip is not None
            if person.left:
                break
    assert share(turn == 1 for turn in turns) == pytest.approx(CORRECTS_SLIP, abs=CLOSE)


def test_the_chance_of_a_slip_and_one_at_a_time(small: Catalog) -> None:
    people = [user(small, seed, slip=0.2) for seed in range(DRAWS)]
    slips = []
    for person in people:
        person.respond(GENRE, -1)
        slips.append(person.slip is not None)
    assert share(slips) == near(0.2)
    for seed in range(100):
        person = user(small, seed, slip=1.0, two_values=1.0)
        acts = person.respond(GENRE, -1)
        assert share(act.value in crime(small).values[GENRE] for act in acts) == 0.5


def test_without_an_unwanted_value_there_is_no_slip(small: Catalog) -> None:
    everything = goal(small, "", "|".join(small.vocabulary[STAR]), "")
    person = user(small, 0, everything, slip=1.0)
    (act,) = person.respond(STAR, -1)
    assert act.value in everything.values[STAR]
    assert person.slip is None
    assert Kind.CORRECT not in kinds(person.respond(STAR, -1))
