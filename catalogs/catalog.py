"""Catalogue: items as rows of small integers, and their incidence as bit sets.

A *bit set* here is a Python integer whose bit ``i`` says whether item ``i`` is in the set. Items
are numbered in order of decreasing familiarity, so the lowest set bit of a set is its best known
item. Intersections over thousands of items then cost a fraction of a microsecond, which is what a
search over dialogues needs.
"""

from __future__ import annotations

import math
import re
import unicodedata
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

from catalogs.domain import Domain

_YEAR = re.compile(r"\s*\((\d{4})\)\s*$")


@dataclass(frozen=True, slots=True)
class ItemRow:
    """One item as a loader read it, before values become integers.

    Attributes:
        id: The data set's own identifier, unique in a catalogue.
        title: Title without the year.
        year: Year of release or publication, if known.
        values: Per facet of the domain, the item's values in the source's order.
        plot: Free text about the item, possibly empty.
        popularity: A non-negative number if the source has one (any unit); only its order is used.
    """

    id: str
    title: str
    year: int | None
    values: tuple[tuple[str, ...], ...]
    plot: str = ""
    popularity: float | None = None


@dataclass(frozen=True, slots=True)
class Item:
    """One item of a catalogue, for reading and for text.

    Attributes:
        index: Position in the catalogue (0 = most familiar).
        id: The data set's own identifier.
        title: Title without the year.
        year: Year, if known.
        values: Per facet, the item's values as vocabulary indices.
        plot: Free text, possibly empty.
    """

    index: int
    id: str
    title: str
    year: int | None
    values: tuple[tuple[int, ...], ...]
    plot: str

    @property
    def label(self) -> str:
        """Title with the year in parentheses when it is known."""
        return self.title if self.year is None else f"{self.title} ({self.year})"


@dataclass(slots=True)
class Catalog:
    """The items of one domain. Build it with :func:`build_catalog`; treat it as immutable.

    Attributes:
        domain: The facets.
        source: Where the items come from, in a few words (shown in summaries).
        items: N items by index, most familiar first.
        vocabulary: Per facet, the V_f value names by index (most frequent first, ties by name).
        postings: Per facet and value, the bit set of items that have the value.
        works: Per item, the bit set of the rows that are the same work (itself included).
        familiarity: Per item, rank in [0, 1]; 1 = best known.
        everything: The bit set of all items.
        origin: Arguments of ``catalogs.sources.open_catalog`` that open it again and ``n_items``,
            the number of items that must be found then, by which another process can be told which
            catalogue is meant; empty for one that was made in memory.
    """

    domain: Domain
    source: str
    items: tuple[Item, ...]
    vocabulary: tuple[tuple[str, ...], ...]
    postings: tuple[tuple[int, ...], ...]
    works: tuple[int, ...]
    familiarity: tuple[float, ...]
    everything: int
    ids: dict[str, int] = field(repr=False)
    value_ids: tuple[dict[str, int], ...] = field(repr=False)
    origin: dict[str, Any] = field(default_factory=dict, repr=False)

    def __len__(self) -> int:
        """Number of items N."""
        return len(self.items)

    def value(self, facet: int, index: int) -> str:
        """Name of a value of a facet."""
        return self.vocabulary[facet][index]

    def value_index(self, facet: int, name: str) -> int:
        """Index of a value by its exact name; KeyError names the facet and the value."""
        try:
            return self.value_ids[facet][name]
        except KeyError:
            raise KeyError(
                f"{self.source}: no {self.domain.facets[facet].name} {name!r} in the catalogue"
            ) from None

    def item(self, item_id: str) -> Item:
        """Item by the data set's identifier; KeyError names the catalogue and the identifier."""
        try:
            return self.items[self.ids[item_id]]
        except KeyError:
            raise KeyError(f"{self.source}: no item with id {item_id!r}") from None


def members(bits: int) -> Iterator[int]:
    """Indices in a bit set, ascending (most familiar items first)."""
    while bits:
        low = bits & -bits
        yield low.bit_length() - 1
        bits ^= low


def build_catalog(domain: Domain, rows: Sequence[ItemRow], source: str) -> Catalog:
    """Number items and values and compute incidence.

    The order of rows does not matter for the result beyond ties: items are sorted by familiarity,
    then id.

    Raises:
        ValueError: There is no row, or two rows share an id (loaders report the line; this is the
            last guard).
    """
    if not rows:
        raise ValueError(f"{source}: no usable item; a catalogue needs at least one")
    scores = _popularity(rows, domain)
    order = sorted(range(len(rows)), key=lambda i: (-scores[i], rows[i].id))
    rows = [rows[i] for i in order]
    ids = {row.id: i for i, row in enumerate(rows)}
    if len(ids) < len(rows):
        twice = next(k for k, n in Counter(row.id for row in rows).items() if n > 1)
        raise ValueError(f"{source}: two items have the id {twice!r}")
    vocabulary = tuple(_vocabulary(rows, f) for f in range(domain.n_facets))
    value_ids = tuple({name: i for i, name in enumerate(names)} for names in vocabulary)
    items = tuple(
        Item(
            i,
            row.id,
            row.title,
            row.year,
            tuple(
                tuple(value_ids[f][name] for name in dict.fromkeys(row.values[f]))
                for f in range(domain.n_facets)
            ),
            row.plot,
        )
        for i, row in enumerate(rows)
    )
    count = len(items)
    return Catalog(
        domain=domain,
        source=source,
        items=items,
        vocabulary=vocabulary,
        postings=tuple(_postings(items, f, len(vocabulary[f])) for f in range(domain.n_facets)),
        works=_works(rows),
        familiarity=tuple(1.0 - i / max(1, count - 1) for i in range(count)),
        everything=(1 << count) - 1,
        ids=ids,
        value_ids=value_ids,
    )


def _vocabulary(rows: Iterable[ItemRow], facet: int) -> tuple[str, ...]:
    counts = Counter(name for row in rows for name in dict.fromkeys(row.values[facet]))
    return tuple(sorted(counts, key=lambda name: (-counts[name], name)))


def _postings(items: Sequence[Item], facet: int, size: int) -> tuple[int, ...]:
    result = [0] * size
    for item in items:
        for value in item.values[facet]:
            result[value] |= 1 << item.index
    return tuple(result)


def _popularity(rows: Sequence[ItemRow], domain: Domain) -> list[float]:
    """How familiar each item is: the source's own number, or one made from the item's people.

    No published catalogue here carries view counts. People with many titles are better known than
    people with one, so the mean of log(1 + titles) over an item's people orders items plausibly and
    needs nothing else.
    """
    if all(row.popularity is not None for row in rows):
        return [row.popularity or 0.0 for row in rows]
    people = [f for f, facet in enumerate(domain.facets) if facet.person] or list(
        range(domain.n_facets)
    )
    counts = [
        Counter(name for row in rows for name in dict.fromkeys(row.values[f])) for f in people
    ]
    scores = []
    for row in rows:
        logs = [math.log1p(counts[k][name]) for k, f in enumerate(people) for name in row.values[f]]
        scores.append(sum(logs) / len(logs) if logs else 0.0)
    return scores


def title_stem(title: str) -> str:
    """A title without year, case, accents, punctuation and leading article: equal for one work."""
    text = unicodedata.normalize("NFKD", _YEAR.sub("", title)).casefold()
    text = "".join(c if c.isalnum() else " " for c in text if not unicodedata.combining(c))
    words = text.split()
    if len(words) > 1 and words[0] in {"the", "a", "an"}:
        words = words[1:]
    return " ".join(words)


def split_year(title: str) -> tuple[str, int | None]:
    """Split ``"Bad Boys (1995)"`` into ``("Bad Boys", 1995)``.

    The year is None when there is none.
    """
    match = _YEAR.search(title)
    if match is None or not title[: match.start()].strip():
        return title.strip(), None
    return title[: match.start()].strip(), int(match.group(1))


def _works(rows: Sequence[ItemRow]) -> tuple[int, ...]:
    """Group rows that repeat a work under another spelling or year: same title stem, and alike.

    The groups are a partition: a row without a year may join two rows with different ones.
    """
    by_stem: dict[str, list[int]] = {}
    for i, row in enumerate(rows):
        by_stem.setdefault(title_stem(row.title) or row.title, []).append(i)
    works = [1 << i for i in range(len(rows))]
    for group in by_stem.values():
        if len(group) > 1:
            for cluster in _clusters({i: _Print.of(rows[i]) for i in group}):
                bits = sum(1 << i for i in cluster)
                for i in cluster:
                    works[i] = bits
    return tuple(works)


@dataclass(frozen=True, slots=True)
class _Print:
    """What tells works of one title apart: year, folded makers (last facet), all values."""

    year: int | None
    makers: frozenset[str]
    values: tuple[frozenset[str], ...]

    @classmethod
    def of(cls, row: ItemRow) -> _Print:
        makers = frozenset(_fold(name) for name in row.values[-1])
        return cls(row.year, makers, tuple(frozenset(names) for names in row.values))

    def alike(self, other: _Print) -> bool:
        """Whether two rows of one title are one work.

        They share a maker (or neither names one), and their years are within one of each other or
        not both known. Years that differ by more part remakes from originals, unless every value is
        the same: published files hold rows whose attributes were looked up by title alone, so that
        only the year in the name is another.
        """
        if not (self.makers & other.makers or not (self.makers or other.makers)):
            return False
        if self.year is None or other.year is None or abs(self.year - other.year) <= 1:
            return True
        return bool(self.makers) and self.values == other.values


def _clusters(prints: dict[int, _Print]) -> list[list[int]]:
    """Connected components of "alike"."""
    left = list(prints)
    clusters = []
    while left:
        cluster = [left.pop()]
        for i in cluster:
            near = {j: None for j in left if prints[i].alike(prints[j])}
            left = [j for j in left if j not in near]
            cluster.extend(near)
        clusters.append(cluster)
    return clusters


def _fold(name: str) -> str:
    return title_stem(name).replace(" ", "")
