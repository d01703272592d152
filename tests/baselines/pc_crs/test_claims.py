"""The mechanical fact check: what a text says of an item, against its entry."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from baselines.pc_crs.claims import false_claims
from baselines.pc_crs.strategies import STRATEGIES, Name, worded
from catalogs.catalog import Catalog, ItemRow, build_catalog
from catalogs.domain import load_domain
from tests.small_world import films, index

FILMS = films()


def found(text: str, key: str = "harbour") -> list[tuple[str, str]]:
    """Claim and field of what is false of an item."""
    item = FILMS.items[index(FILMS, key)]
    return [(claim.claim, claim.field) for claim in false_claims(FILMS, item, text)]


@pytest.mark.parametrize(
    ("text", "false"),
    [
        ("Harbour of Glass (1991) is a thriller with Ada Lind.", []),
        ("Harbour of Glass is a comedy with Ada Lind.", [("comedy", "genre")]),
        ("A crime story with actor Lee Park by B. Tash.", [
            ("Lee Park", "star"), ("B. Tash", "director")
        ]),
        ("There is no horror in it.", []),
        ("There is no crime in it.", [("crime", "genre")]),
        ("Made in 1991.", []),
        ("A film of 1994.", [("1994", "year")]),
        ("It is well known and famous.", []),
        ("I think you will love it!", []),
        ("", []),
    ],
)  # fmt: skip
def test_values_years_and_fame_are_checked(text: str, false: list[tuple[str, str]]) -> None:
    assert found(text) == false


def test_fame_is_a_matter_of_rank() -> None:
    assert found("Quay Nights is a popular thriller.", "quay") == [("popular", "popularity")]


def test_a_fact_says_what_the_entry_holds() -> None:
    item = FILMS.items[index(FILMS, "moth")]
    (claim,) = false_claims(FILMS, item, "A western for the family.")
    assert (claim.claim, claim.field) == ("western", "genre")
    assert claim.fact == "genres: fantasy, family and musical"


def people() -> Catalog:
    values = (("drama",), ("Ada Lind", "Lee Park"), ("Ada Lind",))
    plain = (("drama",), ("Bea Tash",), ("Ada Lind",))
    rows = [
        ItemRow("both", "Both Sides", None, values, "In 1920, a comedy of horror unfolds."),
        ItemRow("behind", "Behind It All", 2001, plain),
    ]
    return build_catalog(load_domain("movie"), rows, "people of two trades")


@pytest.mark.parametrize(
    ("text", "false"),
    [
        ("director: Ada Lind", []),
        ("actor: Ada Lind", ["Ada Lind"]),
        ("The actors are Ada Lind and Bea Tash.", ["Ada Lind"]),
        ("An Ada Lind film.", []),
    ],
)
def test_a_person_has_the_trade_that_the_text_says(text: str, false: list[str]) -> None:
    catalog = people()
    item = catalog.items[index(catalog, "behind")]
    assert [claim.claim for claim in false_claims(catalog, item, text)] == false


def test_the_plot_is_the_entrys_own() -> None:
    catalog = people()
    item = catalog.items[index(catalog, "both")]
    assert false_claims(catalog, item, f"Both Sides. {item.plot}") == []
    years = false_claims(catalog, item, "In 1920, or so.")
    assert [(claim.field, claim.fact) for claim in years] == [("year", "no year known")]


@given(st.sampled_from(FILMS.items), st.sampled_from(list(STRATEGIES)), st.booleans())
def test_an_entry_in_any_embedded_words_is_true(item, name: Name, plot: bool) -> None:
    """No strategy's own words are taken for claims, but for being well known."""
    text = worded(FILMS, item, name, list(enumerate(item.values)), plot=plot)
    assert item.label in text
    fields = {claim.field for claim in false_claims(FILMS, item, text)}
    assert fields <= {"popularity"}
    modest = worded(FILMS, item, name, [], familiar=False, plot=plot)
    assert false_claims(FILMS, item, modest) == []


@given(st.sampled_from(FILMS.items), st.sampled_from(FILMS.items), st.sampled_from([0, 1, 2]))
def test_whatever_another_item_has_is_found_false(item, other, facet: int) -> None:
    """A value is false of an item if and only if the item lacks it."""
    text = worded(FILMS, item, "logic", [(facet, other.values[facet])])
    claims = {claim.claim for claim in false_claims(FILMS, item, text)}
    lacking = set(other.values[facet]) - set(item.values[facet])
    assert claims == {FILMS.value(facet, value) for value in lacking}


@given(st.text(max_size=80))
def test_any_text_can_be_checked(text: str) -> None:
    false_claims(FILMS, FILMS.items[0], text)
