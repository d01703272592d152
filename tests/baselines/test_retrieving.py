"""How free-form methods find candidates: words retrieve, wishes order."""

from hypothesis import given
from hypothesis import strategies as st

from baselines.asking import AskingSettings
from baselines.heard import hear
from baselines.retrieving import find_candidates
from baselines.taste import Taste, taste_of
from catalogs.catalog import members
from retrieval.situation import CANDIDATES, read_situation
from tests.baselines.texts_only import opened
from tests.small_world import films

TEXTS = ("A thriller, please.", "A western with Ada Lind, please.", "No comedy.", "Anything.")


@given(
    text=st.sampled_from(TEXTS),
    pool=st.integers(10, 12),
    gone=st.integers(0, 2**8 - 1),
    familiar=st.booleans(),
)
def test_the_best_of_the_pool_that_was_not_offered(
    text: str, pool: int, gone: int, familiar: bool
) -> None:
    view = opened(films(), text)
    view.offered = gone & view.catalog.everything
    found = find_candidates(view, text, AskingSettings(pool, familiar))
    retrieved = read_situation(view, text, pool)
    taste = taste_of(view.catalog, hear(retrieved))
    ordered = taste.order(view.catalog, retrieved.candidates, familiar)
    assert found.candidates == ordered[:CANDIDATES]
    assert not set(found.candidates) & set(members(view.offered))
    fits = taste.fits(view.catalog, found.candidates)
    assert fits == sorted(fits, reverse=True)
    # Equal ones: the best known first, or as the words found them.
    for fit in set(fits):
        equal = [item for item, own in zip(found.candidates, fits, strict=True) if own == fit]
        expected = sorted(equal) if familiar else sorted(equal, key=retrieved.candidates.index)
        assert equal == expected


def test_another_taste_orders_otherwise() -> None:
    view = opened(films(), "A thriller, please.")
    n_facets = view.catalog.domain.n_facets
    western = view.catalog.value_index(0, "western")
    wanted = ((western,), *((),) * (n_facets - 1))
    other = Taste(wanted, ((),) * n_facets, ((),) * n_facets)
    first = find_candidates(view, "A thriller, please.", AskingSettings()).candidates[0]
    changed = find_candidates(view, "A thriller, please.", AskingSettings(), other).candidates[0]
    assert western not in view.catalog.items[first].values[0]
    assert western in view.catalog.items[changed].values[0]
