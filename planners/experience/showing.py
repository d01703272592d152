"""Experience bases as tables for the terminal. What was said is shown as text, never as markup."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from rich.console import Console
from rich.table import Table
from rich.text import Text

from dialogue.experience import Experience, ExperienceBase
from planners.experience.similarity import Near, Pair

Numbered = tuple[int, Experience]
"""A case and its number in the base, from 1."""

_COLUMNS = ("no.", "dialogue", "turn", "success", "return")
_LAST = "action: reason"
"""A case's last column, which is cut where the terminal is narrow; the others are always whole."""
LONGEST = 300
"""Characters of a text in a table."""


def show_header(console: Console, base: ExperienceBase) -> None:
    """What the base is and how it was made."""
    header = base.header
    table = _table("Experience base", "", "")
    splits = Counter((case.split, case.episode) for case in base.experiences)
    by_split = Counter(split for split, _ in splits)
    rows = {
        "format": header["format"],
        "made by": header["made_by"],
        "catalogue": ", ".join(f"{key} {value}" for key, value in header["catalog"].items()),
        "dialogues": f"{header['dialogues']}, {header['successes']} successful ("
        + ", ".join(f"{count} {split}" for split, count in sorted(by_split.items()))
        + ")",
        "decisions": len(base.experiences),
        "personas": header["personas"],
        "hash": header["hash"],
    }
    for name, value in rows.items():
        table.add_row(_plain(name), _plain(value))
    for name, value in sorted(header["config"].items()):
        table.add_row(_plain(name), _plain(json.dumps(value, ensure_ascii=False, sort_keys=True)))
    console.print(table)


def show_actions(console: Console, base: ExperienceBase) -> None:
    """How often each action was taken, and what came of it."""
    table = _table("Actions", "action", "decisions", "in successes", "mean return")
    for action in base.header["actions"]:
        cases = [case for case in base.experiences if case.action == action]
        if not cases:
            continue
        good = sum(case.success for case in cases)
        mean = sum(case.reward for case in cases) / len(cases)
        table.add_row(_plain(action), str(len(cases)), str(good), f"{mean:.2f}")
    console.print(table)


def show_cases(console: Console, cases: Sequence[Numbered], limit: int) -> None:
    """Cases, a line each; the first ``limit`` of them."""
    table = _case_table("Cases", *_COLUMNS)
    for number, case in cases[:limit]:
        table.add_row(*_row(number, case), _why(case))
    console.print(table)
    if len(cases) > limit:
        console.print(f"{len(cases) - limit} more; --limit shows more of them", markup=False)


def show_case(console: Console, number: int, case: Experience) -> None:
    """One case in full."""
    table = _table(f"Case {number}", "", "")
    outcome = "success" if case.success else "failure"
    rows: dict[str, object] = {
        "dialogue": f"{case.split} {case.episode}, turn {case.turn}",
        "action": case.action,
        "reason": case.reason,
        "refined query": "none" if case.query is None else case.query,
        "outcome": f"{outcome}, return {case.reward:.3f} from this turn",
        "search": _shares(case.search),
        "facts": ", ".join(f"{name} {value:g}" for name, value in sorted(case.facts.items())),
    }
    for facet, entry in case.state.items():
        rows[facet] = _state(entry)
    for name, value in rows.items():
        table.add_row(_plain(name), _plain(value, None))
    console.print(table)
    for speaker, said in case.lines:
        console.print(Text(f"{speaker}: ", style="bold").append(_plain(said, None)))


def show_nearest(console: Console, pair: Pair, numbers: Mapping[int, int]) -> None:
    """The cases nearest to a case; ``numbers`` are the cases' numbers by ``id``."""
    sides: Iterable[tuple[str, tuple[Near, ...]]] = (
        ("Nearest successes", pair.successes),
        ("Nearest failures", pair.failures),
    )
    for title, side in sides:
        table = _case_table(title, *_COLUMNS, "distance")
        for near in side:
            row = _row(numbers[id(near.case)], near.case)
            table.add_row(*row, f"{near.distance:.3f}", _why(near.case))
        console.print(table)


def _row(number: int, case: Experience) -> tuple[Text, ...]:
    cells = (
        number,
        f"{case.split} {case.episode}",
        case.turn,
        "yes" if case.success else "no",
        f"{case.reward:.2f}",
    )
    return tuple(_plain(cell) for cell in cells)


def _why(case: Experience) -> Text:
    """What was done and why, on one line."""
    text = _plain(f"{case.action}: {case.reason}")
    text.no_wrap, text.overflow = True, "ellipsis"
    return text


def _state(entry: Mapping[str, Any]) -> str:
    parts = [str(entry["status"])]
    named = ("like", "dislike", "doubt", "withdrawn")
    parts += [f"{name} {', '.join(entry[name])}" for name in named if entry[name]]
    parts += [f"unclear {first} or {second}" for first, second in entry["ambiguous"]]
    if entry["evasions"]:
        parts.append(f"evaded {entry['evasions']} times")
    return "; ".join([*parts, *(["nothing more"] if entry["closed"] else [])])


def _shares(search: Mapping[str, float]) -> str:
    shares = sorted(search.items(), key=lambda pair: -pair[1])
    return ", ".join(f"{name} {share:.0%}" for name, share in shares) or "none"


def _table(title: str, *columns: str) -> Table:
    table = Table(title=title, show_header=any(columns))
    for column in columns:
        table.add_column(column, overflow="fold")
    return table


def _case_table(title: str, *columns: str) -> Table:
    """Cases, a line each: what does not fit is cut off the last column."""
    table = Table(title=title)
    for column in columns:
        table.add_column(column, no_wrap=True)
    table.add_column(_LAST, overflow="ellipsis")
    return table


def _plain(value: object, longest: int | None = LONGEST) -> Text:
    """A value as text: what would move a terminal's cursor is shown as an escape."""
    text = str(value)
    if longest is not None and len(text) > longest:
        text = text[: longest - 1] + "…"
    safe = "".join(
        char if char.isprintable() else char.encode("unicode_escape").decode() for char in text
    )
    return Text(safe.encode("utf-8", "backslashreplace").decode())
