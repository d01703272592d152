"""The file of prefixes: names and texts as JSON lines, read back into views and gold."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from catalogs.catalog import Catalog
from catalogs.goal import Goal, goal_from_names
from dialogue.acts import Kind, UserAct, UserActs
from dialogue.history import apply_exchange
from dialogue.view import DialogueView, Exchange, SharedRetriever
from envs.record import acts_json
from evaluation.canonical import canonical_line
from evaluation.prefixes.gold import Gold
from evaluation.records import RecordError

FORMAT = "crsgym-prefixes/1"
CATALOG = "sample_movie"
"""The bundled films, which every checkout has (``catalogs.sources``)."""
FILE = Path(__file__).with_name("prefixes.jsonl")


@dataclass(frozen=True, slots=True)
class Prefix:
    """The beginning of a dialogue, and what is right next.

    Attributes:
        name: Unique name.
        source: Where it is from: ``policy``, ``episode``, ``seed``, ``goal_index``, ``persona``.
        max_turns: Turn limit of the dialogue.
        exchanges: The finished turns, opening first: all that a policy may see.
        goal: What the user wants; hidden from policies.
        targets: Bit set of what it would accept; hidden.
        gold: Hidden.
    """

    name: str
    source: Mapping[str, Any]
    max_turns: int
    exchanges: tuple[Exchange, ...]
    goal: Goal
    targets: int
    gold: Gold

    def view(self, catalog: Catalog, retriever: SharedRetriever) -> DialogueView:
        """The public view as it was after the last of the finished turns."""
        view = DialogueView(catalog, retriever, "text", self.max_turns)
        for exchange in self.exchanges:
            apply_exchange(view, exchange)
        return view


def catalog_digest(catalog: Catalog) -> str:
    """What tells the items that prefixes are about from others."""
    rows = [
        [item.id, item.title, item.year, *(list(values) for values in item.values)]
        for item in catalog.items
    ]
    line = canonical_line({"vocabulary": [list(v) for v in catalog.vocabulary], "items": rows})
    return hashlib.sha256(line).hexdigest()[:16]


def write_prefixes(catalog: Catalog, prefixes: Sequence[Prefix]) -> bytes:
    """The file's bytes: a header, then a line per prefix."""
    policies = sorted({str(prefix.source["policy"]) for prefix in prefixes})
    header = {
        "format": FORMAT,
        "catalog": CATALOG,
        "catalog_items": len(catalog),
        "catalog_digest": catalog_digest(catalog),
        "prefixes": len(prefixes),
        "policies": policies,
    }
    lines = [header, *(_to_json(catalog, prefix) for prefix in prefixes)]
    return b"".join(canonical_line(line) for line in lines)


def read_prefixes(catalog: Catalog, path: Path = FILE) -> tuple[Prefix, ...]:
    """Read the file.

    Raises:
        RecordError: The file is of another format or of other items, or a line is damaged.
    """
    header, *lines = path.read_bytes().decode("utf-8").splitlines()
    facts = json.loads(header)
    if facts.get("format") != FORMAT:
        raise RecordError(f"{path}: format {facts.get('format')!r} is unknown, {FORMAT!r} is read")
    if facts["catalog_digest"] != catalog_digest(catalog):
        raise RecordError(
            f"{path} is about other items than {catalog.source} holds now; take up the new ones "
            f"with python -m evaluation.prefixes record"
        )
    found = []
    for number, line in enumerate(lines, start=2):
        try:
            found.append(_from_json(catalog, json.loads(line)))
        except (ValueError, KeyError, TypeError, IndexError) as error:
            raise RecordError(
                f"{path}, line {number}: no prefix ({error}); make the file anew with "
                f"python -m evaluation.prefixes make"
            ) from error
    return tuple(found)


def _to_json(catalog: Catalog, prefix: Prefix) -> dict[str, Any]:
    names = catalog.domain.actions
    gold = prefix.gold
    targets = [item.id for item in catalog.items if prefix.targets >> item.index & 1]
    return {
        "prefix": prefix.name,
        "source": dict(prefix.source),
        "max_turns": prefix.max_turns,
        "exchanges": [_exchange_to_json(catalog, exchange) for exchange in prefix.exchanges],
        "hidden": {
            "goal": prefix.goal.named(catalog),
            "targets": targets,
            "gold": [names[action] for action in gold.actions],
            "rule": gold.rule,
            "any_offer": gold.any_offer,
            "needless": [names[action] for action in gold.needless],
        },
    }


def _from_json(catalog: Catalog, line: Mapping[str, Any]) -> Prefix:
    hidden, names = line["hidden"], catalog.domain.actions
    return Prefix(
        name=line["prefix"],
        source=line["source"],
        max_turns=line["max_turns"],
        exchanges=tuple(_exchange_from_json(catalog, entry) for entry in line["exchanges"]),
        goal=goal_from_names(catalog, hidden["goal"]),
        targets=sum(1 << catalog.item(item_id).index for item_id in hidden["targets"]),
        gold=Gold(
            tuple(names.index(name) for name in hidden["gold"]),
            hidden["rule"],
            hidden["any_offer"],
            tuple(names.index(name) for name in hidden["needless"]),
        ),
    )


def _exchange_to_json(catalog: Catalog, exchange: Exchange) -> dict[str, Any]:
    spoken = {"user": exchange.user_text, "heard": acts_json(catalog, exchange.acts)}
    if exchange.action < 0:
        return spoken
    return {
        "action": catalog.domain.actions[exchange.action],
        "item": catalog.items[exchange.item].id if exchange.item >= 0 else None,
        "ranking": [catalog.items[item].id for item in exchange.ranking],
        "query": exchange.query,
        "system": exchange.system_text,
        **spoken,
        "turn": exchange.turn,
    }


def _exchange_from_json(catalog: Catalog, entry: Mapping[str, Any]) -> Exchange:
    heard = acts_from_json(catalog, entry["heard"])
    if "action" not in entry:
        return Exchange(0, -1, -1, (), "", entry["user"], heard)
    return Exchange(
        entry["turn"],
        catalog.domain.actions.index(entry["action"]),
        -1 if entry["item"] is None else catalog.item(entry["item"]).index,
        tuple(catalog.item(item_id).index for item_id in entry["ranking"]),
        entry["system"],
        entry["user"],
        heard,
        entry["query"],
    )


def acts_from_json(catalog: Catalog, rows: Sequence[Sequence[Any]]) -> UserActs:
    """The acts that ``envs.record.acts_json`` wrote."""
    return tuple(_act(catalog, *row) for row in rows)


def _act(catalog: Catalog, name: str, facet: Any, value: Any, other: Any) -> UserAct:
    kind = int(Kind[name])
    if kind == Kind.SIGH:
        return UserAct(kind, facet)
    f = -1 if facet is None else catalog.domain.facet_index(facet)
    v = -1 if value is None else catalog.value_index(f, value)
    if other is None:
        return UserAct(kind, f, v)
    if kind in (Kind.VAGUE, Kind.CORRECT):
        return UserAct(kind, f, v, catalog.value_index(f, other))
    return UserAct(kind, f, v, catalog.item(other).index)
