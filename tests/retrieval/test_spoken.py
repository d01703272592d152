"""Ranking by what was said."""

from concurrent.futures import ThreadPoolExecutor

import pytest

from catalogs.catalog import Catalog, ItemRow, build_catalog
from catalogs.domain import load_domain, parse_domain
from retrieval.build import make_retriever, text_ranker
from retrieval.lexical import LexicalRanker
from retrieval.query import Query, Ranker
from retrieval.spoken import SpokenRanker, spoken_ranker
from retrieval.structured import StructuredRetriever
from tests.small_world import index


def test_small_talk_does_not_rank() -> None:
    rows = [
        ItemRow("wish", "I Would Like Something", 2000, (("war",), ("A",), ("B",))),
        ItemRow("war", "Iron", 2001, (("war",), ("C",), ("D",))),
        ItemRow("noir", "Ash", 2002, (("film-noir",), ("E",), ("F",))),
    ]
    catalog = build_catalog(load_domain("movie"), rows, "talk")
    said = Query(None, "I would like something, please. What would you like? Film-noir!")
    plain = LexicalRanker(catalog).rank(said, 3)
    assert catalog.items[plain[0]].id == "wish"
    assert catalog.items[SpokenRanker(catalog).rank(said, 3)[0]].id == "noir"


def test_everyday_words_that_are_values_count() -> None:
    raw = {"name": "talk", "noun": "talk", "facets": [{"name": "topic", "match": "all"}]}
    rows = [
        ItemRow("a", "First", None, (("marriage",),), popularity=1.0),
        ItemRow("b", "Second", None, (("elevator",),), popularity=0.0),
    ]
    catalog = build_catalog(parse_domain(raw), rows, "topics")
    assert SpokenRanker(catalog).rank(Query(None, "an elevator"), 1) == [index(catalog, "b")]


def test_excluded_items_and_silence(small: Catalog) -> None:
    ranker = SpokenRanker(small)
    everything = ranker.rank(Query(None, "crime with Ada Lind"), len(small))
    assert sorted(everything) == list(range(len(small)))
    rest = ranker.rank(Query(None, "crime with Ada Lind"), len(small), 1 << everything[0])
    assert rest == everything[1:]
    assert ranker.rank(Query(None, "I would like you to."), 3) == [0, 1, 2]


@pytest.mark.parametrize("kind", ["structured", "lexical"])
def test_bm25_becomes_a_ranker_of_speech(small: Catalog, kind: str) -> None:
    ranker = text_ranker(make_retriever(small, kind), small)
    assert isinstance(ranker, SpokenRanker)


@pytest.mark.parametrize("kind", ["dense", "fusion"])
def test_what_ranks_by_text_stays(small: Catalog, kind: str) -> None:
    shared = make_retriever(small, kind)
    said = Query(None, "crime with Ada Lind")
    assert text_ranker(shared, small).rank(said, 5) == shared.rank(said, 5)


def test_a_retriever_of_states_is_replaced(small: Catalog) -> None:
    class OnlyStates:
        """A shared retriever of somebody else's, without rankings by query."""

        def assess(self, view):
            raise AssertionError

        def top(self, view, count):
            raise AssertionError

    ranker = text_ranker(OnlyStates(), small)
    assert isinstance(ranker, Ranker)
    assert ranker is text_ranker(StructuredRetriever(small), small)


def test_threads_share_one(small: Catalog) -> None:
    with ThreadPoolExecutor(8) as pool:
        found = list(pool.map(lambda _: spoken_ranker(small), range(32)))
    assert all(ranker is found[0] for ranker in found)
