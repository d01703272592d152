"""Goals: what a user wants, and which items meet it (dreams §A.9, §A.10)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from catalogs.catalog import Catalog, Item


@dataclass(frozen=True, slots=True)
class Goal:
    """A hidden wish, as vocabulary indices of one catalogue.

    Attributes:
        values: Per facet, the wanted values; an ``all`` facet needs every one, an ``any`` facet at
            least one. An empty facet asks for nothing.
    """

    values: tuple[tuple[int, ...], ...]

    def named(self, catalog: Catalog) -> dict[str, list[str]]:
        """The goal with names instead of indices, by facet name."""
        return {
            facet.name: [catalog.value(f, v) for v in self.values[f]]
            for f, facet in enumerate(catalog.domain.facets)
        }


def goal_from_names(catalog: Catalog, names: Mapping[str, Sequence[str]]) -> Goal:
    """Build a goal from value names by facet name.

    Raises:
        KeyError: A facet is unknown, or a value is not in the catalogue.
    """
    for name in names:
        catalog.domain.facet_index(name)
    return Goal(
        tuple(
            tuple(catalog.value_index(f, value) for value in names.get(facet.name, ()))
            for f, facet in enumerate(catalog.domain.facets)
        )
    )


def meets(catalog: Catalog, goal: Goal, item: Item) -> bool:
    """Whether an item has all values of each ``all`` facet and one value of each ``any`` facet."""
    return bool(targets(catalog, goal) >> item.index & 1)


def targets(catalog: Catalog, goal: Goal) -> int:
    """Bit set of the items that meet a goal (seen or not)."""
    found = catalog.everything
    for f, facet in enumerate(catalog.domain.facets):
        found &= facet_matches(catalog, f, goal.values[f], facet.match == "all")
    return found


def facet_matches(catalog: Catalog, facet: int, values: Sequence[int], need_all: bool) -> int:
    """Bit set of the items that satisfy one facet's wanted values; no values means all items."""
    if not values:
        return catalog.everything
    postings = catalog.postings[facet]
    found = catalog.everything if need_all else 0
    for value in values:
        found = found & postings[value] if need_all else found | postings[value]
    return found
