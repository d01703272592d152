"""Structured retrieval: soft constraints in tiers, computed on bit sets.

Items are ordered by, in this order:

1. the number of violated hard constraints: wanted values of ``all`` facets that are absent, and
   unwanted values that are present (constraints are soft because users slip and known people may be
   distractors),
2. the number of ``any`` facets of which the item has a wanted value,
3. the number of doubted values (complained about, not confirmed) that are absent,
4. the number of ambiguous statements that the item fits,
5. familiarity.

An additive score would let a second matching actor outrank a missing genre; tiers cannot.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from itertools import islice, pairwise
from typing import TypeVar

from catalogs.catalog import Catalog
from dialogue.state import PreferenceState
from dialogue.view import Assessment, DialogueView
from retrieval.query import Query

V = TypeVar("V")
CACHE_SIZE = 20_000
SCORES = 3
"""Number of top scores in an assessment."""


class StructuredRetriever:
    """Ranks a catalogue's items for a preference state; shared by environment and policies.

    Results are cached by state, so asking twice in a turn (reward, observation, policy) costs once.
    """

    def __init__(self, catalog: Catalog) -> None:
        self.catalog = catalog
        facets = catalog.domain.facets
        self._all = [f for f, facet in enumerate(facets) if facet.match == "all"]
        self._any = [f for f, facet in enumerate(facets) if facet.match == "any"]
        self._tops: dict[tuple[object, ...], tuple[int, ...]] = {}
        self._assessments: dict[tuple[object, ...], Assessment] = {}

    def top(self, view: DialogueView, count: int) -> tuple[int, ...]:
        """The best ``count`` items not offered yet, best first (fewer when fewer remain)."""
        key = (view.offered, count, *view.state.key())
        found = self._tops.get(key)
        if found is None:
            found = tuple(self._take(view.state, self.catalog.everything & ~view.offered, count))
            remember(self._tops, key, found)
        return found

    def best(self, view: DialogueView) -> int:
        """The top item not offered yet, or -1."""
        found = self.top(view, 1)
        return found[0] if found else -1

    def rank(self, query: Query, count: int, exclude: int = 0) -> list[int]:
        """The best items for a query's state; without a state, the most familiar ones."""
        pool = self.catalog.everything & ~exclude
        state = query.state or PreferenceState(self.catalog.domain.n_facets)
        return list(self._take(state, pool, count))

    def assess(self, view: DialogueView) -> Assessment:
        """Candidate count, entropy and top scores for the tracked state."""
        key = (view.offered, *view.state.key())
        found = self._assessments.get(key)
        if found is None:
            found = self._assess(view.state, self.catalog.everything & ~view.offered)
            remember(self._assessments, key, found)
        return found

    def tiers(self, state: PreferenceState, pool: int) -> Iterator[tuple[int, int, int]]:
        """Non-empty tiers by constraints 1 and 2, best first.

        ``(items, violations, facets matched)``.
        """
        people = [self._union(f, state.likes[f]) for f in self._any if state.likes[f]]
        for violations, level in enumerate(self._hard_levels(state, pool)):
            if level:
                matched = _count_levels(level, people)
                for met in range(len(people), -1, -1):
                    if matched[met]:
                        yield matched[met], violations, met

    def ordered(self, state: PreferenceState, tier: int, count: int) -> Iterator[int]:
        """At most ``count`` items of one tier, by constraints 3 to 5."""
        left = count
        for part in self.refine(state, tier):
            rest = part
            while rest:
                if not left:
                    return
                low = rest & -rest
                yield low.bit_length() - 1
                rest ^= low
                left -= 1

    def _take(self, state: PreferenceState, pool: int, count: int) -> Iterator[int]:
        every = (
            item
            for tier, _, _ in self.tiers(state, pool)
            for item in self.ordered(state, tier, count)
        )
        return islice(every, count)

    def _hard_levels(self, state: PreferenceState, pool: int) -> list[int]:
        """Exact sets by number of violated hard constraints, fewest first."""
        levels = [pool]
        postings = self.catalog.postings
        for f in self._all:
            for value in state.likes[f]:
                levels = _split(levels, postings[f][value])
        for f, values in enumerate(state.dislikes):
            for value in values:
                levels = _split(levels, ~postings[f][value])
        return levels

    def refine(self, state: PreferenceState, tier: int) -> list[int]:
        """Split a tier by doubts (absent first), then by ambiguous statements met (most first)."""
        postings = self.catalog.postings
        parts = [tier]
        for f, values in enumerate(state.doubts):
            for value in values:
                parts = _split(parts, ~postings[f][value])
        fits = [
            postings[f][a] | postings[f][b]
            for f, pairs in enumerate(state.ambiguous)
            for a, b in pairs
        ]
        if fits:
            parts = [level for part in parts for level in reversed(_count_levels(part, fits))]
        return parts

    def _union(self, facet: int, values: tuple[int, ...]) -> int:
        postings = self.catalog.postings[facet]
        found = 0
        for value in values:
            found |= postings[value]
        return found

    def _assess(self, state: PreferenceState, pool: int) -> Assessment:
        hard = sum(map(len, state.dislikes))
        for f in self._all:
            hard += len(state.likes[f])
        total = hard + sum(1 for f in self._any if state.likes[f])
        # Mostly several items meet everything; then no other tier needs to be looked at.
        perfect = self._perfect(state, pool)
        size = perfect.bit_count() if perfect else 0
        if size >= SCORES:
            score = 1.0 if total else 0.0
            best = self._first(state, perfect)
            return Assessment(size, math.log2(size), (score, score, score), best)
        count, best = 0, -1
        scores: list[float] = []
        for tier, violations, met in self.tiers(state, pool):
            size = tier.bit_count()
            if not count:
                count = size
                best = self._first(state, tier)
            score = (hard - violations + met) / total if total else 0.0
            scores.extend([score] * min(size, SCORES - len(scores)))
            if len(scores) == SCORES:
                break
        scores.extend([0.0] * (SCORES - len(scores)))
        entropy = math.log2(count) if count else 0.0
        return Assessment(count, entropy, (scores[0], scores[1], scores[2]), best)

    def _perfect(self, state: PreferenceState, pool: int) -> int:
        """The items that meet every hard constraint and have a wanted value of each other facet."""
        postings = self.catalog.postings
        for f in self._all:
            for value in state.likes[f]:
                pool &= postings[f][value]
        for f, values in enumerate(state.dislikes):
            for value in values:
                pool &= ~postings[f][value]
        for f in self._any:
            if state.likes[f]:
                pool &= self._union(f, state.likes[f])
        return pool

    def _first(self, state: PreferenceState, tier: int) -> int:
        """The best item of a tier."""
        first = next(part for part in self.refine(state, tier) if part)
        return (first & -first).bit_length() - 1


def _split(levels: list[int], satisfied: int) -> list[int]:
    """Given exact sets by violations, add one constraint: who violates it moves one level down."""
    result = [levels[0] & satisfied]
    for better, worse in pairwise(levels):
        result.append((worse & satisfied) | (better & ~satisfied))
    result.append(levels[-1] & ~satisfied)
    return result


def _count_levels(pool: int, sets: list[int]) -> list[int]:
    """Exact sets by the number of given sets that an item is in: index k = in k of them."""
    levels = [pool]
    for one in sets:
        grown = [levels[0] & ~one]
        for fewer, more in pairwise(levels):
            grown.append((more & ~one) | (fewer & one))
        grown.append(levels[-1] & one)
        levels = grown
    return levels


def remember(cache: dict[tuple[object, ...], V], key: tuple[object, ...], value: V) -> None:
    """Add to a cache that starts anew when it is full.

    Threads may share the cache: one that finds nothing computes the same value again, and nobody
    reads an entry back after adding it, so that emptying it takes nothing from anyone.
    """
    if len(cache) >= CACHE_SIZE:
        cache.clear()
    cache[key] = value
