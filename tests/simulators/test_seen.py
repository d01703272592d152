"""Seen items: popular ones more often, the rate on average, never every target."""

import numpy as np
import pytest

from catalogs.catalog import Catalog, ItemRow, build_catalog, members
from catalogs.domain import load_domain
from simulators.seen import SeenItems
from tests.small_world import index


@pytest.fixture(scope="module")
def many() -> Catalog:
    """Four hundred films, most familiar first."""
    rows = [
        ItemRow(str(i), f"Film {i}", None, (("drama",), ("A",), ("B",)), popularity=400.0 - i)
        for i in range(400)
    ]
    return build_catalog(load_domain("movie"), rows, "many films")


def flags(catalog: Catalog, bits: int) -> np.ndarray:
    return np.array([bits >> i & 1 for i in range(len(catalog))])


@pytest.mark.parametrize("rate", [0.0, 0.15, 0.3, 0.45])
def test_the_mean_share_is_the_rate(many: Catalog, rate: float) -> None:
    seen = SeenItems(many)
    shares = [flags(many, seen.draw(0, k, rate, 0)).mean() for k in range(100)]
    assert np.mean(shares) == pytest.approx(rate, abs=0.01)


def test_familiar_items_are_seen_more_often(many: Catalog) -> None:
    seen = SeenItems(many)
    table = np.mean([flags(many, seen.draw(1, k, 0.4, 0)) for k in range(400)], axis=0)
    expected = [seen.probability(i, 0.4) for i in range(len(many))]
    assert expected[0] == 0.8
    assert expected[-1] == 0.0
    assert SeenItems(many).probability(0, 0.6) == 0.98
    assert np.all(np.diff(expected) <= 0)
    assert np.abs(table - expected).max() < 0.11
    by_fifth = table.reshape(5, 80).mean(axis=1)
    assert np.all(np.diff(by_fifth) < -0.1)


def test_seed_and_episode_each_matter_and_nothing_else(many: Catalog) -> None:
    seen = SeenItems(many)
    draws = {(s, k): seen.draw(s, k, 0.3, 0) for s in range(4) for k in range(4)}
    assert len(set(draws.values())) == 16
    assert draws == {(s, k): SeenItems(many).draw(s, k, 0.3, 0) for s, k in draws}


def test_the_goal_matters_only_when_no_target_would_be_left(many: Catalog) -> None:
    seen = SeenItems(many)
    for episode in range(200):
        free = seen.draw(2, episode, 0.45, 0)
        targets = 0b111
        kept = seen.draw(2, episode, 0.45, targets)
        if targets & ~free:
            assert kept == free
        else:
            assert kept & ~free == 0
            assert (free & ~kept).bit_count() == 1
            assert free & ~kept & targets


def test_which_target_is_kept_varies(many: Catalog) -> None:
    seen = SeenItems(many)
    kept = [0b11 & ~seen.draw(3, k, 1.0, 0b11) for k in range(400)]
    only = [bits for bits in kept if bits.bit_count() == 1]
    assert 0.4 < np.mean([bits == 1 for bits in only]) < 0.6


def test_rows_of_a_work_are_seen_together(small: Catalog) -> None:
    vault, again = index(small, "vault"), index(small, "vault2")
    seen = SeenItems(small)
    drawn = [seen.draw(0, k, 0.4, 0) for k in range(300)]
    assert all((bits >> vault & 1) == (bits >> again & 1) for bits in drawn)
    share = np.mean([bits >> vault & 1 for bits in drawn])
    assert share == pytest.approx(seen.probability(vault, 0.4), abs=0.1)
    for episode in range(50):
        kept = seen.draw(0, episode, 1.0, 1 << again)
        assert vault not in members(kept)
        assert again not in members(kept)
