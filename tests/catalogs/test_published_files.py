"""The loaders of ReDial and OpenDialKG: by made-up entries, and on the real files if at hand."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from catalogs.catalog import Catalog, members
from catalogs.domain import Domain, Facet
from catalogs.goal import goal_from_names, targets
from catalogs.goals import load_groups
from catalogs.opendialkg import load_opendialkg
from catalogs.redial import load_redial
from catalogs.rows import CatalogError, Loaded
from tests.catalogs.at_hand import published_catalog, published_file, published_groups
from tests.catalogs.small import BOOK, MOVIE

HEAT = {
    "name": "Heat (1995)",
    "genre": ["crime", "drama"],
    "star": ["Al Pacino"],
    "director": ["Michael Mann"],
    "writer": [],
    "plot": "A thief and a detective.",
    "imdb_id": "x",
}
DUNE = {"name": "Dune", "year": "1965", "genre": ["Novel"], "writer": ["Frank Herbert"]}
ALIEN = {"name": "Alien", "genre": ["Horror"], "actor": ["Tom Skerritt"], "director": ["R. Scott"]}

Load = Callable[[Path, bool], Loaded]


def redial(path: Path, strict: bool = True) -> Loaded:
    return load_redial(path, MOVIE, strict)


def movies(path: Path, strict: bool = True) -> Loaded:
    return load_opendialkg(path, "movie", MOVIE, strict)


def books(path: Path, strict: bool = True) -> Loaded:
    return load_opendialkg(path, "book", BOOK, strict)


def write(folder: Path, content: Any) -> Path:
    path = folder / "id2info.json"
    text = content if isinstance(content, str) else json.dumps(content, indent=0)
    path.write_text(text, encoding="utf-8")
    return path


def test_redial_row(tmp_path: Path) -> None:
    bare = {"name": " Nothing ", "genre": [], "star": [" ", ""], "director": []}
    path = write(tmp_path, {"7": HEAT, "3": HEAT, "5": bare})
    first, second, third = redial(path).rows
    assert (first.id, first.title, first.year) == ("7", "Heat", 1995)
    assert first.values == (("crime", "drama"), ("Al Pacino",), ("Michael Mann",))
    assert first.plot == HEAT["plot"]
    assert second.id == "3"  # the same name twice: two rows
    assert (third.title, third.year, third.values) == ("Nothing", None, ((), (), ()))


def test_another_domain_takes_other_lists(tmp_path: Path) -> None:
    writer = Domain("w", "n", "ns", (Facet("writer", "any", "WriterInquiry", "w", "ws"),))
    path = write(tmp_path, {"1": {**HEAT, "writer": ["Michael Mann"]}})
    assert load_redial(path, writer).rows[0].values == (("Michael Mann",),)
    path = write(tmp_path, {"1": ALIEN | {"writer": ["Dan O'Bannon"]}})
    assert load_opendialkg(path, "movie", writer).rows[0].values == (("Dan O'Bannon",),)
    studio = Domain("s", "n", "ns", (Facet("studio", "any", "StudioInquiry", "s", "ss"),))
    for load in (load_redial, lambda p, d: load_opendialkg(p, "book", d)):
        with pytest.raises(CatalogError, match=r"no facet 'studio' \(domain 's'\); use a domain"):
            load(path, studio)


@pytest.mark.parametrize(
    ("entry", "reason"),
    [
        ("Heat", "an item must be an object, not a text"),
        ({**HEAT, "name": ""}, "the title is missing"),
        ({**HEAT, "name": None}, "the title is missing"),
        ({**HEAT, "name": ["Heat"]}, "'name' must be a text, not a list"),
        ({**HEAT, "star": "Al Pacino"}, "star must be a list of texts, not a text"),
        ({**HEAT, "genre": [1]}, "genre holds a number"),
        ({**HEAT, "plot": 3}, "'plot' must be a text, not a number"),
        ({**HEAT, "name": "He\ud800at"}, "name is not valid UTF-8"),
        (ALIEN, "no 'star'; use ReDial's id2info.json"),
    ],
)
def test_bad_redial_entry(tmp_path: Path, entry: Any, reason: str) -> None:
    path = write(tmp_path, {"1": HEAT, "9": entry})
    with pytest.raises(CatalogError) as caught:
        redial(path)
    line = 2 + path.read_text().split('"9"')[0].count("\n") - 1
    assert str(caught.value).startswith(f"{path}, key '9' (line {line}): {reason}")
    loaded = redial(path, strict=False)
    assert [row.id for row in loaded.rows] == ["1"]
    assert len(loaded.skipped) == 1


@pytest.mark.parametrize("load", [redial, movies, books])
@pytest.mark.parametrize(
    ("content", "reason"),
    [
        ("", "the file is empty"),
        ("<html>404</html>", "a web page"),
        ('{"1": {"name": "A",\n }}', "line 2, column 2: not JSON"),
        ('{"1": {"name": "A"', "not JSON"),
        ("[1, 2]", "an object of items by id was expected, not a list"),
        ('"x"', "not a text"),
        ("title,genre\nA,b\n", "not JSON"),
        ("{}", "no usable row"),
        ('{"a": ' + "[" * 200_000, "not usable JSON"),
    ],
)
def test_file_of_another_format(tmp_path: Path, load: Load, content: str, reason: str) -> None:
    path = write(tmp_path, content)
    for strict in (True, False):
        with pytest.raises(CatalogError) as caught:
            load(path, strict)
        assert reason in str(caught.value)
        assert str(path) in str(caught.value)


@pytest.mark.parametrize(("load", "entry"), [(redial, HEAT), (movies, ALIEN), (books, DUNE)])
def test_repeated_id(tmp_path: Path, load: Load, entry: dict[str, Any]) -> None:
    text = f'{{"1": {json.dumps(entry)},\n"1": {json.dumps(entry)}}}'
    path = write(tmp_path, text)
    with pytest.raises(CatalogError, match="id '1' is already used"):
        load(path, True)
    loaded = load(path, False)
    assert (len(loaded.rows), len(loaded.skipped)) == (1, 1)


@pytest.mark.parametrize(("load", "entry"), [(redial, HEAT), (movies, ALIEN), (books, DUNE)])
def test_bytes_that_are_not_utf8(tmp_path: Path, load: Load, entry: dict[str, Any]) -> None:
    bad = json.dumps({**entry, "name": "Am?lie"}).encode().replace(b"?", b"\xe9")
    path = tmp_path / "id2info.json"
    path.write_bytes(b'{"1": ' + json.dumps(entry).encode() + b',\n"2": ' + bad + b"}")
    with pytest.raises(CatalogError, match=r"key '2' \(line 2\): name is not valid UTF-8"):
        load(path, True)
    assert [row.id for row in load(path, False).rows] == ["1"]


def test_opendialkg_parts(tmp_path: Path) -> None:
    entries = {
        "dune": DUNE,
        "alien": ALIEN,
        "untagged": {**ALIEN, "genre": ["United Kingdom", " "]},
        "directed book": {**DUNE, "director": ["X"]},
        "actor only": {"name": "A", "genre": ["Drama"], "actor": ["X"]},
        "genre only": {"name": "A", "genre": ["Talk show"]},
        "writer only": {"name": "A", "writer": ["X"]},
        "written movie": {**ALIEN, "writer": ["Dan O'Bannon"]},
    }
    path = write(tmp_path, entries)
    assert [row.id for row in movies(path).rows] == ["alien", "written movie"]
    assert [row.id for row in books(path).rows] == ["dune"]
    assert movies(path).skipped == ()


def test_opendialkg_row(tmp_path: Path) -> None:
    entry = {
        "name": " Alien ",
        "year": "1979",
        "genre": ["Horror ", "United Kingdom", "Horror", "Sci-Fi"],
        "actor": ["Tom Skerritt", "Tom Skerritt ", "", "John Hurt"],
        "director": ["Ridley Scott"],
    }
    (row,) = movies(write(tmp_path, {"4": entry})).rows
    assert (row.id, row.title, row.year) == ("4", "Alien", 1979)
    assert row.values == (("Horror", "Sci-Fi"), ("Tom Skerritt", "John Hurt"), ("Ridley Scott",))


@pytest.mark.parametrize("year", ["", "-720", "soon", "19790", "¹⁹", None, 3.5])
def test_opendialkg_year_that_is_no_number(tmp_path: Path, year: Any) -> None:
    (row,) = books(write(tmp_path, {"1": {**DUNE, "year": year}})).rows
    assert row.year is None


def test_redial_is_not_opendialkg(tmp_path: Path) -> None:
    with pytest.raises(CatalogError, match="this one looks like ReDial's"):
        movies(write(tmp_path, {"1": HEAT}))


@pytest.mark.data
def test_all_of_redial() -> None:
    rows = redial(published_file("redial/id2info.json")).rows
    assert len(rows) == 6583
    genre, star, director = ([row.values[f] for row in rows] for f in range(3))
    assert len({value for values in genre for value in values}) == 27
    assert [sum(not values for values in facet) for facet in (genre, star, director)] == [
        13,
        81,
        75,
    ]
    assert max(map(len, star)) == 3
    # 6,015 names end with a year; of two of them nothing would be left without it.
    assert sum(row.year is not None for row in rows) == 6013
    assert [row.title for row in rows if row.title.startswith("(")] == ["(2015)", "(2007)"]


@pytest.mark.data
def test_all_of_opendialkg() -> None:
    path = published_file("opendialkg/id2info.json")
    film, book = movies(path).rows, books(path).rows
    assert (len(film), len(book)) == (1604, 711)
    assert not {row.id for row in film} & {row.id for row in book}
    values = {value for row in (*film, *book) for facet in row.values for value in facet}
    assert "United Kingdom" not in values
    assert all(value == value.strip() != "" for value in values)


@pytest.mark.data
@pytest.mark.parametrize("name", ["redial", "opendialkg_movie", "opendialkg_book"])
def test_committed_groups_have_the_published_targets(name: str) -> None:
    catalog = published_catalog(name)
    published = published_groups(name)
    goals = load_groups(catalog, name)
    assert goals is not None
    assert [_by_name(catalog, goal_from_names(catalog, goal.named(catalog))) for goal in goals] == [
        sorted(group["targets"]) for group in published
    ]
    for goal, group in zip(goals, published, strict=True):
        assert all(group[facet] == names for facet, names in goal.named(catalog).items())


def _by_name(catalog: Catalog, goal: Any) -> list[str]:
    return sorted(catalog.items[i].id for i in members(targets(catalog, goal)))
