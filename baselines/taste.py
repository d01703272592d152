"""Which values matter in choosing an item, and how well an item has them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import reduce
from operator import or_
from typing import NamedTuple

from baselines.heard import Heard
from catalogs.catalog import Catalog, members


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

    def fits(self, catalog: Catalog, items: Sequence[int]) -> list[float]:
        """Of each item, the wanted values that it has less the unwanted ones; half for an unclear.

        Of a facet where one value suffices, the wanted values count once.
        """
        found = dict.fromkeys(items, 0.0)
        every = 0
        for item in items:
            every |= 1 << item
        for having, weight in self._weights(catalog):
            for item in members(having & every):
                found[item] += weight
        return [found[item] for item in items]

    def order(
        self, catalog: Catalog, items: Sequence[int], familiar: bool = False
    ) -> tuple[int, ...]:
        """Items by fit, equal ones by familiarity or in the order given."""
        fits = dict(zip(items, self.fits(catalog, items), strict=True))
        if familiar:  # items are numbered by falling familiarity
            items = sorted(items)
        return tuple(sorted(items, key=lambda item: -fits[item]))

    def _weights(self, catalog: Catalog) -> Iterator[tuple[int, float]]:
        """Bit sets of items, and what they gain by what they have."""
        for f, facet in enumerate(catalog.domain.facets):
            having = catalog.postings[f]
            wanted = [having[value] for value in self.wanted[f]]
            if facet.match == "any":
                wanted = [reduce(or_, wanted, 0)]
            yield from ((items, 1.0) for items in wanted)
            yield from ((having[a] | having[b], 0.5) for a, b in self.unclear[f])
            yield from ((having[value], -1.0) for value in self.unwanted[f])

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
