"""Encoders by name, and the one behind an endpoint."""

import threading
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from catalogs.catalog import Catalog
from envs import worlds
from envs.worlds import open_world
from language.llm.roles import Roles
from retrieval.build import make_retriever
from retrieval.dense import DenseRanker, EncoderError, FittedEncoder
from retrieval.encoders import check_encoder, make_encoder
from retrieval.query import Query, item_text
from retrieval.remote import BATCH, CHARACTERS, OpenAIEncoder
from retrieval.vector_cache import CachedEncoder
from tests.small_world import films as small_films

Vectors = NDArray[np.float32]


@pytest.fixture(scope="module")
def films() -> Catalog:
    catalog = small_films()
    catalog.origin = {"name": "custom", "items": "films.csv"}
    return catalog


@pytest.fixture(scope="module")
def fitted(films: Catalog) -> FittedEncoder:
    return FittedEncoder([item_text(item, films) for item in films.items])


class FakeRoles:
    """Answers as the embedded encoder does."""

    def __init__(self, fitted: FittedEncoder) -> None:
        self.fitted = fitted
        self.requests: list[int] = []
        self.inputs: list[dict[str, Any]] = []

    def embed(self, texts: Sequence[str], inputs: Callable[[], dict[str, Any]]) -> Vectors:
        self.requests.append(len(texts))
        self.inputs.append(inputs())
        return self.fitted.encode(texts)


@pytest.mark.parametrize("kind", ["dense", "fusion"])
def test_a_model_with_the_same_vectors_ranks_the_same(
    films: Catalog, fitted: FittedEncoder, kind: str, tmp_path: Path
) -> None:
    roles = FakeRoles(fitted)
    encoder = make_encoder("openai", films, roles=roles, model="m", cache_dir=tmp_path)
    own = make_retriever(films, kind)
    remote = make_retriever(films, kind, encoder=encoder)
    for text in ("a thriller", films.items[3].title, "zzz"):
        query = Query(None, text)
        assert remote.rank(query, 20, 0) == own.rank(query, 20, 0)
    assert roles.inputs == [{"catalog": films.origin}] * len(roles.requests)
    calls = len(roles.requests)
    again = make_encoder("openai", films, roles=roles, model="m", cache_dir=tmp_path)
    retriever = make_retriever(films, kind, encoder=again)
    assert retriever.rank(Query(None, "zzz"), 20, 0) == own.rank(Query(None, "zzz"), 20, 0)
    assert len(roles.requests) == calls


def test_texts_are_sent_in_batches(films: Catalog, fitted: FittedEncoder) -> None:
    roles = FakeRoles(fitted)
    texts = [f"{item.title} {i}" for i in range(30) for item in films.items][: 2 * BATCH + 7]
    vectors = OpenAIEncoder(films, roles).encode(texts)
    assert roles.requests == [BATCH, BATCH, 7]
    long = ["a" * (CHARACTERS // 2), "b" * (CHARACTERS // 2), "c", "d" * CHARACTERS, "e"]
    OpenAIEncoder(films, roles).encode(long)
    assert roles.requests[3:] == [2, 1, 1, 1]
    assert np.array_equal(vectors, roles.fitted.encode(texts))
    assert OpenAIEncoder(films, roles).encode([]).shape == (0, 0)
    assert len(roles.requests) == 7


class Answers:
    """Roles that answer one array after another."""

    def __init__(self, *answers: Vectors) -> None:
        self.answers = list(answers)

    def embed(self, texts: Sequence[str], inputs: Callable[[], dict[str, Any]]) -> Vectors:
        return self.answers.pop(0)


def test_wrong_answers_of_an_endpoint(films: Catalog) -> None:
    few = Answers(np.zeros((1, 3), dtype=np.float32))
    with pytest.raises(EncoderError, match=r"shape \(1, 3\) for 2 texts"):
        OpenAIEncoder(films, few).encode(["a", "b"])
    two = Answers(np.zeros((BATCH, 3), dtype=np.float32), np.zeros((1, 4), dtype=np.float32))
    with pytest.raises(EncoderError, match=r"\[3, 4\].*more than one model"):
        OpenAIEncoder(films, two).encode(["a"] * (BATCH + 1))


def test_kinds(films: Catalog, fitted: FittedEncoder, tmp_path: Path) -> None:
    roles = FakeRoles(fitted)
    assert make_encoder("embedded", films) is None
    kept = make_encoder("openai", films, roles=roles, model="at m", cache_dir=tmp_path)
    assert isinstance(kept, CachedEncoder)
    assert kept.identity == "openai at m"
    assert kept.path.parent == tmp_path
    assert isinstance(make_encoder("openai", films, roles=roles, cached=False), OpenAIEncoder)
    with pytest.raises(EncoderError, match="name it"):
        make_encoder("openai", films, roles=roles)
    with pytest.raises(EncoderError, match=r"llm\.roles\.embed\.backend=openai"):
        make_encoder("openai", films)


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        ("open_ai", "did you mean 'openai'"),
        ("MiniLM-L6", "did you mean 'minilm'"),
        ("xyz", "no encoder 'xyz' .there are embedded, openai, minilm"),
    ],
)
def test_a_wrong_name_gets_the_nearest_right_one(films: Catalog, wrong: str, message: str) -> None:
    for attempt in (
        lambda: make_encoder(wrong, films),
        lambda: check_encoder(wrong, "dense"),
        lambda: open_world("redial", encoder=wrong, retrieval="dense"),
    ):
        with pytest.raises(ValueError, match=message):
            attempt()


@pytest.mark.parametrize("retrieval", ["structured", "lexical"])
def test_an_encoder_without_effect_is_refused(retrieval: str) -> None:
    check_encoder("embedded", retrieval)
    check_encoder("minilm", "dense")
    with pytest.raises(EncoderError, match=rf"minilm has no effect on {retrieval} retrieval"):
        open_world("redial", encoder="minilm", retrieval=retrieval)


class TestWorlds:
    """``open_world`` with an encoder; nothing is sent, the roles are scripted."""

    @pytest.fixture(autouse=True)
    def _scripted(
        self, monkeypatch: pytest.MonkeyPatch, tmp_path: Path, fitted: FittedEncoder
    ) -> None:
        self.opened: list[Mapping[str, Any] | None] = []
        self.roles: list[FakeRoles] = []

        def open_roles(settings: Mapping[str, Any] | None) -> FakeRoles:
            self.opened.append(settings)
            self.roles.append(FakeRoles(fitted))
            return self.roles[-1]

        monkeypatch.setattr("language.llm.roles.open_roles", open_roles)
        monkeypatch.setattr(worlds, "_WORLDS", {})
        monkeypatch.setenv("CRS_CACHE", str(tmp_path))
        self.cache = tmp_path

    def open(self, **llm: Any) -> Any:
        return open_world(
            "redial", data_dir="/nowhere", retrieval="dense", encoder="openai", llm=llm
        )

    def test_vectors_of_a_model_are_kept_by_address_and_model(self) -> None:
        world = self.open(backend="openai", base_url="http://a/v1")
        assert self.opened == []  # nothing is opened or encoded before it is needed
        world.retriever.rank(Query(None, "x"), 1, 0)
        assert self.roles[0].requests
        assert self.opened[0] == {"backend": "openai", "base_url": "http://a/v1"}
        assert self.open(base_url="http://a/v1", backend="openai") is world
        other = self.open(backend="openai", base_url="http://b/v1")
        assert other is not world
        other.retriever.rank(Query(None, "x"), 1, 0)
        assert len(list((self.cache / "vectors").iterdir())) == 2

    @pytest.mark.parametrize(
        "llm",
        [
            {"backend": "server"},
            {"backend": "openai", "record": "calls.jsonl"},
            {"backend": "openai", "replay": "calls.jsonl"},
        ],
    )
    def test_where_vectors_are_not_kept(self, llm: dict[str, Any]) -> None:
        self.open(**llm).retriever.rank(Query(None, "x"), 1, 0)
        assert self.roles[0].requests
        assert not (self.cache / "vectors").exists()

    def test_without_a_model_for_the_role(self) -> None:
        with pytest.raises(EncoderError, match="needs a model for the role embed"):
            self.open()
        assert self.opened == []

    def test_a_world_outlives_an_opening_of_the_roles(self) -> None:
        world = self.open(backend="server")
        world.retriever.rank(Query(None, "x"), 1, 0)
        before = len(self.roles)
        world.retriever.rank(Query(None, "y"), 1, 0)
        assert len(self.roles) > before  # asked for anew, as after a closing

    def test_other_encoders_open_no_roles(self) -> None:
        def plain(llm: Mapping[str, Any] | None) -> Any:
            return open_world("redial", data_dir="/nowhere", retrieval="dense", llm=llm)

        assert plain({"backend": "openai"}) is plain(None)
        assert self.opened == []


def test_what_is_asked_for_together_is_one_request(films: Catalog) -> None:
    """Or an index that is being built could wait for threads which wait for it (see there)."""
    roles = Roles({"backend": "openai", "concurrency": 1})
    sizes: list[int] = []

    def embed(request: Any) -> list[Vectors]:
        assert threading.current_thread() is threading.main_thread()
        sizes.append(len(request.texts))
        return [np.zeros(2, dtype=np.float32) for _ in request.texts]

    roles._transport.embed = embed  # type: ignore[method-assign]
    texts = [f"{i} " + "x" * 2000 for i in range(3 * BATCH)]
    assert OpenAIEncoder(films, roles).encode(texts).shape == (3 * BATCH, 2)
    assert sum(sizes) == len(texts)
    assert len(sizes) > 3
    roles.close()


class Large:
    """Vectors of numbers whose squares no float32 holds; a query may be shorter than items."""

    def __init__(self, query: int = 2) -> None:
        self._query = query

    def encode(self, texts: Sequence[str]) -> Vectors:
        width = self._query if len(texts) == 1 else 2
        rows = [[3e30 * (i + 1), 1e30][:width] for i in range(len(texts))]
        return np.array(rows, dtype=np.float32)


def test_large_numbers_have_finite_cosines(small: Catalog) -> None:
    scores = DenseRanker(small, Large()).scores("anything")
    assert np.isfinite(scores).all()
    assert scores.max() == pytest.approx(1.0)


def test_a_query_of_another_length_is_explained(small: Catalog) -> None:
    with pytest.raises(EncoderError, match="1 numbers, and the items 2"):
        DenseRanker(small, Large(query=1)).scores("anything")
