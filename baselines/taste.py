"""Which values matter in choosing an item, and how well an item has them."""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

from baselines.heard import Heard
from catalogs.catalog import Catalog


class Taste(NamedTuple):
    """Values that matter in choosing an item, per facet.

    Attributes:
        wanted: Wanted values.
        unwanted: Unwanted values.
        unclear: Pairs of which one is wanted.
    """

    wanted: tuple[tuple[int, ...], ...]
    unwanted: tuple[tuple[int, ...], ...]
    unclear: tuple[tuple[tuple[int, int], ...], ...]

    def fit(self, catalog: Catalog, item: int) -> float:
        """Wanted values that an item has, less the unwanted ones; half for an unclear one.

        Of a facet where one value suffices, the wanted values count once.
        """
        total = 0.0
        for f, facet in enumerate(catalog.domain.facets):
            wanted, unwanted, unclear = self.wanted[f], self.unwanted[f], self.unclear[f]
            if not (wanted or unwanted or unclear):
                continue
            values = catalog.items[item].values[f]
            named = sum(value in values for value in wanted)
            total += named if facet.match == "all" else min(named, 1)
            total += 0.5 * sum(a in values or b in values for a, b in unclear)
            total -= sum(value in values for value in unwanted)
        return total

    def order(self, catalog: Catalog, items: Iterable[int]) -> tuple[int, ...]:
        """Items by fit, equal ones in the order given."""
        return tuple(sorted(items, key=lambda item: -self.fit(catalog, item)))

    def names(self, catalog: Catalog) -> list[str]:
        """Names of wanted and unclear values by facet: words to search with."""
        found: dict[str, None] = {}
        for f in range(catalog.domain.n_facets):
            for value in (*self.wanted[f], *(v for pair in self.unclear[f] for v in pair)):
                found[catalog.value(f, value)] = None
        return list(found)


def taste_of(catalog: Catalog, heard: Heard) -> Taste:
    """The values that the user named, as they stand at the end of the dialogue."""
    facets = range(catalog.domain.n_facets)
    return Taste(
        tuple(heard.wanted(f) for f in facets),
        tuple(heard.unwanted(f) for f in facets),
        tuple(heard.unclear(f) for f in facets),
    )
