"""Catalogues by name: what is found, what stands in, and what is said about it."""

import json
import logging
import pickle
from pathlib import Path

import pytest

from catalogs.catalog import Catalog
from catalogs.domain import DomainError
from catalogs.goals import make_splits
from catalogs.rows import CatalogError
from catalogs.sources import NAMES, describe, open_catalog, open_splits
from tests.catalogs.at_hand import published_catalog
from tests.catalogs.small import TOY_DOMAIN

TOYS = "title,kind,maker\nTop,a|b,X\nDrum,a,Y\n"


@pytest.fixture
def toys(tmp_path: Path) -> Path:
    path = tmp_path / "toys.csv"
    path.write_text(TOYS, encoding="utf-8")
    return path


@pytest.fixture
def no_data(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("CRS_DATA", str(tmp_path / "nothing"))
    return tmp_path


@pytest.mark.parametrize(
    ("name", "sample", "noun"),
    [
        ("redial", "sample_movie", "movies"),
        ("opendialkg_movie", "sample_movie", "movies"),
        ("opendialkg_book", "sample_book", "books"),
    ],
)
def test_a_sample_stands_in(
    no_data: Path, caplog: pytest.LogCaptureFixture, name: str, sample: str, noun: str
) -> None:
    with caplog.at_level(logging.INFO, logger="catalogs"):
        catalog = open_catalog(name)
    assert catalog.source == sample
    assert describe(catalog).startswith("bundled sample of ")
    assert describe(catalog).endswith(f": {len(catalog):,} {noun}")
    assert [record.message for record in caplog.records][-1] == describe(catalog)
    assert str(no_data / "nothing") in caplog.text  # where it looked
    assert str(no_data) not in catalog.source + describe(catalog)
    splits = open_splits(name, catalog)
    assert splits == make_splits(catalog)
    assert len(splits.test) == 15


@pytest.mark.parametrize(("name", "least"), [("sample_movie", 800), ("sample_book", 300)])
def test_samples_are_large_and_complete(name: str, least: int) -> None:
    catalog = open_catalog(name)
    assert len(catalog) >= least
    for item in catalog.items:
        assert all(item.values), f"{item.label} lacks a facet"
        assert item.year is not None
        assert item.title.strip()


def test_data_dir_comes_before_the_environment(no_data: Path) -> None:
    (no_data / "here" / "redial").mkdir(parents=True)
    entry = {"name": "Heat (1995)", "genre": ["crime"], "star": ["A"], "director": ["B"]}
    path = no_data / "here" / "redial" / "id2info.json"
    path.write_text(json.dumps({"1": entry}), encoding="utf-8")
    catalog = open_catalog("redial", data_dir=str(no_data / "here"))
    assert (catalog.source, len(catalog)) == ("redial", 1)
    assert describe(catalog) == "ReDial: 1 movies"
    path.write_text("<html>", encoding="utf-8")  # found but broken: no sample hides that
    with pytest.raises(CatalogError, match="a web page"):
        open_catalog("redial", data_dir=str(no_data / "here"))


def test_custom(toys: Path) -> None:
    catalog = open_catalog("custom", domain=TOY_DOMAIN, items=toys)
    assert catalog.source == "custom"
    assert describe(catalog) == "catalogue 'custom': 2 toys"
    domain = toys.with_name("toy.yaml")
    domain.write_text("{name: t, noun: toy, facets: [{name: kind, match: all},"
                      " {name: maker, match: any}]}", encoding="utf-8")  # fmt: skip
    again = open_catalog("custom", domain=str(domain), items=str(toys))
    assert again.vocabulary == catalog.vocabulary == (("a", "b"), ("X", "Y"))


def test_custom_needs_both_files(toys: Path) -> None:
    with pytest.raises(ValueError, match="'custom' needs items"):
        open_catalog("custom", domain="movie")
    with pytest.raises(ValueError, match="'custom' needs domain"):
        open_catalog("custom", items=toys)
    with pytest.raises(ValueError, match="'redial' has its own items; use 'custom'"):
        open_catalog("redial", items=toys)
    with pytest.raises(DomainError, match="one of: book, movie"):
        open_catalog("custom", domain="film", items=toys)


@pytest.mark.parametrize(
    ("wrong", "right"),
    [
        ("redail", "did you mean 'redial'"),
        ("opendialkg", "did you mean 'opendialkg_"),
        ("sample_films", "did you mean 'sample_"),
        ("xyz", "there are redial, opendialkg_movie"),
    ],
)
def test_a_wrong_name_gets_the_nearest_right_one(wrong: str, right: str) -> None:
    with pytest.raises(ValueError, match=right):
        open_catalog(wrong)
    with pytest.raises(ValueError, match=right):
        open_splits(wrong, open_catalog("sample_book"))


def test_strictness(toys: Path, caplog: pytest.LogCaptureFixture) -> None:
    toys.write_text(TOYS + ",a,b\nKite\n", encoding="utf-8")
    with pytest.raises(CatalogError, match="line 4: the title is missing") as caught:
        open_catalog("custom", domain=TOY_DOMAIN, items=toys)
    again = pickle.loads(pickle.dumps(caught.value))  # errors cross process borders
    assert str(again) == str(caught.value)
    catalog = open_catalog("custom", domain=TOY_DOMAIN, items=toys, strict=False)
    assert len(catalog) == 2
    (warning,) = [r.message for r in caplog.records if r.levelno == logging.WARNING]
    assert "2 items, 2 skipped (line 4: the title is missing; line 5: 1 columns" in warning


@pytest.mark.data
@pytest.mark.parametrize(
    ("name", "items", "goals"),
    [("redial", 6583, 15), ("opendialkg_movie", 1604, 18), ("opendialkg_book", 711, 16)],
)
def test_published(name: str, items: int, goals: int) -> None:
    catalog: Catalog = published_catalog(name)
    assert (catalog.source, len(catalog)) == (name, items)
    splits = open_splits(name, catalog)
    assert len(splits.test) == goals
    assert "published" in splits.note
    assert splits.test != make_splits(catalog).test


def test_names_are_all_there() -> None:
    assert set(NAMES) == {
        "redial", "opendialkg_movie", "opendialkg_book", "custom", "sample_movie", "sample_book",
    }  # fmt: skip
