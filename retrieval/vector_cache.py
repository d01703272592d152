"""Vectors on disk, so that a text is encoded once by a model, whatever the process."""

from __future__ import annotations

import hashlib
import logging
import os
import re
import sqlite3
import zlib
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import closing, contextmanager
from pathlib import Path

import numpy as np

from retrieval.dense import Encoder, EncoderError, Vectors

CHUNK = 128
"""Texts that are encoded and stored together: what an interruption loses at most."""

NOTICE = 1000
"""Texts from which on a waiting user is told what is being done."""

WAIT_S = 60.0
"""Longest wait for another process that is storing vectors."""

_LOG = logging.getLogger(__name__)
_LAYOUT = """
CREATE TABLE IF NOT EXISTS vectors (
    text BLOB PRIMARY KEY, vector BLOB NOT NULL, checksum INTEGER NOT NULL
)
"""


def vector_folder() -> Path:
    """Where vectors are kept: ``vectors`` below ``CRS_CACHE``, else below ``~/.cache/crsgym``."""
    root = os.environ.get("CRS_CACHE", "").strip() or "~/.cache/crsgym"
    return Path(root).expanduser() / "vectors"


class CachedEncoder:
    """An encoder whose vectors are kept in an SQLite file, one file an identity.

    A text's vector is found by the SHA-256 of the text. Threads and processes share the file. Of
    two that encode a text at the same time, the first to store it decides and both use what is
    stored, so that a model whose answers vary in their last digits still gives every process the
    same ranking. A damaged file is an error and not rebuilt in silence: its vectors may have been
    paid for, and others may be using it.

    Args:
        encoder: Encodes what is not there yet.
        folder: Folder of the files, made when first needed; default: :func:`vector_folder`.
        identity: What determines an encoder's vectors: its kind, model and version.
    """

    def __init__(self, encoder: Encoder, folder: str | Path | None, identity: str) -> None:
        self.encoder = encoder
        self.identity = identity
        place = vector_folder() if folder is None else Path(folder).expanduser()
        # The name is for people; the digest keeps apart what looks alike in it.
        name = re.sub(r"[^A-Za-z0-9.]+", "-", identity).strip("-")[:60]
        digest = hashlib.sha256(identity.encode()).hexdigest()[:12]
        self.path = place / f"{name}-{digest}.sqlite"

    def encode(self, texts: Sequence[str]) -> Vectors:
        """Vectors of shape (len(texts), D), from the file where they are in it.

        Raises:
            EncoderError: The file is damaged or cannot be used, or the encoder gave something else
                than one finite vector a text. The message names the file and the remedy.
        """
        if not texts:
            return np.zeros((0, 0), dtype=np.float32)
        wanted = {key_of(text): text for text in texts}
        found = self._read(list(wanted))
        missing = [key for key in wanted if key not in found]
        if len(missing) >= NOTICE:
            _LOG.warning(
                "encoding %d texts (%s); this is done once, then they are in %s",
                len(missing), self.identity, self.path,
            )  # fmt: skip
        for keys in _shared_out(missing):
            stored = self._read(keys)  # another process may have been here
            found |= stored
            if rest := {key: wanted[key] for key in keys if key not in stored}:
                found |= self._encode(rest)
        if len({len(vector) for vector in found.values()}) > 1:
            raise self._damaged("its vectors differ in length")
        return np.stack([found[key_of(text)] for text in texts])

    def _encode(self, texts: Mapping[bytes, str]) -> dict[bytes, Vectors]:
        """Encode and store; returns what the file then holds."""
        made = np.asarray(self.encoder.encode(list(texts.values())), dtype="<f4")
        if made.ndim != 2 or len(made) != len(texts) or not np.isfinite(made).all():
            raise EncoderError(
                f"{self.identity} gave an array of shape {made.shape} for {len(texts)} texts; it "
                f"must give one finite vector each; nothing of it was stored"
            )
        rows = [
            (key, raw, zlib.crc32(raw))
            for key, raw in zip(texts, map(np.ndarray.tobytes, made), strict=True)
        ]
        with self._opened() as base:
            base.executemany("INSERT OR IGNORE INTO vectors VALUES (?, ?, ?)", rows)
        return self._read(list(texts))

    def _read(self, keys: Sequence[bytes]) -> dict[bytes, Vectors]:
        found: dict[bytes, Vectors] = {}
        if not keys:
            return found
        with self._opened() as base:
            for key in keys:
                row = base.execute(
                    "SELECT vector, checksum FROM vectors WHERE text = ?", (key,)
                ).fetchone()
                if row is not None:
                    found[key] = self._vector(*row)
        return found

    def _vector(self, raw: object, checksum: object) -> Vectors:
        if not isinstance(raw, bytes) or not raw or len(raw) % 4 or zlib.crc32(raw) != checksum:
            raise self._damaged("a vector does not match its checksum")
        return np.frombuffer(raw, dtype="<f4").astype(np.float32, copy=False)

    @contextmanager
    def _opened(self) -> Iterator[sqlite3.Connection]:
        """The file in one transaction.

        Opened for each piece of work: a connection serves neither several threads at once nor a
        forked process, and opening takes far less than encoding.
        """
        try:
            self.path.parent.mkdir(parents=True, exist_ok=True)
            with closing(sqlite3.connect(self.path, timeout=WAIT_S)) as base, base:
                base.execute(_LAYOUT)
                yield base
        except sqlite3.OperationalError as error:
            raise EncoderError(
                f"the vectors in {self.path} cannot be used ({error}); see that the folder can be "
                f"written and nothing else holds the file, or set CRS_CACHE to another folder"
            ) from error
        except sqlite3.DatabaseError as error:
            raise self._damaged(str(error)) from error
        except OSError as error:
            raise EncoderError(
                f"vectors cannot be kept in {self.path.parent} ({error.strerror}); set CRS_CACHE "
                f"to a folder that can be written"
            ) from error

    def _damaged(self, why: str) -> EncoderError:
        return EncoderError(
            f"the stored vectors in {self.path} are damaged ({why}); delete the file, and its "
            f"vectors are made again when they are needed"
        )


def key_of(text: str) -> bytes:
    """By what a text's vector is found; text that is no Unicode (lone surrogates) has a key too."""
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).digest()


def _shared_out(
    keys: Sequence[bytes], start: Callable[[], int] = os.getpid
) -> Iterator[list[bytes]]:
    """The keys in chunks, from a place that differs from process to process.

    Workers that start together on an empty file so share its filling instead of all doing all.
    """
    chunks = [list(keys[at : at + CHUNK]) for at in range(0, len(keys), CHUNK)]
    # Multiplication by the golden ratio spreads numbers that follow one another (Knuth).
    first = (start() * 2654435769 % 2**32) * len(chunks) >> 32
    yield from chunks[first:]
    yield from chunks[:first]
