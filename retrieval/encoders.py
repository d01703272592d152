"""Encoders of dense retrieval by name."""

from __future__ import annotations

from pathlib import Path
from typing import Literal, get_args

from catalogs.catalog import Catalog
from catalogs.nearest import nearest_hint
from retrieval.dense import Encoder, EncoderError
from retrieval.minilm import MiniLMEncoder
from retrieval.remote import Embedder, OpenAIEncoder
from retrieval.vector_cache import CachedEncoder

EncoderKind = Literal["embedded", "openai", "minilm"]

ENCODED = ("dense", "fusion")
"""Kinds of retrieval that use an encoder."""


def make_encoder(
    kind: str,
    catalog: Catalog,
    *,
    roles: Embedder | None = None,
    model: str | None = None,
    cache_dir: str | Path | None = None,
    cached: bool = True,
) -> Encoder | None:
    """Build an encoder by its name.

    Args:
        kind: ``embedded`` (TF-IDF reduced by an SVD, fitted to the catalogue), ``openai`` (a model
            behind an OpenAI-compatible endpoint) or ``minilm`` (all-MiniLM-L6-v2 on this machine).
        catalog: The items.
        roles: For ``openai``: what makes the calls.
        model: For ``openai``: address and name of the model, by which its vectors are kept.
        cache_dir: Folder of kept vectors; default: ``vector_cache.vector_folder()``.
        cached: Whether the vectors of ``openai`` and ``minilm`` are kept on disk. Not where they
            depend on more than text and model, or where each call must be seen (a recording).

    Returns:
        The encoder; None for ``embedded``, which ``DenseRanker`` fits by itself.

    Raises:
        EncoderError: The kind is unknown, or what it needs is missing.
    """
    _check_kind(kind)
    if kind == "embedded":
        return None
    if kind == "minilm":
        local = MiniLMEncoder()
        return CachedEncoder(local, cache_dir, local.identity) if cached else local
    if roles is None:
        raise EncoderError(
            "the encoder openai needs a model for the role embed: set llm=openai, or only "
            "llm.roles.embed.backend=openai"
        )
    remote = OpenAIEncoder(catalog, roles)
    if not cached:
        return remote
    if not model:
        raise EncoderError("vectors of the encoder openai are kept by their model; name it")
    return CachedEncoder(remote, cache_dir, f"openai {model}")


def check_encoder(kind: str, retrieval: str) -> None:
    """Refuse an encoder that is unknown, or that the kind of retrieval would ignore.

    Raises:
        EncoderError: Says which, and what to choose.
    """
    _check_kind(kind)
    if kind != "embedded" and retrieval not in ENCODED:
        raise EncoderError(
            f"the encoder {kind} has no effect on {retrieval} retrieval; choose "
            f"{' or '.join(ENCODED)} retrieval, or leave the encoder out"
        )


def _check_kind(kind: str) -> None:
    known = get_args(EncoderKind)
    if kind not in known:
        hint = nearest_hint(kind, known, cutoff=0.4)
        raise EncoderError(f"no encoder {kind!r}{hint} (there are {', '.join(known)})")
