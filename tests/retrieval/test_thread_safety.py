"""Many threads over one world: everything is built once, and nobody's results change."""

import copy
import pickle
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from threading import Barrier
from typing import Any, TypeVar

import numpy as np
import pytest
from numpy.typing import NDArray
from threadpoolctl import threadpool_info  # type: ignore[import-untyped]

from catalogs.catalog import Catalog
from catalogs.sources import open_catalog
from dialogue.view import DialogueView
from envs import world as world_module
from envs import worlds
from envs.crs import CRSEnv
from envs.worlds import open_world
from retrieval.build import make_retriever
from retrieval.dense import DenseRanker
from retrieval.lexical import LexicalRanker
from retrieval.once import Once
from retrieval.one_thread import one_thread
from retrieval.query import Query
from tests.small_world import films as small_films

T = TypeVar("T")
THREADS = 8


@pytest.fixture(autouse=True)
def _many_switches() -> Iterator[None]:
    """Threads take turns after microseconds, so that a race has many chances to show."""
    before = sys.getswitchinterval()
    sys.setswitchinterval(1e-5)
    yield
    sys.setswitchinterval(before)


@pytest.fixture(scope="module")
def films() -> Catalog:
    return small_films()


def at_once(work: Callable[[int], T], threads: int = THREADS) -> list[T]:
    """Results of ``work(i)`` of threads that start together."""
    start = Barrier(threads)

    def run(i: int) -> T:
        start.wait()
        return work(i)

    with ThreadPoolExecutor(threads) as pool:
        return list(pool.map(run, range(threads)))


def test_once_builds_once() -> None:
    built: list[object] = []

    def build() -> object:
        time.sleep(0.02)
        built.append(object())
        return built[-1]

    once = Once(build)
    assert at_once(lambda _: once.get()) == built * THREADS
    none: list[int] = []
    empty = Once(lambda: none.append(1))
    assert empty.get() is None
    assert empty.get() is None
    assert none == [1]


def test_a_failed_building_is_tried_again() -> None:
    attempts: list[int] = []

    def build() -> str:
        attempts.append(1)
        if len(attempts) < 3:
            raise ConnectionError("not yet")
        return "built"

    once = Once(build)
    for _ in range(2):
        with pytest.raises(ConnectionError, match="not yet"):
            once.get()
    assert (once.get(), once.get(), len(attempts)) == ("built", "built", 3)


class Slow:
    """An encoder that counts its calls and takes long for many texts."""

    def __init__(self) -> None:
        self.sizes: list[int] = []

    def encode(self, texts: Sequence[str]) -> NDArray[np.float32]:
        self.sizes.append(len(texts))
        if len(texts) > 1:
            time.sleep(0.05)
        return np.array([[len(text), text.count("e") + 1] for text in texts], dtype=np.float32)


def test_items_are_encoded_once(films: Catalog) -> None:
    encoder = Slow()
    ranker = DenseRanker(films, encoder)
    found = at_once(lambda _: ranker.rank(Query(None, "sea"), 5))
    assert found == [DenseRanker(films, Slow()).rank(Query(None, "sea"), 5)] * THREADS
    assert sorted(encoder.sizes) == [1] * THREADS + [len(films)]


def test_a_lexical_index_is_built_once(films: Catalog, monkeypatch: pytest.MonkeyPatch) -> None:
    built: list[int] = []
    build = LexicalRanker._build

    def slowly(self: LexicalRanker) -> Any:
        built.append(1)
        index = build(self)
        time.sleep(0.02)
        return index

    monkeypatch.setattr(LexicalRanker, "_build", slowly)
    words = [item.title for item in films.items[:THREADS]]
    ranker = LexicalRanker(films)
    found = at_once(lambda i: ranker.rank(Query(None, words[i]), 9))
    assert built == [1]
    alone = LexicalRanker(films)
    assert found == [alone.rank(Query(None, word), 9) for word in words]


@pytest.mark.parametrize("kind", ["structured", "lexical", "dense", "fusion"])
def test_rankings_by_view_are_those_of_one_thread(
    films: Catalog, kind: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Even when the caches overflow all the time."""
    monkeypatch.setattr("retrieval.structured.CACHE_SIZE", 3)
    retriever, alone = make_retriever(films, kind), make_retriever(films, kind)

    def walk(ranker: Any, start: int) -> list[Any]:
        view = DialogueView(films, ranker, "acts", 10)
        found = []
        for _ in range(6):
            view.offered |= 1 << (start % 4)
            start += 1
            found.append((ranker.top(view, 3), ranker.best(view), ranker.assess(view)))
        return found

    assert at_once(lambda i: walk(retriever, i)) == [walk(alone, i) for i in range(THREADS)]


def test_copies_work_and_share_no_lock(films: Catalog) -> None:
    ranker = make_retriever(films, "fusion")
    expected = ranker.rank(Query(None, "sea"), 9, 0)
    for twin in (copy.deepcopy(ranker), pickle.loads(pickle.dumps(ranker))):
        assert twin.rank(Query(None, "sea"), 9, 0) == expected
    fresh = copy.deepcopy(make_retriever(films, "fusion"))
    assert fresh.rank(Query(None, "sea"), 9, 0) == expected


def test_a_world_is_opened_once(monkeypatch: pytest.MonkeyPatch) -> None:
    opened: list[str] = []

    def slowly(name: str, **settings: Any) -> Catalog:
        opened.append(name)
        time.sleep(0.05)
        return open_catalog(name, **settings)

    monkeypatch.setattr(worlds, "open_catalog", slowly)
    monkeypatch.setattr(worlds, "_WORLDS", {})
    names = ["redial", "opendialkg_book"]
    found = at_once(lambda i: open_world(names[i % 2], data_dir="/nowhere"))
    assert sorted(opened) == sorted(names)
    assert len({id(world) for world in found}) == 2


def test_only_the_latest_worlds_are_kept(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(worlds, "_WORLDS", {})
    monkeypatch.setattr(worlds, "LIMIT", 2)

    def world(root: str) -> Any:
        return open_world("redial", data_dir=str(tmp_path / root))

    a, b = world("a"), world("b")
    assert world("a") is a
    c = world("c")  # b was asked for longest ago
    assert (world("a"), world("c")) == (a, c)
    assert world("b") is not b


def test_a_world_that_could_not_be_opened_is_tried_again(tmp_path: Path) -> None:
    items = tmp_path / "items.csv"
    for _ in range(2):
        with pytest.raises(ValueError, match=r"items\.csv"):
            open_world("custom", domain="movie", items=str(items))


def test_language_tools_are_built_once(monkeypatch: pytest.MonkeyPatch) -> None:
    built: list[object] = []
    original = world_module.TextTools

    def slowly(catalog: Catalog) -> Any:
        built.append(original(catalog))
        return built[-1]

    monkeypatch.setattr(world_module, "TextTools", slowly)
    monkeypatch.setattr(worlds, "_WORLDS", {})
    world = open_world("redial", data_dir="/nowhere")
    assert at_once(lambda _: world.text) == built * THREADS
    assert len(built) == 1


def dialogue(episode: int) -> list[Any]:
    """What a dialogue shows to its policy, turn by turn."""
    env = CRSEnv(data_dir="/nowhere", retrieval="fusion", split="test")
    observation, info = env.reset(seed=7, options={"episode": episode})
    seen: list[Any] = [observation.tolist(), [e.user_text for e in env.view.exchanges]]
    ended = False
    while not ended:
        legal = np.flatnonzero(info["action_mask"])
        action = legal[(episode + len(seen)) % len(legal)]
        observation, reward, terminated, truncated, info = env.step(action)
        seen.append((observation.tolist(), reward, env.view.exchanges[-1].user_text))
        ended = terminated or truncated
    return seen


def test_dialogues_in_threads_are_those_of_one_thread(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(worlds, "_WORLDS", {})
    together = at_once(dialogue)
    monkeypatch.setattr(worlds, "_WORLDS", {})
    assert together == [dialogue(episode) for episode in range(THREADS)]


def widths() -> set[int]:
    return {lib["num_threads"] for lib in threadpool_info() if lib["internal_api"] == "openblas"}


def test_blocks_of_one_thread_do_not_lift_each_others_limit() -> None:
    before = widths()
    if before == {1}:
        pytest.skip("this machine has one processor, so there is nothing to limit")

    def work(_: int) -> list[set[int]]:
        found = []
        for _ in range(3):
            with one_thread():
                with one_thread():
                    found.append(widths())
                time.sleep(0.001)
                found.append(widths())
        return found

    assert at_once(work) == [[{1}] * 6] * THREADS
    assert widths() == before
