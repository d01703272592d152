"""Reading texts without a state: values by name, wanted or not, the later statement first."""

import pytest

from catalogs.catalog import Catalog
from language.free_reading import FreeReader, Wishes


@pytest.fixture(scope="module")
def reader(small: Catalog) -> FreeReader:
    return FreeReader(small)


def names(catalog: Catalog, wishes: Wishes) -> tuple[list[str], list[str]]:
    sides = (
        [catalog.value(f, v) for f, values in enumerate(side) for v in values] for side in wishes
    )
    wanted, unwanted = sides
    return wanted, unwanted


@pytest.mark.parametrize(
    ("text", "wanted", "unwanted"),
    [
        ("I'd like a funny film with Lee Park.", ["comedy", "Lee Park"], []),
        ("No comedy, please.", [], ["comedy"]),
        ("Crime.\nAnd drama, perhaps?", ["crime", "drama"], []),
        ("I want comedy.\nNo comedy after all.", [], ["comedy"]),
        ("No comedy.\nOh well, comedy it is.", ["comedy"], []),
        ("A movie directed by B. Tash.", ["B. Tash"], []),
        ("Hello there.", [], []),
        ("", [], []),
    ],
)
def test_wishes(
    reader: FreeReader, small: Catalog, text: str, wanted: list[str], unwanted: list[str]
) -> None:
    assert names(small, reader.wishes(text)) == (wanted, unwanted)


def test_lines_are_read_on_their_own(reader: FreeReader) -> None:
    lines = ["Something by B. Tash", "with Ada Lind", "no horror"]
    assert sum(len(reader.named(line)) for line in lines) == 3
    whole = reader.wishes("\n".join(lines))
    assert [len(side) for side in whole.wanted] == [0, 1, 1]
    assert [len(side) for side in whole.unwanted] == [1, 0, 0]


def test_what_was_read_is_remembered(reader: FreeReader) -> None:
    assert reader.named("war with Tom Hollis") is reader.named("war with Tom Hollis")
