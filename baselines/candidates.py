"""The candidates of a dialogue, and how probable each is to be what the user wants.

The whole dialogue, with what was extracted from it, is the query; the text ranker's hits are the
candidates; how well each has what was named, how familiar it is and how well its text matched make
its probability. Nothing here knows a tracked state.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

from baselines.taste import Taste
from catalogs.catalog import Catalog
from dialogue.constants import check_constants
from dialogue.view import DialogueView
from retrieval.build import text_ranker
from retrieval.query import Query


@dataclass(frozen=True, slots=True)
class BeliefSettings:
    """Constants of the belief over candidates.

    Attributes:
        pool: Items retrieved by text, 1..5000.
        keep: Most probable ones that are kept, 1..1000.
        missing: Factor per wanted value that an item lacks, where all are wanted; in (0, 1].
        lacking: Factor where an item has none of the wanted values, and one suffices; in (0, 1].
        unwanted: Factor per unwanted value that an item has; in (0, 1].
        unclear: Factor where an item has neither of two values of which one is meant; in (0, 1].
        familiar: How much likelier the best known item is than the least known, as a power of e; at
            least 0.
        text: How fast probability falls with the rank by text; at least 0.
    """

    pool: int = 500
    keep: int = 150
    missing: float = 0.02
    lacking: float = 0.02
    unwanted: float = 0.05
    unclear: float = 0.05
    familiar: float = 2.0
    text: float = 0.1

    def __post_init__(self) -> None:
        """Check ranges.

        Raises:
            ValueError: A constant is out of range; the message names its key.
        """
        check_constants(
            self,
            {
                "pool": (1, 5000),
                "keep": (1, 1000),
                **dict.fromkeys(("missing", "lacking", "unwanted", "unclear"), (1e-6, 1.0)),
                **dict.fromkeys(("familiar", "text"), (0.0, 100.0)),
            },
        )


class Candidates:
    """Items by falling probability; sets of them are bit sets over their positions.

    Attributes:
        catalog: The catalogue.
        items: Item indices, most probable first.
        weights: Their probabilities, summing to 1.
        everything: The bit set of all positions.
        having: Per facet and value, the positions that have the value.
    """

    def __init__(self, catalog: Catalog, items: Sequence[int], weights: Sequence[float]) -> None:
        """Number the candidates; ``weights`` are positive and fall."""
        total = sum(weights)
        self.catalog = catalog
        self.items = tuple(items)
        self.weights = tuple(weight / total for weight in weights)
        self.everything = (1 << len(self.items)) - 1
        self.having: list[dict[int, int]] = [{} for _ in range(catalog.domain.n_facets)]
        for position, item in enumerate(self.items):
            for f, values in enumerate(catalog.items[item].values):
                for value in values:
                    self.having[f][value] = self.having[f].get(value, 0) | 1 << position
        self._told_bits: dict[tuple[int, int, frozenset[int]], float] = {}
        self._shares: dict[int, tuple[float, tuple[float, ...]]] = {}

    def shares(self, left: int) -> tuple[float, ...]:
        """Probabilities of the candidates that are left, most probable first."""
        return self._spread(left)[1]

    def entropy(self, left: int) -> float:
        """Bits of uncertainty over the candidates that are left."""
        return self._spread(left)[0]

    def tells(self, left: int, facet: int, told: frozenset[int]) -> float:
        """Bits that a value of a facet would tell about which of the candidates left is wanted.

        The entropy of the value that the user would name, less what is left of it for each
        candidate, which stands for a user who names any of its values that was not told yet; one
        without such a value answers nothing.
        """
        key = left, facet, told
        found = self._told_bits.get(key)
        if found is None:
            found = self._told_bits[key] = self._tells(left, facet, told)
        return found

    def _tells(self, left: int, facet: int, told: frozenset[int]) -> float:
        chances: dict[int, float] = {}
        within = having = total = 0.0
        for position in _positions(left):
            values = self.catalog.items[self.items[position]].values[facet]
            new = [value for value in values if value not in told]
            weight = self.weights[position]
            total += weight
            if new:
                having += weight
                within += weight * math.log2(len(new))
                for value in new:
                    chances[value] = chances.get(value, 0.0) + weight / len(new)
        if not having:
            return 0.0
        bits = _bits([chance / having for chance in chances.values()]) - within / having
        return max(0.0, bits) * having / total

    def _spread(self, left: int) -> tuple[float, tuple[float, ...]]:
        found = self._shares.get(left)
        if found is None:
            weights = [self.weights[position] for position in _positions(left)]
            total = sum(weights) or 1.0
            shares = tuple(weight / total for weight in weights)
            found = self._shares[left] = _bits(shares), shares
        return found


def _positions(bits: int) -> list[int]:
    found = []
    while bits:
        low = bits & -bits
        found.append(low.bit_length() - 1)
        bits ^= low
    return found


def _bits(chances: Sequence[float]) -> float:
    return -sum(chance * math.log2(chance) for chance in chances if chance > 0.0)


def search_text(view: DialogueView, taste: Taste) -> str:
    """The query: everything that was said, and the names of what is wanted."""
    said = [text for _, text in view.transcript()]
    return "\n".join([*said, ", ".join(taste.names(view.catalog))])


def believed_candidates(
    view: DialogueView, query: str, taste: Taste, settings: BeliefSettings, exclude: int
) -> Candidates:
    """Retrieve candidates and believe in them.

    Args:
        view: The dialogue; its catalogue and shared retriever are read.
        query: What to retrieve with.
        taste: What the user named.
        settings: Constants.
        exclude: Bit set of items that are no candidates.
    """
    ranker = text_ranker(view.retriever, view.catalog)
    return weigh(view.catalog, ranker.rank(Query(None, query), settings.pool, exclude), taste,
                 settings)  # fmt: skip


def weigh(
    catalog: Catalog, hits: Sequence[int], taste: Taste, settings: BeliefSettings
) -> Candidates:
    """Candidates from hits, best first."""
    scored = [(score(catalog, item, rank, taste, settings), item) for rank, item in enumerate(hits)]
    scored.sort(key=lambda entry: -entry[0])
    kept = scored[: settings.keep]
    top = kept[0][0] if kept else 0.0
    return Candidates(catalog, [item for _, item in kept], [math.exp(s - top) for s, _ in kept])


def score(catalog: Catalog, item: int, rank: int, taste: Taste, settings: BeliefSettings) -> float:
    """Logarithm of an item's probability, up to a constant."""
    total = settings.familiar * catalog.familiarity[item]
    total -= settings.text * math.log1p(rank)
    for f, facet in enumerate(catalog.domain.facets):
        values = catalog.items[item].values[f]
        wanted, unwanted, unclear = taste.wanted[f], taste.unwanted[f], taste.unclear[f]
        if facet.match == "all":
            total += math.log(settings.missing) * sum(v not in values for v in wanted)
        elif wanted and not any(v in values for v in wanted):
            total += math.log(settings.lacking)
        if unwanted:
            total += math.log(settings.unwanted) * sum(v in values for v in unwanted)
        if unclear:
            misses = sum(a not in values and b not in values for a, b in unclear)
            total += math.log(settings.unclear) * misses
    return total
