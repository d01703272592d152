"""Evaluation goals and their splits (dreams §A.9): published groups, or derived by the same rule.

Splits are disjoint in their sets of ``all``-facet values (genre sets) and in targets:

* ``test``: the committed preference groups of a published catalogue; for another catalogue the
  first sets in rank,
* ``heldout``: the next sets in rank,
* ``train``: goals built around other items.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Literal, get_args

import yaml

from catalogs.catalog import Catalog, Item
from catalogs.goal import Goal, goal_from_names, targets

Split = Literal["test", "heldout", "train"]
SPLITS: tuple[str, ...] = get_args(Split)
GROUP_DIR = Path(__file__).parent / "groups"


@dataclass(frozen=True, slots=True)
class GoalSplits:
    """The goals of one catalogue.

    Attributes:
        test: Goals for evaluation.
        heldout: Goals for experience bases and model selection.
        train: Goals for learning and tuning.
        note: One line on where they come from.
    """

    test: tuple[Goal, ...]
    heldout: tuple[Goal, ...]
    train: tuple[Goal, ...]
    note: str

    def of(self, split: str) -> tuple[Goal, ...]:
        """Goals of a split by name; ValueError names the splits there are."""
        if split not in SPLITS:
            raise ValueError(f"no split {split!r}; splits are {', '.join(SPLITS)}")
        goals: tuple[Goal, ...] = getattr(self, split)
        return goals


def load_groups(catalog: Catalog, name: str) -> tuple[Goal, ...] | None:
    """Committed preference groups of a published catalogue; None if this one lacks their values."""
    path = GROUP_DIR / f"{name}.yaml"
    if not path.exists():
        return None
    groups = yaml.safe_load(path.read_text(encoding="utf-8"))["groups"]
    try:
        goals = tuple(goal_from_names(catalog, group) for group in groups)
    except KeyError:
        return None
    return goals if all(targets(catalog, goal) for goal in goals) else None


def make_splits(
    catalog: Catalog,
    groups: str | None = None,
    n_test: int = 15,
    n_heldout: int = 15,
    n_train: int = 300,
) -> GoalSplits:
    """Derive the three splits of a catalogue.

    Args:
        catalog: The items.
        groups: Name of the committed preference groups to use as test, if they fit this catalogue.
        n_test: Number of derived test goals when there are no committed ones.
        n_heldout: Number of held-out goals at most.
        n_train: Number of train goals at most.

    Raises:
        ValueError: The catalogue yields no test goal (too few items with every facet).
    """
    test = load_groups(catalog, groups) if groups else None
    ranked = ranked_sets(catalog)
    if test is None:
        test = _derive(catalog, ranked, set(), 0, n_test)
        note = f"{len(test)} test goals derived from the catalogue by rank of exact genre sets"
    else:
        note = f"{len(test)} published preference groups ({groups})"
    if not test:
        raise ValueError(
            f"{catalog.source}: no goal can be derived; goals need items with every facet "
            f"({', '.join(facet.name for facet in catalog.domain.facets)}) and enough values each"
        )
    used_sets = {_set_key(catalog, goal) for goal in test}
    used_targets = _all_targets(catalog, test)
    heldout = _derive(catalog, ranked, used_sets, used_targets, n_heldout)
    used_sets |= {_set_key(catalog, goal) for goal in heldout}
    used_targets |= _all_targets(catalog, heldout)
    train = _around_items(catalog, used_sets, used_targets, n_train)
    return GoalSplits(test, heldout, train, note)


def _set_facets(catalog: Catalog) -> list[int]:
    return [f for f, facet in enumerate(catalog.domain.facets) if facet.match == "all"]


def _set_of(catalog: Catalog, values: Sequence[Sequence[int]]) -> tuple[tuple[int, ...], ...]:
    return tuple(tuple(sorted(values[f])) for f in _set_facets(catalog))


def _set_key(catalog: Catalog, goal: Goal) -> tuple[tuple[int, ...], ...]:
    return _set_of(catalog, goal.values)


def _all_targets(catalog: Catalog, goals: Sequence[Goal]) -> int:
    found = 0
    for goal in goals:
        found |= targets(catalog, goal)
    return found


def complete_items(catalog: Catalog) -> list[Item]:
    """Items with a value in every facet and enough values in each to make a goal."""
    facets = catalog.domain.facets
    return [
        item
        for item in catalog.items
        if all(len(item.values[f]) >= max(1, facet.goal_min) for f, facet in enumerate(facets))
    ]


def ranked_sets(catalog: Catalog) -> list[tuple[tuple[tuple[int, ...], ...], list[Item]]]:
    """Exact value sets of the ``all`` facets, ranked by number of items, ties by value names."""
    by_set: dict[tuple[tuple[int, ...], ...], list[Item]] = {}
    for item in complete_items(catalog):
        by_set.setdefault(_set_of(catalog, item.values), []).append(item)
    facets = _set_facets(catalog)

    def names(key: tuple[tuple[int, ...], ...]) -> list[list[str]]:
        return [
            sorted(catalog.value(f, v) for v in part) for f, part in zip(facets, key, strict=True)
        ]

    return sorted(by_set.items(), key=lambda entry: (-len(entry[1]), names(entry[0])))


def _derive(
    catalog: Catalog,
    ranked: Sequence[tuple[tuple[tuple[int, ...], ...], list[Item]]],
    used_sets: set[tuple[tuple[int, ...], ...]],
    used_targets: int,
    count: int,
) -> tuple[Goal, ...]:
    goals: list[Goal] = []
    for key, items in ranked:
        if len(goals) == count:
            break
        if key in used_sets:
            continue
        goal = group_goal(catalog, key, items)
        if goal is not None and not targets(catalog, goal) & used_targets:
            goals.append(goal)
    return tuple(goals)


def group_goal(
    catalog: Catalog, key: tuple[tuple[int, ...], ...], items: Sequence[Item]
) -> Goal | None:
    """The goal of one exact set: its most frequent people, or None when no item meets it.

    Where no item meets it, the last value of the last ``any`` facet is replaced by the most
    frequent one that shares an item with a value of the other ``any`` facets.
    """
    sets = dict(zip(_set_facets(catalog), key, strict=True))
    values: list[tuple[int, ...]] = []
    for f, facet in enumerate(catalog.domain.facets):
        values.append(
            sets[f] if f in sets else tuple(_frequent(catalog, f, items)[: facet.goal_size or None])
        )
    goal = Goal(tuple(values))
    if targets(catalog, goal):
        return goal
    last = catalog.domain.n_facets - 1
    if last in sets:
        return None
    others = [f for f in range(last) if f not in sets]
    partners = [i for i in items if all(set(i.values[f]) & set(values[f]) for f in others)]
    if not partners:
        return None
    values[last] = (*values[last][:-1], _frequent(catalog, last, partners)[0])
    goal = Goal(tuple(values))
    return goal if targets(catalog, goal) else None


def _frequent(catalog: Catalog, facet: int, items: Sequence[Item]) -> list[int]:
    counts = Counter(value for item in items for value in item.values[facet])
    return sorted(counts, key=lambda v: (-counts[v], catalog.value(facet, v)))


def _around_items(
    catalog: Catalog, used_sets: set[tuple[tuple[int, ...], ...]], used_targets: int, count: int
) -> tuple[Goal, ...]:
    """Goals around other items.

    The item's set and people, filled up with frequent people of the same set.
    """
    goals: dict[Goal, None] = {}
    sets = {key: items for key, items in ranked_sets(catalog) if key not in used_sets}
    pivots = [i for i in complete_items(catalog) if _set_of(catalog, i.values) in sets]
    step = max(1, len(pivots) // max(1, 2 * count))
    for start in range(step):
        for item in pivots[start::step]:
            if len(goals) == count:
                return tuple(goals)
            goal = _item_goal(catalog, item, sets[_set_of(catalog, item.values)])
            if not targets(catalog, goal) & used_targets:
                goals[goal] = None
    return tuple(goals)


def _item_goal(catalog: Catalog, item: Item, peers: Sequence[Item]) -> Goal:
    values: list[tuple[int, ...]] = []
    for f, facet in enumerate(catalog.domain.facets):
        if facet.match == "all":
            values.append(tuple(sorted(item.values[f])))
            continue
        own = list(item.values[f][:1])
        rest = [v for v in _frequent(catalog, f, peers) if v not in own]
        values.append(tuple((own + rest)[: facet.goal_size or None]))
    return Goal(tuple(values))
