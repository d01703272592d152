"""Structured retrieval: tiers of soft constraints, checked against sorting item by item."""

import math
from unittest.mock import patch

import pytest
from hypothesis import given
from hypothesis import strategies as st

from catalogs.catalog import Catalog, members
from dialogue.acts import Kind, UserAct
from dialogue.state import PreferenceState
from dialogue.view import DialogueView
from retrieval.query import Query
from retrieval.structured import StructuredRetriever
from tests.strategies import catalogs

GENRE, STAR, DIRECTOR = range(3)


def state(
    catalog: Catalog, *said: tuple[Kind, int, str] | tuple[Kind, int, str, str]
) -> PreferenceState:
    """A state of statements by name."""
    made = PreferenceState(catalog.domain.n_facets)
    for kind, facet, *names in said:
        values = [catalog.value_index(facet, name) for name in names]
        made.update((UserAct(int(kind), facet, *values),))
    return made


def ranked(catalog: Catalog, made: PreferenceState) -> list[str]:
    found = StructuredRetriever(catalog).rank(Query(made), len(catalog))
    return [catalog.items[i].id for i in found]


def test_without_preferences_the_most_familiar_first(small: Catalog) -> None:
    assert ranked(small, PreferenceState(3)) == [item.id for item in small.items]


def test_a_wanted_genre_comes_before_a_second_actor(small: Catalog) -> None:
    """An additive score would put "vault", with two wanted actors, before any other crime film."""
    made = state(
        small,
        (Kind.LIKE, GENRE, "war"),
        (Kind.LIKE, STAR, "Ada Lind"),
        (Kind.LIKE, STAR, "Otto Brand"),
    )
    assert ranked(small, made)[:2] == ["parade", "harbour"]


def test_constraints_are_soft(small: Catalog) -> None:
    """Nothing is both musical and western; what has one of them comes first."""
    made = state(small, (Kind.LIKE, GENRE, "musical"), (Kind.LIKE, GENRE, "western"))
    found = ranked(small, made)
    assert len(found) == len(small)
    assert set(found[:2]) == {"moth", "dust"}


def test_an_unwanted_value_weighs_as_much_as_a_missing_one(small: Catalog) -> None:
    made = state(
        small,
        (Kind.LIKE, GENRE, "crime"),
        (Kind.LIKE, GENRE, "drama"),
        (Kind.DISLIKE, DIRECTOR, "B. Tash"),
    )
    assert ranked(small, made)[0] == "harbour"
    assert ranked(small, made)[-1] == "vault2" or "vault2" not in ranked(small, made)[:4]


def test_one_matching_person_is_as_good_as_two(small: Catalog) -> None:
    made = state(small, (Kind.LIKE, STAR, "Tom Hollis"), (Kind.LIKE, STAR, "Mira Castell"))
    assert ranked(small, made)[:3] == ["harbour", "parade", "moth"]


def test_a_doubt_only_breaks_ties(small: Catalog) -> None:
    made = state(small, (Kind.LIKE, GENRE, "crime"), (Kind.REJECT, STAR, "Ada Lind"))
    assert ranked(small, made)[:4] == ["vault2", "quay", "harbour", "vault"]


def test_an_ambiguous_word_only_breaks_ties(small: Catalog) -> None:
    made = state(small, (Kind.LIKE, GENRE, "thriller"), (Kind.VAGUE, GENRE, "horror", "mystery"))
    assert ranked(small, made)[:2] == ["cellar", "harbour"]


@st.composite
def cases(draw: st.DrawFn) -> tuple[Catalog, PreferenceState, int]:
    """A catalogue, any state of its values, and any set of offered items."""
    catalog = draw(catalogs())
    made = PreferenceState(catalog.domain.n_facets)
    known = [f for f, names in enumerate(catalog.vocabulary) if names]
    kinds = st.sampled_from([Kind.LIKE, Kind.DISLIKE, Kind.VAGUE, Kind.REJECT, Kind.CORRECT])
    for _ in range(draw(st.integers(0, 7)) if known else 0):
        facet = draw(st.sampled_from(known))
        values = st.integers(0, len(catalog.vocabulary[facet]) - 1)
        made.update((UserAct(int(draw(kinds)), facet, draw(values), draw(values)),))
    return catalog, made, draw(st.integers(0, catalog.everything))


def key(catalog: Catalog, made: PreferenceState, item: int) -> tuple[int, ...]:
    """The documented order, worst reading of each word."""
    values = catalog.items[item].values
    facets = list(enumerate(catalog.domain.facets))
    lacks = sum(v not in values[f] for f, x in facets if x.match == "all" for v in made.likes[f])
    has = sum(v in values[f] for f, _ in facets for v in made.dislikes[f])
    met = sum(any(v in values[f] for v in made.likes[f]) for f, x in facets if x.match == "any")
    doubted = sum(v in values[f] for f, _ in facets for v in made.doubts[f])
    fits = sum(any(v in values[f] for v in pair) for f, _ in facets for pair in made.ambiguous[f])
    return lacks + has, -met, doubted, -fits, item


@given(cases())
def test_the_order_is_the_documented_one(case: tuple[Catalog, PreferenceState, int]) -> None:
    catalog, made, offered = case
    left = list(members(catalog.everything & ~offered))
    expected = sorted(left, key=lambda item: key(catalog, made, item))
    retriever = StructuredRetriever(catalog)
    assert retriever.rank(Query(made), len(catalog), offered) == expected
    view = DialogueView(catalog, retriever, "acts", 10)
    view.state, view.offered = made, offered
    for count in (1, 3, len(catalog)):
        assert retriever.top(view, count) == tuple(expected[:count])
    assert retriever.best(view) == (expected[0] if expected else -1)


@given(cases())
def test_the_assessment(case: tuple[Catalog, PreferenceState, int]) -> None:
    """Count and entropy of the best tier, shares of constraints met by the best three."""
    catalog, made, offered = case
    retriever = StructuredRetriever(catalog)
    view = DialogueView(catalog, retriever, "acts", 10)
    view.state, view.offered = made, offered
    found = retriever.assess(view)
    assert found == retriever.assess(view)
    order = retriever.top(view, len(catalog))
    assert found.best == (order[0] if order else -1)
    keys = [key(catalog, made, item) for item in order]
    hard = sum(
        len(made.likes[f]) for f, x in enumerate(catalog.domain.facets) if x.match == "all"
    ) + sum(map(len, made.dislikes))
    soft = sum(bool(made.likes[f]) for f, x in enumerate(catalog.domain.facets) if x.match == "any")
    total = hard + soft
    shares = [(hard - k[0] - k[1]) / total if total else 0.0 for k in keys[:3]]
    assert found.scores == pytest.approx((*shares, 0.0, 0.0, 0.0)[:3])
    best = [k for k in keys if k[:2] == keys[0][:2]]
    assert found.candidates == len(best)
    assert found.entropy == pytest.approx(math.log2(len(best)) if best else 0.0)


@given(cases())
def test_tiers_partition_the_pool(case: tuple[Catalog, PreferenceState, int]) -> None:
    catalog, made, offered = case
    pool, seen = catalog.everything & ~offered, 0
    last = (-1, 0)
    for tier, violations, met in StructuredRetriever(catalog).tiers(made, pool):
        assert tier
        assert not tier & seen
        assert (violations, -met) > last
        last = (violations, -met)
        seen |= tier
        for item in members(tier):
            assert key(catalog, made, item)[:2] == (violations, -met)
    assert seen == pool


def test_a_full_cache_is_emptied_and_answers_stay_the_same(small: Catalog) -> None:
    with patch("retrieval.structured.CACHE_SIZE", 3):
        retriever = StructuredRetriever(small)
        view = DialogueView(small, retriever, "acts", 10)
        for offered in [*range(20), *range(20)]:
            view.offered = offered
            fresh = StructuredRetriever(small)
            assert retriever.top(view, 4) == fresh.top(view, 4)
            assert retriever.assess(view) == fresh.assess(view)
        assert len(retriever._tops) <= 3
        assert len(retriever._assessments) <= 3


def test_what_is_said_next_is_not_answered_from_the_cache(small: Catalog) -> None:
    retriever = StructuredRetriever(small)
    view = DialogueView(small, retriever, "acts", 10)
    before = retriever.top(view, 3), retriever.assess(view)
    view.apply_user((UserAct(Kind.LIKE, GENRE, small.value_index(GENRE, "horror")),))
    assert retriever.top(view, 3) != before[0]
    assert retriever.assess(view) != before[1]
