"""The transcripts of a comparison as data inside its page, within a limit."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

from evaluation.comparison.comparing import Comparison
from evaluation.comparison.run import Run
from evaluation.comparison.transcripts import embedded, packed, visible

LIMIT = 40 * 2**20
"""Bytes of transcripts and traces in a page, as they stand there (base64)."""
EXACT = 2**53
"""Numbers from here on are not told apart by JavaScript."""

NO_TEXTS = "This page was made without transcripts; they are in the runs' records.jsonl."


class PageData(NamedTuple):
    """What a page's script reads.

    Attributes:
        pieces: By element id, base64 of compressed JSON.
        left_out: What did not fit, in words; empty where everything is here.
    """

    pieces: dict[str, str]
    left_out: str


def page_data(comparison: Comparison, limit: int = LIMIT) -> PageData:
    """Choose what fits: texts before traces, and of each the same share of every run.

    Args:
        comparison: Made with ``texts=True``, else there is nothing to choose from.
        limit: Bytes at most.
    """
    runs = [(m, run) for m, method in enumerate(comparison.methods) for run in method.runs]
    held = [run for _, run in runs]
    pieces: dict[str, str] = {}
    texts = _fill(pieces, _in_turn(held, "texts"), limit)
    traces = _fill(pieces, _in_turn(held, "traces"), limit - texts.used)
    index = {
        "methods": [visible(method.name) for method in comparison.methods],
        "runs": [{"m": m, "name": visible(run.name)} for m, run in runs],
        "rows": [row for r, run in enumerate(held) for row in _rows(r, run)],
    }
    told = _told(texts, traces, limit) if any(run.transcripts for run in held) else NO_TEXTS
    return PageData({"index": embedded(packed(index)), **pieces}, told)


class _Filled(NamedTuple):
    used: int
    left_out: int
    total: int


def _fill(pieces: dict[str, str], offered: Iterator[tuple[str, bytes]], limit: int) -> _Filled:
    used = left_out = total = 0
    for name, data in offered:
        size = (len(data) + 2) // 3 * 4
        total += 1
        if left_out or used + size > limit:
            left_out += 1  # and everything after it: a gap would look like chance
            continue
        pieces[name] = embedded(data)
        used += size
    return _Filled(used, left_out, total)


def _in_turn(runs: Sequence[Run], kind: str) -> Iterator[tuple[str, bytes]]:
    """The pieces of one kind: the first of every run, then the second of every run, and so on."""
    packs = [() if run.transcripts is None else run.transcripts.pieces for run in runs]
    for p in range(max(map(len, packs), default=0)):
        for r, pack in enumerate(packs):
            if p < len(pack):
                data: bytes = getattr(pack[p], kind)
                if data:
                    yield f"{kind}-{r}-{p}", data


def _rows(r: int, run: Run) -> Iterator[list[Any]]:
    """What the list and the filters show of each dialogue, with its place among the pieces."""
    if run.transcripts is None or not run.transcripts.pieces:
        return
    for k, dialogue in enumerate(run.dialogues):
        seed, _, episode = dialogue.place
        yield [
            r, k, seed if seed < EXACT else str(seed), episode,
            None if dialogue.persona is None else visible(dialogue.persona),
            dialogue.goal, visible(dialogue.outcome), int(bool(dialogue.success)),
            dialogue.turns, round(dialogue.total, 3), int(run.transcripts.traced[k]),
        ]  # fmt: skip


def _told(texts: _Filled, traces: _Filled, limit: int) -> str:
    size = f"{limit / 2**20:g} MB"
    if texts.left_out:
        return (
            f"Transcripts in this page are limited to {size}: {texts.left_out} of {texts.total} "
            f"parts of the transcripts and all traces are left out; they are in the runs' "
            f"records.jsonl. Compare fewer runs for the rest."
        )
    if traces.left_out:
        return (
            f"Transcripts in this page are limited to {size}: {traces.left_out} of "
            f"{traces.total} parts of the traces are left out; they are in the runs' "
            f"records.jsonl. Compare fewer runs for the rest."
        )
    return ""
