"""Texts, scores and fusion by hand."""

import logging
from collections.abc import Sequence

import numpy as np
import pytest
from numpy.typing import NDArray

from catalogs.catalog import Catalog, build_catalog
from dialogue.acts import Kind, UserAct
from dialogue.state import PreferenceState
from retrieval.build import make_retriever
from retrieval.dense import DenseRanker, FittedEncoder
from retrieval.fusion import FusionRanker, reciprocal_ranks
from retrieval.lexical import LexicalRanker
from retrieval.query import Query, item_text, query_text, state_text, tokens
from retrieval.scoring import by_score, indices
from retrieval.structured import StructuredRetriever
from tests.catalogs.small import MOVIE, row


@pytest.fixture
def films() -> Catalog:
    """In order of familiarity: p, q, r, s."""
    return build_catalog(
        MOVIE,
        [
            row("p", "Heat", "crime|drama", "Al Pacino", "Michael Mann", year=1995, popularity=4),
            row("q", "Alien", "horror", "John Hurt", "Ridley Scott", plot="a crew", popularity=3),
            row("r", "Amélie", "comedy", "Audrey Tautou", "J. Jeunet", popularity=2),
            row("s", "Thief", "crime", "James Caan", "Michael Mann", popularity=1),
        ],
        "films",
    )


def liking(catalog: Catalog, **values: str) -> PreferenceState:
    state = PreferenceState(catalog.domain.n_facets)
    for facet, name in values.items():
        f = catalog.domain.facet_index(facet)
        state.update((UserAct(Kind.LIKE, f, catalog.value_index(f, name)),))
    return state


def ids(catalog: Catalog, found: Sequence[int]) -> str:
    return "".join(catalog.items[i].id for i in found)


def test_texts(films: Catalog) -> None:
    state = liking(films, director="Michael Mann", genre="crime")
    assert state_text(state, films) == "crime, Michael Mann"
    horror, drama = (films.value_index(0, name) for name in ("horror", "drama"))
    state.update((UserAct(Kind.VAGUE, 0, drama, horror), UserAct(Kind.DISLIKE, 1, 0)))
    assert state_text(state, films).split(", ")[:2] == ["crime", "Michael Mann"]
    assert set(state_text(state, films).split(", ")[2:]) == {"drama", "horror"}
    assert query_text(Query(state, "a thriller"), films) == "a thriller"
    assert query_text(Query(state, " "), films) == state_text(state, films)
    assert query_text(Query(None, ""), films) == ""
    text = item_text(films.item("q"), films)
    assert text.count("Alien") == text.count("Ridley Scott") == 2
    assert text.endswith("a crew")
    assert "1995" in item_text(films.item("p"), films)


def test_tokens() -> None:
    assert tokens("Amélie's  SCI-FI, 2001!") == ["amelie", "s", "sci", "fi", "2001"]
    assert tokens("?! \n") == []


def test_indices() -> None:
    for bits in (0, 1, 0b1011, 1 << 8, (1 << 77) | 5):
        assert indices(bits).tolist() == [i for i in range(80) if bits >> i & 1]


def test_ties_go_to_the_more_familiar_even_with_rounding_noise() -> None:
    scores = np.array([0.5, 0.9, 0.5 + 1e-9, 0.9 - 1e-9, 0.1])
    assert by_score(scores, 0b11111, 5) == [1, 3, 0, 2, 4]
    assert by_score(scores, 0b11101, 2) == [3, 0]
    assert by_score(scores, 0b11111, 2, decimals=12) == [1, 3]
    assert by_score(scores, 0b00101, 2, decimals=12) == [2, 0]
    assert by_score(scores, 0, 3) == []
    assert by_score(np.zeros(500), (1 << 500) - 1, 500) == list(range(500))


def test_lexical(
    films: Catalog, capsys: pytest.CaptureFixture[str], caplog: pytest.LogCaptureFixture
) -> None:
    ranker = LexicalRanker(films)
    with caplog.at_level(logging.DEBUG):
        assert ids(films, ranker.rank(Query(None, "michael mann thief"), 4)) == "spqr"
    assert caplog.records == []
    assert ids(films, ranker.rank(Query(None, "AMELIE, please"), 2)) == "rp"
    assert ids(films, ranker.rank(Query(liking(films, star="John Hurt")), 2)) == "qp"
    assert ids(films, ranker.rank(Query(None, "crew 1995"), 4, exclude=1)) == "qrs"
    assert ranker.scores("nothing known").tolist() == [0.0] * 4
    output = capsys.readouterr()
    assert output.out == output.err == ""  # no progress bar


def test_dense(films: Catalog) -> None:
    ranker = DenseRanker(films)
    scores = ranker.scores("michael mann crime")
    assert np.all(np.abs(scores) <= 1 + 1e-6)
    assert set(ids(films, ranker.rank(Query(None, "michael mann crime"), 2))) == {"p", "s"}
    assert ids(films, ranker.rank(Query(None, "audrey tautou"), 1)) == "r"
    assert ranker.scores("nothing known").tolist() == [0.0] * 4


@pytest.mark.parametrize("kind", ["lexical", "dense", "fusion"])
def test_a_catalogue_without_a_word(kind: str) -> None:
    catalog = build_catalog(MOVIE, [row(i, "?!", "", "", "") for i in "ab"], "signs")
    assert make_retriever(catalog, kind).rank(Query(None, "what"), 2, 0) == [0, 1]


def test_fitted_encoder_is_reproducible_and_small() -> None:
    texts = [f"word{i} word{i % 7} common" for i in range(40)]
    vectors = FittedEncoder(texts, dimensions=5, seed=3).encode(texts)
    assert vectors.shape == (40, 5)
    assert vectors.dtype == np.float32
    assert np.array_equal(vectors, FittedEncoder(texts, dimensions=5, seed=3).encode(texts))
    assert FittedEncoder(["a b"] * 3).encode(["a", "zzz"]).tolist()[1] == [0.0] * 2
    assert FittedEncoder(["?!"]).encode(["a"]).tolist() == [[0.0]]
    with pytest.raises(ValueError, match="0 dimensions"):
        FittedEncoder(texts, dimensions=0)
    with pytest.raises(ValueError, match="0 texts"):
        FittedEncoder([])


class Lengths:
    """An encoder that knows nothing but a text's length."""

    def __init__(self, finite: bool = True, rows: int | None = None) -> None:
        self.finite = finite
        self.rows = rows
        self.calls = 0

    def encode(self, texts: Sequence[str]) -> NDArray[np.float32]:
        self.calls += 1
        fill = 1.0 if self.finite else np.nan
        vectors = np.array([[len(text), fill] for text in texts], dtype=np.float32)
        return vectors[: self.rows]


def test_an_encoder_of_ones_own(films: Catalog) -> None:
    encoder = Lengths()
    ranker = DenseRanker(films, encoder)
    first = ranker.rank(Query(None, "x"), 4)
    texts = [item_text(item, films) for item in films.items]
    assert first == sorted(range(4), key=lambda i: len(texts[i]))
    ranker.rank(Query(None, "y"), 4)
    assert encoder.calls == 3  # the items once, each query once


@pytest.mark.parametrize("encoder", [Lengths(finite=False), Lengths(rows=2)])
def test_an_encoder_that_fails(films: Catalog, encoder: Lengths) -> None:
    with pytest.raises(ValueError, match=r"the encoder Lengths gave .* for 4 texts; it must give"):
        DenseRanker(films, encoder).rank(Query(None, "x"), 4)


def test_reciprocal_ranks() -> None:
    scores = reciprocal_ranks([[2, 0], [2, 1]], 4, k=60)
    assert scores == pytest.approx([1 / 62, 1 / 62, 2 / 61, 0.0])


class Fixed:
    """A ranker with one opinion."""

    def __init__(self, *order: int) -> None:
        self.order = order

    def rank(self, query: Query, count: int, exclude: int = 0) -> list[int]:
        return [i for i in self.order if not exclude >> i & 1][:count]


def test_fusion_alone(films: Catalog) -> None:
    fused = FusionRanker(films, [Fixed(3, 2, 1, 0), Fixed(3, 1, 2, 0)])
    assert fused.rank(Query(None), 4) == [3, 1, 2, 0]
    assert fused.rank(Query(None), 2, exclude=0b1000) == [1, 2]
    with pytest.raises(ValueError, match="fusion of 0 rankers"):
        FusionRanker(films, [])


def test_fusion_breaks_ties_inside_tiers(films: Catalog) -> None:
    """Constraints come first; the fused order decides where they are silent."""
    fused = FusionRanker(films, [Fixed(1, 3, 2, 0)], StructuredRetriever(films))
    crime = liking(films, genre="crime")
    assert fused.rank(Query(crime), 4) == [3, 0, 1, 2]
    assert fused.rank(Query(crime), 1, exclude=0b1000) == [0]
    assert fused.rank(Query(None), 4) == [1, 3, 2, 0]
    caan = films.value_index(1, "James Caan")
    crime.update((UserAct(Kind.REJECT, 1, caan, 3),))  # a doubt outranks the fused order
    assert fused.rank(Query(crime), 4) == [0, 3, 1, 2]
