"""How the prefixes are spread, and what says nothing about a policy: the best constant choice."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence

from catalogs.domain import Domain
from evaluation.prefixes.data import Prefix


def statistics(prefixes: Sequence[Prefix], domain: Domain) -> list[str]:
    """Plain lines about preferred gold actions, rules, sources, lengths and sizes of the gold."""
    names = domain.actions
    sources = [prefix.source for prefix in prefixes]
    due = sum(prefix.gold.actions[0] <= domain.reflect for prefix in prefixes)
    return [
        f"{len(prefixes)} prefixes; a question is due at {due}",
        _counts("preferred action", (names[prefix.gold.actions[0]] for prefix in prefixes)),
        _counts("in the gold", (names[a] for prefix in prefixes for a in prefix.gold.actions)),
        _counts("rule", (prefix.gold.rule for prefix in prefixes)),
        _counts("actions in the gold", (len(prefix.gold.actions) for prefix in prefixes)),
        _counts("policy", (source["policy"] for source in sources)),
        _counts("persona", (source["persona"] for source in sources)),
        _counts("goal", (source["goal_index"] for source in sources)),
        _counts("turns before", (len(prefix.exchanges) - 1 for prefix in prefixes)),
    ]


def _counts(what: str, entries: Iterable[str | int]) -> str:
    found = Counter(entries)
    numbers = all(isinstance(entry, int) for entry in found)
    order = sorted(found) if numbers else sorted(found, key=lambda e: (-found[e], str(e)))
    return f"{what}: {', '.join(f'{entry} {found[entry]}' for entry in order)}"
