"""Vectors on disk: found again by anyone, never wrong in silence."""

import sqlite3
import subprocess
import sys
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from pathlib import Path
from threading import Lock

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray

from retrieval import vector_cache
from retrieval.dense import EncoderError
from retrieval.vector_cache import CachedEncoder, key_of, vector_folder

Vectors = NDArray[np.float32]


class Counting:
    """Vectors from a text's letters; counts texts. With ``drift``, no two answers are equal."""

    def __init__(self, drift: bool = False, size: int = 3) -> None:
        self.texts: list[str] = []
        self.drift = drift
        self.size = size
        self._lock = Lock()

    def encode(self, texts: Sequence[str]) -> Vectors:
        with self._lock:
            self.texts.extend(texts)
            shift = len(self.texts) if self.drift else 0
        rows = [[len(t) + shift, *[sum(map(ord, t)) / 7] * (self.size - 1)] for t in texts]
        return np.array(rows, dtype=np.float32)


@given(texts=st.lists(st.text(alphabet=st.characters(), max_size=5), max_size=8))
def test_same_vectors_as_the_encoder_itself(
    texts: list[str], tmp_path_factory: pytest.TempPathFactory
) -> None:
    folder = tmp_path_factory.mktemp("vectors")
    inner = Counting()
    cached = CachedEncoder(inner, folder, "counting 1")
    for _ in range(2):
        found = cached.encode(texts)
        assert len(found) == len(texts)
        if texts:
            assert found.dtype == np.float32
            assert np.array_equal(found, Counting().encode(texts))
    assert sorted(inner.texts) == sorted(set(texts))


def test_another_object_and_another_process_find_them(tmp_path: Path) -> None:
    cached = CachedEncoder(Counting(), tmp_path, "counting 1")
    first = cached.encode(["a", "bb"])
    inner = Counting()
    assert np.array_equal(
        CachedEncoder(inner, tmp_path, "counting 1").encode(["bb", "a"]), first[::-1]
    )
    assert inner.texts == []
    script = (
        "import sys\n"
        "from retrieval.vector_cache import CachedEncoder\n"
        "print(CachedEncoder(None, sys.argv[1], 'counting 1').encode(['a', 'bb']).tolist())\n"
    )
    root = Path(__file__).parents[2]
    done = subprocess.run(
        [sys.executable, "-c", script, str(tmp_path)],
        cwd=root, capture_output=True, text=True, check=True,
    )  # fmt: skip
    assert done.stdout.strip() == str(first.tolist())


def test_identities_do_not_mix(tmp_path: Path) -> None:
    names = ["openai m 1", "openai m-1", "openai m/1", "openai m 2", "OPENAI m 1"]
    for size, identity in enumerate(names, start=1):
        CachedEncoder(Counting(size=size), tmp_path, identity).encode(["a"])
    for size, identity in enumerate(names, start=1):
        inner = Counting()
        assert CachedEncoder(inner, tmp_path, identity).encode(["a"]).shape == (1, size)
        assert inner.texts == []


def test_the_first_to_store_a_vector_decides(tmp_path: Path) -> None:
    """A model whose answers vary gives threads that ask at once, and all later, the same."""
    inner = Counting(drift=True)
    cached = CachedEncoder(inner, tmp_path, "drifting")
    texts = [f"text {i}" for i in range(20)]

    def ask(turn: int) -> Vectors:
        return cached.encode(texts[turn % 5 :] + texts[: turn % 5])

    with ThreadPoolExecutor(8) as pool:
        answers = list(pool.map(ask, range(24)))
    expected = cached.encode(texts)
    for turn, found in enumerate(answers):
        assert np.array_equal(np.roll(expected, -(turn % 5), axis=0), found)


def test_chunks_are_kept_when_a_later_one_fails(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    class Failing(Counting):
        def encode(self, texts: Sequence[str]) -> Vectors:
            if len(self.texts) >= 6:
                raise ConnectionError("gone")
            return super().encode(texts)

    monkeypatch.setattr(vector_cache, "CHUNK", 3)
    texts = [str(i) for i in range(12)]
    with pytest.raises(ConnectionError, match="gone"):
        CachedEncoder(Failing(), tmp_path, "x").encode(texts)
    again = Counting()
    assert np.array_equal(
        CachedEncoder(again, tmp_path, "x").encode(texts), Counting().encode(texts)
    )
    assert len(again.texts) == 6


@given(count=st.integers(0, 900), process=st.integers(1, 1 << 22))
def test_every_key_is_in_one_chunk_wherever_a_process_starts(count: int, process: int) -> None:
    keys = [key_of(str(i)) for i in range(count)]
    chunks = list(vector_cache._shared_out(keys, lambda: process))
    assert sorted(key for chunk in chunks for key in chunk) == sorted(keys)
    assert all(0 < len(chunk) <= vector_cache.CHUNK for chunk in chunks)


def test_processes_that_follow_one_another_start_apart() -> None:
    keys = [key_of(str(i)) for i in range(50 * vector_cache.CHUNK)]
    starts = [
        keys.index(next(vector_cache._shared_out(keys, partial(int, p)))[0]) // vector_cache.CHUNK
        for p in range(100, 104)
    ]
    gaps = [abs(a - b) for i, a in enumerate(starts) for b in starts[:i]]
    assert min(gaps) >= 5


def overwrite(path: Path, at: int, raw: bytes) -> None:
    content = bytearray(path.read_bytes())
    content[at : at + len(raw)] = raw
    path.write_bytes(content)


def tear(path: Path) -> None:
    path.write_bytes(path.read_bytes()[:5000])


def flip(path: Path) -> None:
    """Change one bit of one stored vector."""
    with sqlite3.connect(path) as base:
        (raw,) = base.execute("SELECT vector FROM vectors LIMIT 1").fetchone()
    base.close()
    overwrite(path, path.read_bytes().index(raw), bytes([raw[0] ^ 1]))


def shorten(path: Path) -> None:
    with sqlite3.connect(path) as base:
        base.execute("UPDATE vectors SET vector = substr(vector, 1, 8)")
    base.close()


def no_database(path: Path) -> None:
    path.write_text("not a database, but long enough to be taken for one" * 30, encoding="utf-8")


@pytest.mark.parametrize("damage", [tear, flip, shorten, no_database])
def test_a_damaged_file_is_named_with_its_remedy(
    tmp_path: Path, damage: Callable[[Path], None]
) -> None:
    texts = [str(i) for i in range(300)]
    cached = CachedEncoder(Counting(size=32), tmp_path, "x")
    cached.encode(texts)
    damage(cached.path)
    with pytest.raises(EncoderError, match="damaged") as caught:
        cached.encode(texts)
    assert str(cached.path) in str(caught.value)
    assert "delete the file" in str(caught.value)
    cached.path.unlink()
    assert len(cached.encode(texts)) == 300


def test_vectors_of_several_lengths_in_one_file(tmp_path: Path) -> None:
    CachedEncoder(Counting(size=2), tmp_path, "x").encode(["a"])
    with pytest.raises(EncoderError, match="differ in length"):
        CachedEncoder(Counting(size=3), tmp_path, "x").encode(["a", "b"])


@pytest.mark.parametrize(
    "answer", [np.zeros((1, 3)), np.zeros(2), np.full((2, 3), np.nan)], ids=["few", "flat", "nan"]
)
def test_nothing_wrong_is_stored(tmp_path: Path, answer: Vectors) -> None:
    class Wrong:
        def encode(self, texts: Sequence[str]) -> Vectors:
            return answer

    with pytest.raises(EncoderError, match=r"x gave an array of shape .* for 2 texts"):
        CachedEncoder(Wrong(), tmp_path, "x").encode(["a", "b"])
    inner = Counting()
    CachedEncoder(inner, tmp_path, "x").encode(["a", "b"])
    assert inner.texts == ["a", "b"]


def test_a_folder_that_cannot_be(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("", encoding="utf-8")
    with pytest.raises(EncoderError, match="set CRS_CACHE"):
        CachedEncoder(Counting(), tmp_path / "file" / "deeper", "x").encode(["a"])
    folder = tmp_path / "folder"
    cached = CachedEncoder(Counting(), folder, "x")
    cached.path.mkdir(parents=True)
    with pytest.raises(EncoderError, match="cannot be used"):
        cached.encode(["a"])


def test_where_vectors_are_kept(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("CRS_CACHE", str(tmp_path))
    assert vector_folder() == tmp_path / "vectors"
    assert CachedEncoder(Counting(), None, "x").path.parent == tmp_path / "vectors"
    monkeypatch.setenv("CRS_CACHE", " ")
    assert vector_folder() == Path.home() / ".cache" / "crsgym" / "vectors"


def test_a_long_wait_is_announced(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setattr(vector_cache, "NOTICE", 5)
    cached = CachedEncoder(Counting(), tmp_path, "x")
    cached.encode(["a"])
    assert caplog.records == []
    cached.encode(list("abcdef"))
    assert "encoding 5 texts (x)" in caplog.text
    assert str(cached.path) in caplog.text
    cached.encode(list("abcdef"))
    assert len(caplog.records) == 1
