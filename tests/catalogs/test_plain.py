"""Anyone's own items: what is read, and what each bad file or row is told."""

import gzip
import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from catalogs.domain import Domain, Facet
from catalogs.plain import load_items
from catalogs.rows import CatalogError, Loaded
from tests.catalogs.small import BOOK, MOVIE

HEADER = "title,genre,star,director\n"
GOOD = "Heat,crime|drama,Al Pacino|Robert De Niro,Michael Mann\n"


def write(folder: Path, content: str | bytes, name: str = "items.csv") -> Path:
    path = folder / name
    path.write_bytes(content.encode("utf-8") if isinstance(content, str) else content)
    return path


def lenient(folder: Path, content: str | bytes, name: str = "items.csv") -> Loaded:
    return load_items(write(folder, content, name), MOVIE, strict=False)


def complaint(folder: Path, content: str | bytes, name: str = "items.csv") -> str:
    """The one-line error of the strict loader, which always names the file."""
    path = write(folder, content, name)
    with pytest.raises(CatalogError) as caught:
        load_items(path, MOVIE)
    message = str(caught.value)
    assert message.startswith(f"{path}, ")
    assert "\n" not in message
    assert caught.value.error.remedy
    return message


def test_columns_in_any_order_with_all_options(tmp_path: Path) -> None:
    text = (
        "year,director,plot,star,id,genre,title,popularity\r\n"
        '1995,Michael Mann,"Cops, robbers",Al Pacino | Robert De Niro|Al Pacino,h,'
        "crime||drama,Heat,7.5\r\n"
        ",,,,x,,Nothing known,0\r\n"
    )
    heat, nothing = load_items(write(tmp_path, b"\xef\xbb\xbf" + text.encode()), MOVIE).rows
    assert (heat.id, heat.title, heat.year, heat.popularity) == ("h", "Heat", 1995, 7.5)
    assert heat.values == (
        ("crime", "drama"),
        ("Al Pacino", "Robert De Niro"),
        ("Michael Mann",),
    )
    assert heat.plot == "Cops, robbers"
    assert (nothing.year, nothing.values, nothing.popularity) == (None, ((), (), ()), 0.0)


def test_ids_default_to_row_numbers_and_years_to_the_titles(tmp_path: Path) -> None:
    text = HEADER + GOOD + "\n" + 'Heat (1986),action,"Reynolds, Burt",Dick Richards'
    first, second = load_items(write(tmp_path, text), MOVIE).rows
    assert (first.id, second.id) == ("1", "2")
    assert (second.title, second.year) == ("Heat", 1986)
    assert second.values[1] == ("Reynolds, Burt",)


def test_row_numbers_do_not_depend_on_what_was_skipped(tmp_path: Path) -> None:
    loaded = lenient(tmp_path, HEADER + ",drama,A,B\n" + GOOD)
    assert [row.id for row in loaded.rows] == ["2"]


def test_json_lines(tmp_path: Path) -> None:
    lines = [
        {"title": "Heat", "genre": ["crime"], "star": ["Al Pacino"], "director": [], "year": 1995},
        {"title": "Léon", "genre": ["crime"], "star": [], "year": "1994", "popularity": 3},
    ]
    text = "\n\n".join(json.dumps(line) for line in lines)
    first, second = load_items(write(tmp_path, text, "items.jsonl"), MOVIE).rows
    assert (first.year, first.values) == (1995, (("crime",), ("Al Pacino",), ()))
    assert (second.title, second.year, second.values[2]) == ("Léon", 1994, ())
    assert (second.id, second.popularity) == ("2", 3.0)


@pytest.mark.parametrize(
    ("bad", "where", "reason"),
    [
        (",drama,A,B", "line 3", "title is missing"),
        ("   ,drama,A,B", "line 3", "title is missing"),
        ("A,drama,B", "line 3", "3 columns where the header has 4"),
        ("A,drama,B,C,D", "line 3", "5 columns where the header has 4"),
        ("A,dra\0ma,B,C", "line 3", "genre holds a NUL byte"),
        ('A,"drama,B,C', "lines 3-4", "none closes it"),
        ('A,"dra"ma,B,C', "line 3", "not CSV"),
        ("A,drama," + "x" * 200_000 + ",C", "line 3", "a cell of more than 131,072 characters"),
        ("A," * 5_000_000 + "B", "line 3", "5000001 columns"),
    ],
)
def test_bad_csv_row(tmp_path: Path, bad: str, where: str, reason: str) -> None:
    text = HEADER + GOOD + bad + "\n"
    message = complaint(tmp_path, text)
    assert f", {where}: " in message
    assert reason in message
    loaded = lenient(tmp_path, text)
    assert [row.title for row in loaded.rows] == ["Heat"]
    assert len(loaded.skipped) == 1
    assert loaded.summary().count("skipped") == 1


@pytest.mark.parametrize(
    ("column", "cell", "reason"),
    [
        ("year", "soon", "'soon' is not a year"),
        ("year", "19955", "not a year"),
        ("year", "1995.5", "not a year"),
        ("year", "١٩٩٥", "not a year"),
        ("popularity", "-1", "'-1' is not a popularity"),
        ("popularity", "nan", "not a popularity"),
        ("popularity", "inf", "not a popularity"),
        ("popularity", "many", "not a popularity"),
        ("id", "", "id is missing"),
        ("id", "1", "id '1' is already used by line 2"),
    ],
)
def test_bad_optional_cell(tmp_path: Path, column: str, cell: str, reason: str) -> None:
    text = f"title,genre,star,director,{column}\nA,b,c,d,1\nB,b,c,d,{cell}\n"
    message = complaint(tmp_path, text)
    assert ", line 3: " in message
    assert reason in message
    assert [row.title for row in lenient(tmp_path, text).rows] == ["A"]


@pytest.mark.parametrize("cell", ["1995.0", " 1995 ", "1995"])
def test_years_as_spreadsheets_write_them(tmp_path: Path, cell: str) -> None:
    (row,) = load_items(write(tmp_path, f"title,genre,writer,year\nA,b,c,{cell}\n"), BOOK).rows
    assert row.year == 1995


@pytest.mark.parametrize("end", ["\n", "\r\n", "\r"])
def test_line_ends_of_any_system(tmp_path: Path, end: str) -> None:
    text = (HEADER + GOOD + GOOD).replace("\n", end)
    assert [row.title for row in load_items(write(tmp_path, text), MOVIE).rows] == ["Heat"] * 2


def test_broken_utf8_is_found_in_its_row(tmp_path: Path) -> None:
    latin = "Amélie,comedy,Audrey Tautou,Jean-Pierre Jeunet\n".encode("latin-1")
    content = HEADER.encode() + GOOD.encode() + latin + GOOD.encode()
    message = complaint(tmp_path, content)
    assert ", line 3: title is not valid UTF-8; save the file as UTF-8" in message
    loaded = lenient(tmp_path, content)
    assert [row.id for row in loaded.rows] == ["1", "3"]


@pytest.mark.parametrize(
    ("bad", "reason"),
    [
        ('{"title": "A"', "not JSON"),
        ("Heat,crime", "not JSON"),
        ('["A"]', "an item must be an object, not a list"),
        ('{"genre": []}', "title is missing"),
        ('{"title": null}', "title is missing"),
        ('{"title": 1984}', "'title' must be a text, not a number"),
        ('{"title": "A", "id": 7}', "'id' must be a text, not a number"),
        ('{"title": "A", "plot": {}}', "'plot' must be a text, not an object"),
        ('{"title": "A", "genre": "drama"}', "genre must be a list of texts, not a text"),
        ('{"title": "A", "genre": [1]}', "genre holds a number"),
        ('{"title": "A", "genre": null}', "genre must be a list of texts, not null"),
        ('{"title": "A", "year": true}', "'True' is not a year"),
        ('{"title": "A", "year": [1995]}', "not a year"),
        ('{"title": "A", "popularity": true}', "not a popularity"),
        ('{"title": "A", "popularity": NaN}', "not a popularity"),
        ('{"title": "A", "popularity": 1e999}', "not a popularity"),
        ('{"title": "A", "popularity": ' + "9" * 400 + "}", "not a popularity"),
        ('{"title": "A", "year": ' + "9" * 5000 + "}", "not JSON"),
        ('{"title": "\\ud800"}', "not valid UTF-8"),
        ('{"title": "A", "genre": ["a\\u0000"]}', "genre holds a NUL byte"),
        ('{"title": ' + "[" * 200_000, "not JSON"),
        ('{"title": "A", "genre": [], "title": "B"}', "the key 'title' is there twice"),
    ],
)
def test_bad_json_line(tmp_path: Path, bad: str, reason: str) -> None:
    text = '{"title": "Heat", "id": "1"}\n' + bad + "\n"
    message = complaint(tmp_path, text, "items.jsonl")
    assert ", line 2: " in message
    assert reason in message
    loaded = lenient(tmp_path, text, "items.jsonl")
    assert [row.title for row in loaded.rows] == ["Heat"]
    assert len(loaded.skipped) == 1


@pytest.mark.parametrize(
    ("name", "content", "reason"),
    [
        ("a.csv", '[{"title": "A"}]', "this is JSON; name it .jsonl"),
        ("a.csv", '{"title": "A"}', "this is JSON; name it .jsonl"),
        ("a.jsonl", HEADER + GOOD, "this is not JSON"),
        ("a.jsonl", '[{"title": "A"}]', "this is one JSON list"),
        ("a.csv", "<!DOCTYPE html><html>404</html>", "a web page"),
        ("a.jsonl", "\n <html><body>Not found</body></html>", "a web page"),
        ("a.csv", "", "the file is empty"),
        ("a.jsonl", " \r\n\n", "the file is empty"),
        ("a.csv", b"PK\x03\x04\x14\x00", "a ZIP archive or an Excel workbook"),
        ("a.csv", gzip.compress(HEADER.encode(), mtime=0), "a gzip archive"),
        ("a.csv", bytes(range(256)) * 8, "a binary file"),
        ("a.csv", (HEADER + GOOD).encode("utf-16"), "UTF-16 text"),
        ("a.json", '{"title": "A"}', "items in a .json file"),
        ("items", HEADER + GOOD, "items in a nameless file"),
        ("a.csv", HEADER, "no usable row"),
        ("a.csv", "title;genre;star;director\nA;b;c;d\n", "separated by commas"),
        ("a.csv", "title,genre,star\nA,b,c\n", "no column 'director'"),
        ("a.csv", "title,genres,star,director\nA,b,c,d\n", "did you mean it by 'genres'"),
        ("a.csv", "name,genre,star,director\nA,b,c,d\n", "no column 'title'"),
        ("a.csv", "title,genre,star,director,title\nA,b,c,d,e\n", "two columns are called 'title'"),
    ],
)
def test_file_of_another_format(
    tmp_path: Path, name: str, content: str | bytes, reason: str
) -> None:
    assert reason in complaint(tmp_path, content, name)
    with pytest.raises(CatalogError):  # nothing is left to be lenient about
        lenient(tmp_path, content, name)


def test_unreadable_files(tmp_path: Path) -> None:
    with pytest.raises(CatalogError, match="cannot be read: No such file"):
        load_items(tmp_path / "none.csv", MOVIE)
    (tmp_path / "folder.csv").mkdir()
    with pytest.raises(CatalogError, match="cannot be read"):
        load_items(tmp_path / "folder.csv", MOVIE)


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("a.csv", "title,genre,star,director,yaer\nA,b,c,d,1999\nB,b,c,d,1999\n"),
        ("a.jsonl", '{"title": "A", "yaer": 1999}\n{"title": "B", "yaer": 1999}\n'),
    ],
)
def test_unknown_column_is_named_with_the_nearest_right_one(
    tmp_path: Path, name: str, content: str
) -> None:
    assert "line 1: unknown column 'yaer'; use 'year'" in complaint(tmp_path, content, name)
    loaded = lenient(tmp_path, content, name)
    assert [row.title for row in loaded.rows] == ["A", "B"]
    assert [error.reason for error in loaded.skipped] == ["unknown column 'yaer'"]


def test_a_facet_cannot_take_a_column_of_its_own(tmp_path: Path) -> None:
    domain = Domain("d", "n", "ns", (Facet("year", "any", "YearInquiry", "year", "years"),))
    with pytest.raises(CatalogError, match="'year' is a column of its own; rename the facet"):
        load_items(write(tmp_path, "title,year\nA,1\n"), domain)


def test_no_row_left_tells_why(tmp_path: Path) -> None:
    with pytest.raises(CatalogError, match=r"no usable row \(2 bad ones\); the first: line 2: the"):
        lenient(tmp_path, HEADER + ",a,b,c\n,a,b,c\n")


def test_summary_names_the_first_rows_and_counts_the_others(tmp_path: Path) -> None:
    loaded = lenient(tmp_path, HEADER + GOOD + "A\n" * 5)
    summary = loaded.summary()
    assert summary.startswith(f"{tmp_path / 'items.csv'}: 1 items, 5 skipped (line 3: 1 columns")
    assert summary.endswith("and 2 more)")
    assert "line 6" not in summary


HOSTILE = st.text(
    st.characters(exclude_categories=["Cs"], exclude_characters="\0"), min_size=1, max_size=60
).filter(lambda text: text.strip())


@given(st.lists(HOSTILE, min_size=1, max_size=5), st.lists(HOSTILE, max_size=4))
def test_any_text_survives_json_lines(
    tmp_path_factory: pytest.TempPathFactory, titles: list[str], stars: list[str]
) -> None:
    """Quotes, line breaks, HTML, right-to-left, emoji: they come back as they went in."""
    lines = [json.dumps({"title": title, "year": 2000, "star": stars}) for title in titles]
    path = write(tmp_path_factory.mktemp("any"), "\n".join(lines), "items.jsonl")
    rows = load_items(path, MOVIE).rows
    assert [row.title for row in rows] == [title.strip() for title in titles]
    assert all(row.values[1] == tuple(dict.fromkeys(s.strip() for s in stars)) for row in rows)


def test_long_and_quoted_titles_survive_csv(tmp_path: Path) -> None:
    titles = ['He said "no"\nand left', "<b>bold</b>", "שלום, עולם", "🎬" * 10_000]
    cells = ['"' + title.replace('"', '""') + '",a,b,c\n' for title in titles]
    loaded = load_items(write(tmp_path, HEADER + "".join(cells)), MOVIE)
    assert [row.title for row in loaded.rows] == titles
