"""Catalogues by name: published data where they are at hand, bundled samples where they are not."""

from __future__ import annotations

import logging
from dataclasses import dataclass
from pathlib import Path

from catalogs.catalog import Catalog, ItemRow, build_catalog
from catalogs.domain import Domain, load_domain
from catalogs.goals import GoalSplits, make_splits
from catalogs.location import data_root
from catalogs.nearest import nearest_hint
from catalogs.opendialkg import load_opendialkg
from catalogs.plain import load_items
from catalogs.redial import load_redial
from catalogs.rows import Loaded, fail

SAMPLE_DIR = Path(__file__).parent / "samples"

_LOG = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class _Published:
    """A published data set: its title, its file under the data root, its domain, its stand-in."""

    title: str
    file: str
    domain: str
    sample: str


_PUBLISHED = {
    "redial": _Published("ReDial", "redial/id2info.json", "movie", "sample_movie"),
    "opendialkg_movie": _Published(
        "OpenDialKG movies", "opendialkg/id2info.json", "movie", "sample_movie"
    ),
    "opendialkg_book": _Published(
        "OpenDialKG books", "opendialkg/id2info.json", "book", "sample_book"
    ),
}
_SAMPLES = {
    "sample_movie": ("bundled sample of films", "movie", ("films_part1.csv", "films_part2.csv")),
    "sample_book": ("bundled sample of books", "book", ("books.csv",)),
}
NAMES = (*_PUBLISHED, "custom", *_SAMPLES)
"""Names that :func:`open_catalog` knows."""


def open_catalog(
    name: str,
    *,
    data_dir: str | None = None,
    domain: str | Path | Domain | None = None,
    items: str | Path | None = None,
    strict: bool = True,
) -> Catalog:
    """Load a catalogue by its name.

    ``redial``, ``opendialkg_movie`` and ``opendialkg_book`` read the published file below the data
    root when it is there and a bundled sample of the same domain otherwise; ``catalog.source``
    says which (``redial`` or ``sample_movie``). One line about it is logged.

    Args:
        name: One of :data:`NAMES`.
        data_dir: Data root; default as :func:`catalogs.location.data_root`.
        domain: A domain, its bundled name or its YAML file; needed for ``custom``, and otherwise
            in place of the data set's own.
        items: The item file of ``custom`` (see ``catalogs.plain``).
        strict: Raise at the first bad row; otherwise skip bad rows and log how many.

    Raises:
        CatalogError: A file cannot be used.
        DomainError: The domain cannot be used.
        ValueError: The name is unknown, or ``custom`` lacks a domain or items.
    """
    check_name(name)
    catalog = _open(name, data_dir, domain, items, strict)
    if not isinstance(domain, Domain):
        catalog.origin = {
            "name": name,
            "data_dir": data_dir,
            "domain": None if domain is None else str(domain),
            "items": None if items is None else str(items),
            "strict": strict,
            "n_items": len(catalog),
        }
    return catalog


def _open(
    name: str,
    data_dir: str | None,
    domain: str | Path | Domain | None,
    items: str | Path | None,
    strict: bool,
) -> Catalog:
    if name == "custom":
        if domain is None or items is None:
            lacking = "domain (a YAML file)" if domain is None else "items (a CSV or JSONL file)"
            raise ValueError(f"the catalogue 'custom' needs {lacking}")
        facets = _domain(domain)
        return _build("custom", facets, [load_items(items, facets, strict)])
    if items is not None:
        raise ValueError(f"the catalogue {name!r} has its own items; use 'custom' for {items}")
    if name in _PUBLISHED:
        published = _PUBLISHED[name]
        root = Path(data_dir).expanduser() if data_dir else data_root()
        path = root / published.file
        if path.exists():
            facets = _domain(domain or published.domain)
            return _build(name, facets, [_load_published(name, path, facets, strict)])
        _LOG.info("no %s at %s; using the %s", published.title, path, _SAMPLES[published.sample][0])
        name = published.sample
    _, own, files = _SAMPLES[name]
    facets = _domain(domain or own)
    return _build(name, facets, [load_items(SAMPLE_DIR / file, facets, strict) for file in files])


def open_splits(name: str, catalog: Catalog) -> GoalSplits:
    """Goals of a catalogue opened by ``name``: published groups where the real data were found.

    Raises:
        ValueError: The name is unknown, or the catalogue yields no goal.
    """
    check_name(name)
    published = name in _PUBLISHED and catalog.source == name
    return make_splits(catalog, name if published else None)


def describe(catalog: Catalog) -> str:
    """One line for people: which items these are and how many."""
    if catalog.source in _PUBLISHED:
        title = _PUBLISHED[catalog.source].title
    elif catalog.source in _SAMPLES:
        title = _SAMPLES[catalog.source][0]
    else:
        title = f"catalogue {catalog.source!r}"
    return f"{title}: {len(catalog):,} {catalog.domain.nouns}"


def check_name(name: str) -> None:
    """ValueError with the nearest right names unless a catalogue is called ``name``."""
    if name not in NAMES:
        hint = nearest_hint(name, NAMES, 2, cutoff=0.4)
        raise ValueError(f"no catalogue {name!r}{hint} (there are {', '.join(NAMES)})")


def _domain(domain: str | Path | Domain) -> Domain:
    return domain if isinstance(domain, Domain) else load_domain(domain)


def _load_published(name: str, path: Path, domain: Domain, strict: bool) -> Loaded:
    if name == "redial":
        return load_redial(path, domain, strict)
    return load_opendialkg(path, "movie" if name == "opendialkg_movie" else "book", domain, strict)


def _build(source: str, domain: Domain, parts: list[Loaded]) -> Catalog:
    rows: list[ItemRow] = []
    places: dict[str, str] = {}
    for part in parts:
        if part.skipped:
            _LOG.warning("%s", part.summary())
        for row in part.rows:
            if row.id in places:
                reason = f"id {row.id!r} is already used in {places[row.id]}"
                fail(part.file, "whole file", reason, "give each item its own id")
            places[row.id] = part.file
        rows.extend(part.rows)
    catalog = build_catalog(domain, rows, source)
    _LOG.info("%s", describe(catalog))
    return catalog
