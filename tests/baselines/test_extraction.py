"""Extraction: what the rules read, what a model may answer, and the state made of it."""

import json
from typing import Any

import pytest

from baselines.extraction import (
    Extraction,
    Named,
    check_extraction,
    embedded_extraction,
    state_of,
)
from baselines.steps import Nothing
from catalogs.catalog import Catalog
from language.prompts.single_call import Situation
from retrieval.situation import spoken_situation
from tests.baselines.texts_only import opened, say
from tests.language.prompts.hostile import TITLES, hostile_catalog
from tests.small_world import films, index

GENRE, STAR, DIRECTOR, REFLECT, RECOMMEND, EXPLAIN = range(6)
NOTHING = Nothing()


@pytest.fixture(scope="module")
def small() -> Catalog:
    return films()


def extraction(**changes: object) -> Extraction:
    plain: dict[str, object] = {
        "named": [],
        "last": "said",
        "complaint": None,
        "closed": [],
        "impatience": 0,
    }
    return Extraction.model_validate({**plain, **changes})


def talked(catalog: Catalog) -> Situation:
    """Asked about genres, told two, offered the cellar, refused for its genre."""
    view = opened(catalog, "I'm looking for a thriller.")
    say(view, GENRE, -1, "Which genres would you like?", "I'd like crime.", ())
    cellar = index(catalog, "cellar")
    offer = f"How about {catalog.items[cellar].label}?"
    say(view, RECOMMEND, cellar, offer, "No thanks. I don't care for horror.", ())
    return spoken_situation(view)


def test_the_rules_read_a_dialogue(small: Catalog) -> None:
    situation = talked(small)
    found = embedded_extraction(situation, NOTHING)
    assert {(n.facet, n.value, n.wanted) for n in found.named} == {
        ("genre", "thriller", True),
        ("genre", "crime", True),
        ("genre", "horror", False),
    }
    assert (found.last, found.complaint) == ("rejected", "genre")
    state = state_of(situation, found)
    assert state.taste.wanted[GENRE] == tuple(
        small.value_index(0, name) for name in ("thriller", "crime")
    )
    assert state.taste.unwanted[GENRE] == (small.value_index(0, "horror"),)
    assert (state.asked, state.streak, state.offers, state.complaint) == ((1, 0, 0), 0, 1, GENRE)


def test_an_extraction_survives_json(small: Catalog) -> None:
    situation = talked(small)
    found = embedded_extraction(situation, NOTHING)
    again = Extraction.model_validate(json.loads(json.dumps(found.model_dump(mode="json"))))
    assert state_of(situation, again) == state_of(situation, found)


def test_names_in_any_case_are_values_and_unknown_ones_are_left_out(small: Catalog) -> None:
    named = [
        Named(facet="star", value="ada LIND", other=None, wanted=True),
        Named(facet="star", value="Nobody Known", other=None, wanted=True),
        Named(facet="genre", value="drama", other="romance", wanted=True),
        Named(facet="genre", value="drama", other="no such genre", wanted=False),
    ]
    taste = state_of(talked(small), extraction(named=named)).taste
    assert taste.wanted == ((), (small.value_index(1, "Ada Lind"),), ())
    assert taste.unclear[GENRE] == (
        (small.value_index(0, "drama"), small.value_index(0, "romance")),
    )
    assert taste.unwanted[GENRE] == (small.value_index(0, "drama"),)


def test_the_later_word_counts_and_settles_what_was_unclear(small: Catalog) -> None:
    named = [
        Named(facet="genre", value="drama", other="romance", wanted=True),
        Named(facet="genre", value="drama", other=None, wanted=False),
        Named(facet="genre", value="drama", other=None, wanted=True),
    ]
    taste = state_of(talked(small), extraction(named=named)).taste
    assert taste.wanted[GENRE] == (small.value_index(0, "drama"),)
    assert (taste.unwanted[GENRE], taste.unclear[GENRE]) == ((), ())


@pytest.mark.parametrize(
    ("changes", "problem"),
    [
        ({"named": [{"facet": "plot", "value": "x", "other": None, "wanted": True}]}, "plot"),
        ({"closed": ["actors"]}, "actors"),
        ({"complaint": "mood"}, "mood"),
        ({"last": "rejected"}, "nothing was offered"),
    ],
)
def test_what_there_is_not_is_refused(
    small: Catalog, changes: dict[str, Any], problem: str
) -> None:
    situation = spoken_situation(opened(small))
    with pytest.raises(ValueError, match=problem):
        check_extraction(situation, NOTHING, extraction(**changes))
    check_extraction(situation, NOTHING, extraction())


def test_values_that_give_orders_are_read_as_values() -> None:
    catalog = hostile_catalog()
    view = opened(catalog, "drama please")
    for text in (*TITLES, "\ud800 broken"):
        say(view, GENRE, -1, "Which genres would you like?", text, ())
        situation = spoken_situation(view)
        found = embedded_extraction(situation, NOTHING)
        found.model_dump_json()
        assert state_of(situation, found).taste.wanted[GENRE] == (catalog.value_index(0, "drama"),)
