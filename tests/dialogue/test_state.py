"""The preference state: what each act does to it."""

import json
from copy import deepcopy

import pytest
from hypothesis import given
from hypothesis import strategies as st

from catalogs.catalog import Catalog
from dialogue.acts import Kind, UserAct
from dialogue.state import PreferenceState, Status
from tests.strategies import catalogs

A, B, C = 0, 1, 2


def after(*acts: UserAct) -> PreferenceState:
    """A two-facet state after one utterance per act."""
    state = PreferenceState(2)
    for act in acts:
        state.update((act,))
    return state


def act(kind: Kind, value: int = -1, other: int = -1, facet: int = 0) -> UserAct:
    return UserAct(int(kind), facet, value, other)


def test_a_new_state_knows_nothing() -> None:
    state = PreferenceState(2)
    assert [state.status(f) for f in (0, 1)] == [Status.MISSING] * 2
    assert [state.confidence(f) for f in (0, 1)] == [0.0, 0.0]
    assert state.best == [0.0, 0.0]


def test_likes_combine_by_noisy_or() -> None:
    state = after(act(Kind.LIKE, A))
    assert state.confidence(0) == pytest.approx(0.6)
    state.update((act(Kind.LIKE, B),))
    assert state.likes[0] == (A, B)
    assert state.confidence(0) == pytest.approx(1 - 0.4 * 0.4)
    state.update((act(Kind.LIKE, A),))
    assert state.likes[0] == (A, B)
    assert state.status(0) == Status.STATED
    assert state.status(1) == Status.MISSING


def test_a_vague_word_stays_open_until_one_meaning_is_said() -> None:
    state = after(act(Kind.VAGUE, B, A))
    assert state.ambiguous[0] == ((A, B),)
    assert state.status(0) == Status.AMBIGUOUS
    assert state.confidence(0) == pytest.approx(0.3)
    assert after(act(Kind.VAGUE, B, A), act(Kind.VAGUE, A, B)).ambiguous[0] == ((A, B),)
    state.update((act(Kind.LIKE, C),))
    assert state.status(0) == Status.AMBIGUOUS
    state.update((act(Kind.LIKE, B),))
    assert state.ambiguous == [(), ()]
    assert state.status(0) == Status.STATED
    assert after(act(Kind.LIKE, A), act(Kind.VAGUE, A, B)).ambiguous[0] == ()


def test_a_dislike_takes_a_like_back() -> None:
    state = after(act(Kind.LIKE, A), act(Kind.DISLIKE, A))
    assert (state.likes[0], state.dislikes[0], state.withdrawn[0]) == ((), (A,), (A,))
    assert state.status(0) == Status.CORRECTED
    state.update((act(Kind.LIKE, A),))
    assert (state.likes[0], state.dislikes[0]) == ((A,), ())


def test_a_correction_takes_the_slip_back() -> None:
    state = after(act(Kind.LIKE, B), act(Kind.LIKE, C), act(Kind.CORRECT, A, B))
    assert state.likes[0] == (C, A)
    assert state.withdrawn[0] == (B,)
    assert state.status(0) == Status.CORRECTED


def test_a_reason_is_a_doubt_until_it_is_confirmed() -> None:
    state = after(act(Kind.REJECT, A, 7))
    assert (state.doubts[0], state.dislikes[0]) == ((A,), ())
    assert state.confidence(0) == pytest.approx(0.3)
    state.confirm_doubts(0)
    assert (state.doubts[0], state.dislikes[0]) == ((), (A,))
    assert after(act(Kind.LIKE, A), act(Kind.REJECT, A, 7)).doubts[0] == ()
    assert after(act(Kind.REJECT, A, 7), act(Kind.LIKE, A)).doubts[0] == ()
    assert after(act(Kind.REJECT, -1, 7)).doubts[0] == ()
    assert after(UserAct(int(Kind.REJECT), -1, -1, 7)) == PreferenceState(2)


def test_evasions_and_closed_facets() -> None:
    state = after(act(Kind.EVADE, facet=1), act(Kind.EVADE, facet=1), act(Kind.NOMORE, facet=0))
    assert state.evasions == [0, 2]
    assert state.closed == [True, False]


@pytest.mark.parametrize(
    "kind", [Kind.SEEN, Kind.DETAILS, Kind.SIGH, Kind.ACCEPT, Kind.QUIT, Kind.OTHER]
)
def test_reactions_are_no_preferences(kind: Kind) -> None:
    assert after(UserAct(int(kind), 1, -1, 3)) == PreferenceState(2)


def test_best_is_remembered_and_toggling_does_not_raise_it() -> None:
    state = after(act(Kind.LIKE, A))
    best = state.best[0]
    for _ in range(5):
        state.update((act(Kind.DISLIKE, A),))
        assert state.confidence(0) == 0.0
        state.update((act(Kind.LIKE, A),))
        assert state.best[0] == best == pytest.approx(0.6)


ACTS = st.builds(
    UserAct,
    st.sampled_from([int(kind) for kind in Kind]),
    st.integers(0, 1),
    st.integers(0, 3),
    st.integers(0, 3),
)


@given(st.lists(st.lists(ACTS, max_size=4), max_size=12))
def test_whatever_is_said(said: list[list[UserAct]]) -> None:
    """Values are in one place only, confidence stays in [0, 1), and the best never falls."""
    state = PreferenceState(2)
    for acts in said:
        before = state.best[:]
        frozen, same = state.copy(), deepcopy(state)
        state.update(tuple(acts))
        assert frozen == same
        for f in range(2):
            places = [state.likes[f], state.dislikes[f], state.doubts[f]]
            flat = [value for place in places for value in place]
            assert len(set(flat)) == len(flat)
            assert before[f] <= state.best[f] < 1.0
            assert 0.0 <= state.confidence(f) <= state.best[f]
            for pair in state.ambiguous[f]:
                assert pair[0] <= pair[1]
                assert not set(pair) & set(state.likes[f])


@st.composite
def states(draw: st.DrawFn) -> tuple[Catalog, PreferenceState]:
    """A state of any acts about the values of a random catalogue."""
    catalog = draw(catalogs())
    state = PreferenceState(catalog.domain.n_facets)
    known = [f for f, names in enumerate(catalog.vocabulary) if names]
    for _ in range(draw(st.integers(0, 12)) if known else 0):
        facet = draw(st.sampled_from(known))
        values = st.integers(0, len(catalog.vocabulary[facet]) - 1)
        kinds = st.sampled_from([kind for kind in Kind if kind <= Kind.REJECT])
        state.update((UserAct(int(draw(kinds)), facet, draw(values), draw(values)),))
        if draw(st.booleans()):
            state.confirm_doubts(facet)
    return catalog, state


@given(states())
def test_json_and_back(drawn: tuple[Catalog, PreferenceState]) -> None:
    catalog, state = drawn
    written = json.dumps(state.to_json(catalog))
    back = PreferenceState.from_json(json.loads(written), catalog)
    assert back == state
    assert json.dumps(back.to_json(catalog)) == written
    for f, facet in enumerate(catalog.domain.facets):
        assert json.loads(written)[facet.name]["status"] == state.status(f).name.lower()


def test_unknown_names_are_refused(small: Catalog) -> None:
    raw = PreferenceState(3).to_json(small)
    raw["genre"]["like"] = ["polka"]
    with pytest.raises(KeyError, match=r"no genre 'polka'"):
        PreferenceState.from_json(raw, small)
    with pytest.raises(KeyError, match=r"no facet 'colour'; it has genre, star, director"):
        PreferenceState.from_json({"colour": {}}, small)
