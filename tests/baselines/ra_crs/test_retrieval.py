"""Late fusion over passages, and constraints before scores."""

import pytest

from baselines.ra_crs.passages import Passages, passages_of
from baselines.ra_crs.retrieval import constraints_of, met, retrieve
from baselines.ra_crs.settings import RACRSSettings
from baselines.ra_crs.state import Constraint, State, values_of
from baselines.utterances import facet_of
from catalogs.catalog import Catalog, ItemRow, build_catalog
from catalogs.domain import load_domain
from tests.baselines.ra_crs.test_acts import state
from tests.baselines.texts_only import opened
from tests.small_world import index


def tales() -> Catalog:
    def row(key: str, title: str, plot: str) -> ItemRow:
        return ItemRow(key, title, 2000, (("drama",), ("Ada Lind",), ("B. Tash",)), plot)

    return build_catalog(
        load_domain("movie"),
        [
            row("one", "Quiet Hours", "A lighthouse keeper waits. Rain falls. He reads old mail."),
            row("two", "Loud Hours", "A drummer travels. The lighthouse is far. Rain again."),
            row("none", "No Hours", ""),
        ],
        "tales",
    )


def test_passages_are_title_facets_and_sentences() -> None:
    catalog = tales()
    found = passages_of(catalog).best(index(catalog, "one"), "lighthouse rain ada", 3)
    told = {text for score, text in found if score > 0}
    assert told == {"A lighthouse keeper waits.", "Rain falls.", "actor: Ada Lind"}
    assert passages_of(catalog) is passages_of(catalog)


def test_a_score_is_the_mean_of_the_best() -> None:
    catalog = tales()
    passages = Passages(catalog)
    item = index(catalog, "one")
    scores = [score for score, _ in passages.best(item, "lighthouse rain", 9)]
    assert scores == sorted(scores, reverse=True)
    assert passages.score(item, "lighthouse rain", 2) == pytest.approx(sum(scores[:2]) / 2)
    assert passages.score(item, "lighthouse rain", 1) == pytest.approx(scores[0])
    assert passages.score(item, "zebra", 3) == 0
    assert passages.score(index(catalog, "none"), "lighthouse", 1) == 0


def test_a_rare_word_counts_more() -> None:
    catalog = tales()
    passages = Passages(catalog)
    item = index(catalog, "one")
    assert passages.score(item, "keeper", 1) > passages.score(item, "drama", 1) > 0


def wish(facet: str, value: str, wanted: bool = True) -> Constraint:
    return Constraint(facet=facet, value=value, wanted=wanted)


def fit(catalog: Catalog, found: State, key: str) -> float:
    return met(catalog, constraints_of(catalog, found), index(catalog, key))


def test_constraints_met_and_broken(small: Catalog) -> None:
    found = state(
        hard=[
            wish("genre", "thriller"), wish("Genres", "CRIME"), wish("star", "Ada Lind"),
            wish("actors", "Otto Brand"), wish("director", "B. Tash", wanted=False),
        ],
        soft=[wish("genre", "drama"), wish("other", "cosy"), wish("genre", "no such thing")],
    )  # fmt: skip
    assert fit(small, found, "vault") == 2 + 0.5 + 1 - 1
    assert fit(small, found, "harbour") == 2 + 0.5 + 1
    assert fit(small, found, "dust") == 0.5
    assert fit(small, found, "moth") == 0


def test_names_are_read_as_people_write_them(small: Catalog) -> None:
    assert [facet_of(small, name) for name in ("star", "Actor", " actors ", "cast", None)] == [
        1, 1, 1, -1, -1,
    ]  # fmt: skip
    found = values_of(small, [wish("genre", "westerns"), wish("star", "ada lind", wanted=False)])
    assert found == [
        (0, small.value_index(0, "western"), True),
        (1, small.value_index(1, "Ada Lind"), False),
    ]


def test_constraints_come_before_scores(small: Catalog) -> None:
    view = opened(small)
    view.offered = small.works[index(small, "harbour")]
    found = state(hard=[wish("genre", "comedy"), wish("star", "Lee Park")])
    ranking = retrieve(view, found, "thriller, crime, Otto Brand", RACRSSettings())
    assert len(ranking) == len(set(ranking)) == 10
    assert index(small, "harbour") not in ranking
    assert {small.items[item].id for item in ranking[:2]} == {"love", "clown"}
    free = retrieve(view, state(), "thriller, crime, Otto Brand", RACRSSettings())
    assert "Otto Brand" in [small.value(1, v) for v in small.items[free[0]].values[1]]


@pytest.mark.parametrize("familiar", [0.0, 100.0])
def test_familiarity_decides_among_equals(small: Catalog, familiar: float) -> None:
    view = opened(small, "A thriller.")
    ranking = retrieve(view, state(), "Quay Nights", RACRSSettings(familiar=familiar))
    assert (ranking[0] == index(small, "quay")) == (familiar == 0.0)
    assert (list(ranking) == sorted(ranking)) == (familiar > 0.0)
