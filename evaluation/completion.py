"""Completing a dialogue record with the catalogue's facts, so that metrics read nothing else."""

from __future__ import annotations

from catalogs.catalog import Catalog
from evaluation.records import Record


def complete_record(record: Record, catalog: Catalog) -> Record:
    """A record with the facts that exact error labels need; the seed determines all of them.

    Added are ``facets``, a list of ``[name, match, inquiry]`` in the domain's order, and in every
    turn with an item ``item_values``, the item's values by facet name.

    Raises:
        KeyError: The record names an item that the catalogue lacks.
    """
    turns = []
    for turn in record["turns"]:
        item = turn["item"]
        turns.append(turn if item is None else turn | {"item_values": item_values(catalog, item)})
    facets = [[facet.name, facet.match, facet.inquiry] for facet in catalog.domain.facets]
    return record | {"facets": facets, "turns": turns}


def item_values(catalog: Catalog, item_id: str) -> dict[str, list[str]]:
    """Value names of an item by facet name."""
    item = catalog.item(item_id)
    return {
        facet.name: [catalog.value(f, v) for v in item.values[f]]
        for f, facet in enumerate(catalog.domain.facets)
    }
