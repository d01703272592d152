"""What every ranker keeps to, whatever the catalogue and the query."""

from functools import cache

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from catalogs.catalog import Catalog, build_catalog, members
from catalogs.goal import targets
from catalogs.sources import open_splits
from dialogue.acts import Kind, UserAct
from dialogue.state import PreferenceState
from dialogue.view import DialogueView
from retrieval.build import Retriever, make_retriever
from retrieval.query import Query
from tests.catalogs.at_hand import published_catalog
from tests.catalogs.small import TOY_DOMAIN, row, toys

KINDS = ["structured", "lexical", "dense", "fusion", "plain fusion"]


def make(catalog: Catalog, kind: str) -> Retriever:
    if kind == "plain fusion":
        return make_retriever(catalog, "fusion", tiers=False)
    return make_retriever(catalog, kind)


@st.composite
def queries(draw: st.DrawFn, catalog: Catalog) -> Query:
    """A state of random statements, or none, with a text or without."""
    state = PreferenceState(catalog.domain.n_facets)
    for _ in range(draw(st.integers(0, 5))):
        facet = draw(st.integers(0, catalog.domain.n_facets - 1))
        if size := len(catalog.vocabulary[facet]):
            kind = draw(st.sampled_from([Kind.LIKE, Kind.DISLIKE, Kind.VAGUE, Kind.REJECT]))
            values = st.integers(0, size - 1)
            state.update((UserAct(kind, facet, draw(values), draw(values)),))
    text = draw(st.sampled_from(["", " ", "top that spins", "a W ball", "?!", "zzz"]))
    return Query(draw(st.sampled_from([state, None])), text)


@pytest.mark.parametrize("kind", KINDS)
@given(data=st.data())
@settings(max_examples=25, deadline=None)
def test_contract(kind: str, data: st.DataObject) -> None:
    catalog = data.draw(toys(largest=15))
    query = data.draw(queries(catalog))
    exclude = data.draw(st.integers(0, catalog.everything))
    count = data.draw(st.integers(0, len(catalog) + 2))
    ranker = make(catalog, kind)
    found = ranker.rank(query, count, exclude)
    left = set(members(catalog.everything & ~exclude))
    assert len(found) == len(set(found)) == min(count, len(left))
    assert set(found) <= left
    assert all(type(item) is int for item in found)
    assert found == ranker.rank(query, count, exclude)
    assert found == make(catalog, kind).rank(query, count, exclude)
    everyone = ranker.rank(query, len(catalog), 0)
    assert found == [item for item in everyone if item in left][:count]


@pytest.mark.parametrize("kind", KINDS)
@given(catalog=toys(largest=15), text=st.sampled_from(["", " \n", "?!", "qqqq"]))
@settings(max_examples=15, deadline=None)
def test_a_query_without_meaning_ranks_by_familiarity(
    kind: str, catalog: Catalog, text: str
) -> None:
    everyone = list(range(len(catalog)))
    ranker = make(catalog, kind)
    for state in (None, PreferenceState(catalog.domain.n_facets)):
        assert ranker.rank(Query(state, text), len(catalog), 0) == everyone


@pytest.mark.parametrize("kind", KINDS)
@given(data=st.data())
@settings(max_examples=15, deadline=None)
def test_shared_ranking_follows_the_view(kind: str, data: st.DataObject) -> None:
    catalog = data.draw(toys(largest=12))
    retriever = make(catalog, kind)
    view = DialogueView(catalog, retriever, "acts", 10)
    query = data.draw(queries(catalog))
    view.state = query.state or view.state
    for _ in range(len(catalog)):
        expected = tuple(retriever.rank(Query(view.state), 3, view.offered))
        assert retriever.top(view, 3) == expected == retriever.top(view, 3)
        assert retriever.best(view) == (expected[0] if expected else -1)
        assert retriever.top(view, 1) == expected[:1]
        assert retriever.assess(view).best == retriever.best(view)
        if expected:
            view.apply_system(catalog.domain.recommend, expected[0])
    assert view.offered == catalog.everything
    assert retriever.top(view, 3) == ()
    assert retriever.best(view) == -1


@pytest.mark.parametrize("kind", ["lexical", "dense", "fusion"])
def test_a_state_is_not_kept_by_reference(kind: str) -> None:
    """What a conversation says next must not change what was cached for the state before."""
    catalog = toy()
    retriever = make(catalog, kind)
    view = DialogueView(catalog, retriever, "acts", 10)
    before = retriever.top(view, 5)
    view.state.update((UserAct(Kind.LIKE, 0, 1),))
    after = retriever.top(view, 5)
    assert after != before
    assert retriever.top(DialogueView(catalog, retriever, "acts", 10), 5) == before


def toy() -> Catalog:
    rows = [row(str(i), f"T{i}", "a" if i < 4 else "b", "W") for i in range(6)]
    return build_catalog(TOY_DOMAIN, rows, "toys")


@pytest.mark.parametrize(
    ("wrong", "message"),
    [("fused", "did you mean 'fusion'"), ("xyz", "there are structured, lexical, dense, fusion")],
)
def test_a_wrong_name_gets_the_nearest_right_one(wrong: str, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        make_retriever(toy(), wrong)


@pytest.mark.parametrize(
    ("kind", "setting"),
    [
        ("lexical", {"k1": -1.0}),
        ("lexical", {"b": 1.5}),
        ("fusion", {"rrf_k": -1}),
    ],
)
def test_settings_out_of_range(kind: str, setting: dict[str, float]) -> None:
    with pytest.raises(ValueError, match=next(iter(setting)).removeprefix("rrf_")):
        make_retriever(toy(), kind, **setting)  # type: ignore[arg-type]


@cache
def hits(name: str, kind: str) -> tuple[float, float]:
    """R@1 and R@5 over the test goals with every preference known."""
    catalog = published_catalog(name)
    retriever = make(catalog, kind)
    found = []
    for goal in open_splits(name, catalog).test:
        state = PreferenceState(catalog.domain.n_facets)
        for facet, values in enumerate(goal.values):
            state.update(tuple(UserAct(Kind.LIKE, facet, value) for value in values))
        wanted = targets(catalog, goal)
        ranking = retriever.rank(Query(state), 5, 0)
        found.append([bool(wanted >> item & 1) for item in ranking])
    table = np.asarray(found)
    return float(table[:, 0].mean()), float(table.any(axis=1).mean())


@pytest.mark.data
@pytest.mark.parametrize(
    ("kind", "at_1", "at_5"),
    [
        ("structured", 0.93, 1.0),
        ("lexical", 0.67, 1.0),
        ("dense", 0.6, 0.8),
        ("fusion", 0.93, 1.0),
        ("plain fusion", 0.67, 1.0),
    ],
)
def test_known_preferences_find_a_target(kind: str, at_1: float, at_5: float) -> None:
    first, five = hits("redial", kind)
    assert first >= at_1
    assert five >= at_5
