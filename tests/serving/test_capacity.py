"""Latency, capacity and what happens beyond it; coarse, for machines are busy."""

from __future__ import annotations

import threading
import time
from collections import Counter
from concurrent.futures import ThreadPoolExecutor

from envs.world import World
from serving.background import running
from serving.settings import ServingSettings
from tests.serving.asking import ORIGIN, WORLD, Endpoint, endpoint, track_inputs


def seconds(served: Endpoint) -> float:
    begun = time.monotonic()
    assert served.chat("track", track_inputs()).status_code == 200
    return time.monotonic() - begun


def statuses(served: Endpoint, count: int) -> Counter[int]:
    with ThreadPoolExecutor(count) as pool:
        asked = [pool.submit(served.chat, "track", track_inputs()) for _ in range(count)]
        return Counter(each.result().status_code for each in asked)


def test_an_answer_takes_as_long_as_the_latency() -> None:
    with endpoint(ServingSettings(latency_s=0.2)) as served:
        seconds(served)
        assert 0.199 <= min(seconds(served) for _ in range(3)) < 0.3


def test_jitter_spreads_the_latency() -> None:
    with endpoint(ServingSettings(latency_s=0.05, jitter=1.0, seed=1)) as served:
        taken = [seconds(served) for _ in range(12)]
    assert min(taken) < 0.045
    assert max(taken) > 0.055


def test_requests_wait_at_the_same_time() -> None:
    with endpoint(ServingSettings(latency_s=0.3)) as served:
        begun = time.monotonic()
        assert statuses(served, 12) == {200: 12}
        assert time.monotonic() - begun < 1.5
        assert served.stats()["peak"] > 6


def test_beyond_the_capacity_requests_wait() -> None:
    with endpoint(ServingSettings(latency_s=0.1, capacity=2)) as served:
        begun = time.monotonic()
        assert statuses(served, 8) == {200: 8}
        assert time.monotonic() - begun >= 0.4
        stats = served.stats()
    assert stats["peak"] == 2
    assert 1 <= stats["peak_waiting"] <= 6
    assert stats["full"] == 0


def test_beyond_the_capacity_requests_are_turned_away() -> None:
    settings = ServingSettings(latency_s=0.6, capacity=2, when_full="reject")
    with endpoint(settings) as served:
        found = statuses(served, 6)
        stats = served.stats()
        assert served.chat("track", track_inputs()).status_code == 200
    assert found == {200: 2, 429: 4}
    assert stats["full"] == 4
    assert stats["faults"] == {}, "nothing was injected"
    assert stats["peak"] == 2


def test_a_world_is_opened_once_however_many_ask() -> None:
    opened = []

    def worlds(origin: object) -> World:
        opened.append((origin, threading.current_thread().name))
        time.sleep(0.2)
        return WORLD

    with running(worlds=worlds) as base_url:
        served = Endpoint(base_url)
        assert statuses(served, 8) == {200: 8}
        begun = time.monotonic()
        served.chat("track", track_inputs(catalog={**ORIGIN, "name": "another"}))
        assert time.monotonic() - begun >= 0.2
        served.client.close()
    assert [origin for origin, _ in opened] == [ORIGIN, {**ORIGIN, "name": "another"}]
    assert "serving" not in {name for _, name in opened}, "the event loop must not wait for it"


def test_other_requests_are_answered_while_a_world_is_opened() -> None:
    go_on = threading.Event()

    def worlds(origin: object) -> World:
        go_on.wait(10)
        return WORLD

    with running(worlds=worlds) as base_url, ThreadPoolExecutor(1) as pool:
        served = Endpoint(base_url)
        opening = pool.submit(served.chat, "track", track_inputs())
        while not served.stats()["serving"]:
            time.sleep(0.01)
        assert served.client.get(served.root + "/health").status_code == 200
        assert not opening.done()
        go_on.set()
        assert opening.result(10).status_code == 200
        served.client.close()
