"""Goals and their splits: the rule on an example, disjointness everywhere."""

import pytest
from hypothesis import given

from catalogs.catalog import Catalog, build_catalog, members
from catalogs.goal import Goal, targets
from catalogs.goals import (
    SPLITS,
    GoalSplits,
    complete_items,
    load_groups,
    make_splits,
    ranked_sets,
)
from catalogs.sources import open_catalog, open_splits
from tests.catalogs.at_hand import published_catalog
from tests.catalogs.small import MOVIE, TOY_DOMAIN, row, toys


def set_keys(catalog: Catalog, goals: tuple[Goal, ...]) -> set[tuple[tuple[int, ...], ...]]:
    """The sets of ``all``-facet values, each sorted."""
    need_all = [f for f, facet in enumerate(catalog.domain.facets) if facet.match == "all"]
    return {tuple(tuple(sorted(goal.values[f])) for f in need_all) for goal in goals}


def all_targets(catalog: Catalog, goals: tuple[Goal, ...]) -> int:
    found = 0
    for goal in goals:
        found |= targets(catalog, goal)
    return found


def check_splits(catalog: Catalog, splits: GoalSplits) -> None:
    """Every goal has a target, none repeats, and the splits share neither sets nor targets."""
    for split in SPLITS:
        goals = splits.of(split)
        assert len(set(goals)) == len(goals)
        assert all(targets(catalog, goal) for goal in goals)
        assert all(all(goal.values) for goal in goals)
    for one, other in (("test", "heldout"), ("test", "train"), ("heldout", "train")):
        first, second = splits.of(one), splits.of(other)
        assert not set_keys(catalog, first) & set_keys(catalog, second), (one, other)
        assert not all_targets(catalog, first) & all_targets(catalog, second), (one, other)


@pytest.mark.parametrize("name", ["sample_movie", "sample_book"])
def test_splits_of_the_samples(name: str) -> None:
    catalog = open_catalog(name)
    splits = open_splits(name, catalog)
    check_splits(catalog, splits)
    assert len(splits.test) == len(splits.heldout) == 15
    assert len(splits.train) >= 100


@pytest.mark.data
@pytest.mark.parametrize("name", ["redial", "opendialkg_movie", "opendialkg_book"])
def test_splits_of_the_published(name: str) -> None:
    catalog = published_catalog(name)
    splits = open_splits(name, catalog)
    check_splits(catalog, splits)
    assert len(splits.heldout) == 15
    assert len(splits.train) == 300


@pytest.mark.data
@pytest.mark.parametrize(("name", "count"), [("opendialkg_movie", 18), ("opendialkg_book", 16)])
def test_the_rule_derives_the_published_groups(name: str, count: int) -> None:
    catalog = published_catalog(name)
    derived = make_splits(catalog, n_test=count).test
    published = load_groups(catalog, name)
    assert published is not None
    assert [_sets(catalog, goal) for goal in derived] == [_sets(catalog, g) for g in published]


def _sets(catalog: Catalog, goal: Goal) -> dict[str, list[str]]:
    return {facet: sorted(names) for facet, names in goal.named(catalog).items()}


@given(toys(largest=60))
def test_splits_of_any_catalogue(catalog: Catalog) -> None:
    if not complete_items(catalog):
        with pytest.raises(ValueError, match=r"toys: no goal can be derived; .*\(kind, maker\)"):
            make_splits(catalog)
        return
    splits = make_splits(catalog, n_test=3, n_heldout=2, n_train=10)
    check_splits(catalog, splits)
    assert len(splits.test) == min(3, len(ranked_sets(catalog)))
    assert splits == make_splits(catalog, n_test=3, n_heldout=2, n_train=10)


def test_sets_rank_by_items_then_names() -> None:
    rows = [
        row("1", "A", "b|a", "X"),
        row("2", "B", "a|b", "Y"),
        row("3", "C", "c", "X"),
        row("4", "D", "a", "X"),
        row("5", "E", "", "X"),
        row("6", "F", "a", ""),
    ]
    catalog = build_catalog(TOY_DOMAIN, rows, "toys")
    ranked = [
        (sorted(catalog.value(0, v) for v in key[0]), sorted(item.id for item in items))
        for key, items in ranked_sets(catalog)
    ]
    assert ranked == [(["a", "b"], ["1", "2"]), (["a"], ["4"]), (["c"], ["3"])]


def test_a_goal_takes_the_most_frequent_people() -> None:
    rows = [
        row(str(i), f"T{i}", "a", people) for i, people in enumerate(["Z|X", "Z|Y", "Z|X", "W"])
    ]
    catalog = build_catalog(TOY_DOMAIN, rows, "toys")
    (goal,) = make_splits(catalog, n_test=1).test
    assert goal.named(catalog) == {"kind": ["a"], "maker": ["Z", "X"]}
    assert sorted(catalog.items[i].id for i in members(targets(catalog, goal))) == ["0", "1", "2"]


def test_the_last_director_is_replaced_where_nothing_matches() -> None:
    """Frequent actors and frequent directors that share no film: the rule mends the pair."""
    genres = "a|b|c"
    rows = [
        *(row(f"s{i}", f"S{i}", genres, "S1|S2|S3", f"D{i}") for i in range(2)),
        *(row(f"d{i}", f"D{i}", genres, f"A{i}", "E1|E2") for i in range(3)),
    ]
    catalog = build_catalog(MOVIE, rows, "films")
    (goal,) = make_splits(catalog, n_test=1).test
    assert goal.named(catalog) == {
        "genre": ["a", "b", "c"],
        "star": ["S1", "S2", "S3"],
        "director": ["E1", "D0"],
    }
    assert [catalog.items[i].id for i in members(targets(catalog, goal))] == ["s0"]


def test_films_with_few_genres_make_no_group() -> None:
    catalog = build_catalog(MOVIE, [row("1", "A", "a|b", "S", "D")], "films")
    with pytest.raises(ValueError, match="no goal can be derived"):
        make_splits(catalog)


def test_a_wrong_split_is_told_the_right_ones() -> None:
    with pytest.raises(ValueError, match="no split 'dev'; splits are test, heldout, train"):
        GoalSplits((), (), (), "").of("dev")


def test_groups_need_their_own_catalogue() -> None:
    catalog = build_catalog(MOVIE, [row("1", "A", "a|b|c", "S", "D")], "films")
    assert load_groups(catalog, "redial") is None
    assert load_groups(catalog, "unheard of") is None
    splits = make_splits(catalog, "redial")
    assert "derived" in splits.note
    assert list(members(targets(catalog, splits.test[0]))) == [0]
