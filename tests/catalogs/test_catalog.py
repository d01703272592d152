"""Numbering, incidence and works, by hand and for any small catalogue."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from catalogs.catalog import Catalog, ItemRow, build_catalog, members, split_year, title_stem
from catalogs.goal import Goal, facet_matches, goal_from_names, meets, targets
from tests.catalogs.at_hand import published_catalog
from tests.catalogs.small import MOVIE, TOY_DOMAIN, row, toy_rows, toys


def build(*rows: ItemRow) -> Catalog:
    return build_catalog(MOVIE, rows, "by hand")


def test_familiar_people_come_first() -> None:
    catalog = build(
        row("z", "Lone", "drama", "One", "Solo"),
        row("b", "First", "drama", "Star", "Maker"),
        row("a", "Second", "drama", "Star", "Maker"),
        row("c", "Nobody", "drama", "", ""),
    )
    assert [item.id for item in catalog.items] == ["a", "b", "z", "c"]
    assert catalog.familiarity == (1.0, 1.0 - 1 / 3, 1.0 - 2 / 3, 0.0)
    assert catalog.vocabulary[1] == ("Star", "One")
    assert catalog.postings[1] == (0b0011, 0b0100)
    assert catalog.item("z").label == "Lone"


def test_popularity_counts_only_if_every_row_has_one() -> None:
    rows = [row("a", "A", "x", "S", "D"), row("b", "B", "x", "", "", popularity=9.0)]
    assert [item.id for item in build(*rows).items] == ["a", "b"]
    rows[0] = row("a", "A", "x", "S", "D", popularity=1.0)
    assert [item.id for item in build(*rows).items] == ["b", "a"]


def test_what_cannot_be_built() -> None:
    with pytest.raises(ValueError, match="by hand: no usable item"):
        build()
    with pytest.raises(ValueError, match="two items have the id 'a'"):
        build(row("a", "A", "", "", ""), row("a", "B", "", "", ""))


def test_lookups_name_what_is_missing() -> None:
    catalog = build(row("a", "A", "drama", "S", "D"))
    with pytest.raises(KeyError, match="by hand: no item with id 'q'"):
        catalog.item("q")
    with pytest.raises(KeyError, match="by hand: no genre 'q' in the catalogue"):
        catalog.value_index(0, "q")
    with pytest.raises(KeyError, match="no facet 'q'; it has genre, star, director"):
        goal_from_names(catalog, {"q": []})


@pytest.mark.parametrize(
    ("name", "title", "year"),
    [
        ("Bad Boys (1995)", "Bad Boys", 1995),
        ("Bad Boys", "Bad Boys", None),
        (" 2012 (2009) ", "2012", 2009),
        ("(2015)", "(2015)", None),
        ("1984", "1984", None),
        ("Room (II) (2015)", "Room (II)", 2015),
        ("Se7en (19955)", "Se7en (19955)", None),
    ],
)
def test_split_year(name: str, title: str, year: int | None) -> None:
    assert split_year(name) == (title, year)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("Bad Boys", "bad boys (1995)"),
        ("The Matrix", "Matrix"),
        ("Amélie", "AMELIE!"),
        ("Spider-Man", "Spider Man"),
        ("A Haunted House", "Haunted House"),
    ],
)
def test_title_stem_joins(one: str, other: str) -> None:
    assert title_stem(one) == title_stem(other) != ""


def test_title_stem_parts() -> None:
    assert title_stem("The") == "the"
    assert title_stem("Theory") != title_stem("Theo")
    assert title_stem("Alien") != title_stem("Aliens")
    assert title_stem("Up") != title_stem("U.P.")


def same_work(one: ItemRow, other: ItemRow) -> bool:
    catalog = build(one, other)
    bits = catalog.works[catalog.ids[one.id]]
    return bool(bits >> catalog.ids[other.id] & 1)


BAD_BOYS = row("1", "Bad Boys", "action|comedy", "Will Smith", "Michael Bay", year=1995)


@pytest.mark.parametrize(
    ("other", "same"),
    [
        (row("2", "Bad boys!", "action", "Martin Lawrence", "Michael Bay"), True),
        (row("2", "The Bad Boys", "action", "", "Michael  Bay|Other", year=1996), True),
        (row("2", "Bad Boys", "action", "Will Smith", "Michael Bay", year=1997), False),
        (row("2", "Bad Boys", "comedy|action", "Will Smith", "Michael Bay", year=2001), True),
        (row("2", "Bad Boys", "action|comedy", "Will Smith", "Rick Rosenthal"), False),
        (row("2", "Bad Boys", "action|comedy", "Will Smith", ""), False),
        (row("2", "Bad Boys II", "action|comedy", "Will Smith", "Michael Bay", year=1995), False),
    ],
)
def test_same_work(other: ItemRow, same: bool) -> None:
    assert same_work(BAD_BOYS, other) is same
    assert same_work(other, BAD_BOYS) is same


def test_rows_without_makers() -> None:
    assert same_work(row("1", "Pari", "", "", ""), row("2", "Pari", "drama", "", "", year=1995))
    assert not same_work(
        row("1", "Pari", "", "", "", year=1980), row("2", "Pari", "", "", "", year=1995)
    )


def test_titles_without_a_letter_stay_apart() -> None:
    assert not same_work(row("1", "!!!", "", "", ""), row("2", "???", "", "", ""))
    assert same_work(row("1", "!!!", "", "", ""), row("2", "!!!", "", "", ""))


@pytest.mark.data
def test_repeated_rows_of_redial() -> None:
    catalog = published_catalog("redial")
    groups = {bits for bits in catalog.works if bits.bit_count() > 1}
    assert sum(bits.bit_count() - 1 for bits in groups) == 137
    labels = [sorted(catalog.items[i].label for i in members(bits)) for bits in groups]
    assert ["Bad Boys", "Bad Boys (1995)"] in labels
    assert not any("Bad Boys II (2003)" in names and len(names) > 2 for names in labels)


@given(toy_rows(), st.randoms(use_true_random=False))
def test_order_of_rows_does_not_matter(rows: list[ItemRow], random) -> None:
    catalog = build_catalog(TOY_DOMAIN, rows, "toys")
    random.shuffle(rows)
    assert build_catalog(TOY_DOMAIN, rows, "toys") == catalog


@given(toys())
def test_incidence(catalog: Catalog) -> None:
    everyone = list(range(len(catalog)))
    assert list(members(catalog.everything)) == everyone
    assert [item.index for item in catalog.items] == everyone
    for f, names in enumerate(catalog.vocabulary):
        assert len(set(names)) == len(names) == len(catalog.postings[f])
        sizes = [posting.bit_count() for posting in catalog.postings[f]]
        assert sizes == sorted(sizes, reverse=True)
        for value, posting in enumerate(catalog.postings[f]):
            having = [i.index for i in catalog.items if value in i.values[f]]
            assert list(members(posting)) == having != []


@given(toys())
def test_works_are_a_partition(catalog: Catalog) -> None:
    for i, bits in enumerate(catalog.works):
        assert bits >> i & 1
        assert all(catalog.works[j] == bits for j in members(bits))
        stems = {title_stem(catalog.items[j].title) for j in members(bits)}
        assert len(stems) == 1


@given(toys(), st.data())
def test_targets_are_those_of_brute_force(catalog: Catalog, data: st.DataObject) -> None:
    wanted = []
    for names in catalog.vocabulary:
        values = st.lists(st.integers(0, len(names) - 1), max_size=3) if names else st.just([])
        wanted.append(tuple(data.draw(values)))
    goal = Goal(tuple(wanted))
    kinds, makers = goal.values
    expected = [
        item.index
        for item in catalog.items
        if set(kinds) <= set(item.values[0]) and (not makers or set(makers) & set(item.values[1]))
    ]
    assert list(members(targets(catalog, goal))) == expected
    assert [i.index for i in catalog.items if meets(catalog, goal, i)] == expected
    assert facet_matches(catalog, 1, (), need_all=False) == catalog.everything
    assert goal_from_names(catalog, goal.named(catalog)) == goal
