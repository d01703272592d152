"""Things that threads share: made once, told apart by identity, a few remembered."""

import threading
from typing import Any

from catalogs.catalog import Catalog
from catalogs.per_catalog import MOST, PerCatalog
from tests.small_world import films


def test_it_is_made_once_by_however_many_threads() -> None:
    made: list[Catalog] = []

    def make(catalog: Catalog) -> object:
        made.append(catalog)
        return object()

    kept, catalog = PerCatalog(make), films()
    found: list[Any] = []
    threads = [threading.Thread(target=lambda: found.append(kept.of(catalog))) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(made) == 1
    assert len(found) == 8
    assert len(set(map(id, found))) == 1


def test_equal_catalogues_and_other_parts_are_told_apart() -> None:
    kept = PerCatalog(lambda *parts: parts)
    one, other, part = films(), films(), object()
    assert kept.of(one) == (one,)
    assert kept.of(one) is kept.of(one)
    assert kept.of(one) is not kept.of(other)
    assert kept.of(one, part) == (one, part)
    assert kept.of(one, None) is not kept.of(one, part)


def test_the_last_ones_are_remembered() -> None:
    kept = PerCatalog(lambda catalog: object())
    catalogs = [films() for _ in range(MOST + 1)]
    first = kept.of(catalogs[0])
    second = kept.of(catalogs[1])
    for catalog in catalogs[2:]:
        kept.of(catalog)
    assert kept.of(catalogs[1]) is second
    assert kept.of(catalogs[0]) is not first
