"""Make, check and show the prefixes.

    python -m evaluation.prefixes make          # prefixes.jsonl from dialogues.jsonl, byte for byte
    python -m evaluation.prefixes check         # whether the file is what make would write
    python -m evaluation.prefixes record        # let the policies hold the dialogues anew: new data
    python -m evaluation.prefixes statistics    # how the gold actions, turns, goals are spread
    python -m evaluation.prefixes worth         # success after gold and after other actions
    python -m evaluation.prefixes show NAME     # one prefix with its gold (p000, p001, ...)

``README.md`` in this folder describes the data. A policy is scored by ``train.py prefixes=true``.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence
from pathlib import Path

from catalogs.catalog import Catalog, members
from catalogs.sources import open_catalog
from envs.rendering import printable
from evaluation.prefixes import data, dialogues
from evaluation.prefixes.data import CATALOG, Prefix, read_prefixes
from evaluation.prefixes.dialogues import read_dialogues, record_dialogues
from evaluation.prefixes.making import make_prefixes
from evaluation.prefixes.policies import recording_policies
from evaluation.prefixes.statistics import statistics
from evaluation.prefixes.worth import worth_of_gold
from evaluation.records import RecordError
from planners.prior_only import PriorOnly


def main(arguments: Sequence[str] | None = None) -> None:
    """Command line; errors that a user can act on are one line."""
    match list(sys.argv[1:] if arguments is None else arguments):
        case ["make"]:
            _write(data.FILE, make_prefixes(read_dialogues()))
            _tell()
        case ["check"]:
            _check()
        case ["record"]:
            _write(dialogues.FILE, record_dialogues(recording_policies()))
            _write(data.FILE, make_prefixes(read_dialogues()))
            _tell()
        case ["statistics"]:
            _tell()
        case ["worth"]:
            _worth()
        case ["show", name]:
            _show(name)
        case _:
            sys.exit((__doc__ or "").strip())


def _write(path: Path, content: bytes) -> None:
    path.write_bytes(content)
    print(f"{path}: {len(content):,} bytes")


def _check() -> None:
    made = make_prefixes(read_dialogues())
    if made != data.FILE.read_bytes():
        sys.exit(
            f"prefixes: {data.FILE} is not what its dialogues give; see what changed with "
            f"python -m evaluation.prefixes make and git diff"
        )
    print(f"{data.FILE} is what its dialogues give")


def _tell() -> None:
    catalog = open_catalog(CATALOG)
    for line in statistics(_read(catalog), catalog.domain):
        print(line)


def _worth() -> None:
    found = worth_of_gold(_read(open_catalog(CATALOG)), read_dialogues(), PriorOnly)
    for kind, (share, count) in found.items():
        print(f"{kind:9} {share:.3f} of the dialogues succeed ({count} prefixes)")


def _show(name: str) -> None:
    catalog = open_catalog(CATALOG)
    found = next((prefix for prefix in _read(catalog) if prefix.name == name), None)
    if found is None:
        sys.exit(f"prefixes: there is no prefix {name!r}; they are p000, p001, ...")
    names, gold = catalog.domain.actions, found.gold
    for exchange in found.exchanges:
        if exchange.action >= 0:
            print(f"system [{names[exchange.action]}] {printable(exchange.system_text)}")
        print(f"user   {printable(exchange.user_text)}")
    wanted = [f"{k}: {', '.join(v)}" for k, v in found.goal.named(catalog).items()]
    listed = [catalog.items[i].label for i in members(found.targets)]
    print(f"-- hidden: {'; '.join(wanted)}; targets: {printable(', '.join(listed))}")
    print(f"-- gold ({gold.rule}): {', '.join(names[action] for action in gold.actions)}")


def _read(catalog: Catalog) -> tuple[Prefix, ...]:
    try:
        return read_prefixes(catalog)
    except RecordError as error:
        sys.exit(f"prefixes: {error}")


if __name__ == "__main__":
    main()
