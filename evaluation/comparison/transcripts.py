"""Transcripts in a page: compact values, compressed, in pieces that are opened one by one."""

from __future__ import annotations

import base64
import json
import zlib
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, NamedTuple

from evaluation.plaintext import one_line
from evaluation.reading import is_dialogue
from evaluation.records import Record

PIECE = 25
"""Dialogues in a piece: what is opened at once."""

DEPTH = 60
"""Levels of a trace that are kept; deeper ones say so."""


class Piece(NamedTuple):
    """Consecutive dialogues of a run.

    Attributes:
        texts: What was said and done, compressed.
        traces: How it was decided, compressed; empty where nothing is kept.
    """

    texts: bytes
    traces: bytes


class Transcripts(NamedTuple):
    """All dialogues of a run.

    Attributes:
        pieces: In order, each of :data:`PIECE` dialogues but the last.
        traced: By dialogue, whether it has traces.
    """

    pieces: tuple[Piece, ...]
    traced: tuple[bool, ...]


def pack_transcripts(records: Sequence[Record]) -> Transcripts:
    """Pack the dialogues of a run; episodes without turns pack to nothing."""
    talks = [record for record in records if is_dialogue(record)]
    pieces = []
    for start in range(0, len(talks), PIECE):
        part = talks[start : start + PIECE]
        traces = [[_trace(turn.get("trace")) for turn in record["turns"]] for record in part]
        some = any(trace is not None for turns in traces for trace in turns)
        pieces.append(
            Piece(packed([_dialogue(record) for record in part]), packed(traces) if some else b"")
        )
    return Transcripts(tuple(pieces), tuple(any(map(_traced, record["turns"])) for record in talks))


def packed(value: Any) -> bytes:
    """JSON in ASCII, compressed (zlib); the same bytes for the same value."""
    text = json.dumps(value, ensure_ascii=True, allow_nan=False, separators=(",", ":"))
    return zlib.compress(text.encode("ascii"), 6)


def embedded(data: bytes) -> str:
    """Bytes as base64, in which nothing means anything to HTML."""
    return base64.b64encode(data).decode("ascii")


def visible(text: Any) -> str:
    """A text in which nothing steers its reader; line ends stay."""
    whole = str(text)
    if whole.isascii() and whole.isprintable():
        return whole
    return "\n".join(one_line(line) for line in whole.split("\n"))


def _traced(turn: Mapping[str, Any]) -> bool:
    return turn.get("trace") is not None


def _dialogue(record: Record) -> dict[str, Any]:
    found = {
        "goal": _plain(record.get("goal")),
        "targets": [visible(target) for target in record["targets"]],
        "opening": visible(record["opening"]["user"]),
        "said": _acts(record["opening"]["said"]),
        "turns": [_turn(turn) for turn in record["turns"]],
    }
    if "failure" in record:
        found["failure"] = visible(record["failure"]["message"])
    return found


def _turn(turn: Mapping[str, Any]) -> dict[str, Any]:
    """What a reader wants to see of a turn; empty things are left out."""
    shown = {
        "a": visible(turn["action"]),
        "s": visible(turn["system"]),
        "u": visible(turn["user"]),
        "said": _acts(turn["said"]),
        "item": None if turn["item"] is None else visible(turn["item"]),
        "values": _plain(turn.get("item_values")),
        "query": None if turn["query"] is None else visible(turn["query"]),
        "rank": [visible(item) for item in turn["ranking"]],
        "best": [visible(item) for item in turn["retrieved"][:5]],
        "known": _known(turn.get("state") or {}),
        "r": _plain({key: value for key, value in turn["rewards"].items() if value}),
        "illegal": not turn.get("legal", True),
        "changed": turn.get("search_changed"),
    }
    return {key: value for key, value in shown.items() if value not in (None, [], {}, "", False)}


def _acts(acts: Sequence[Sequence[Any]]) -> list[str]:
    return [visible(" ".join(str(part) for part in act if part is not None)) for act in acts]


def _known(state: Mapping[str, Any]) -> dict[str, str]:
    """What the tracker holds of each facet, in words."""
    return {visible(name): visible("; ".join(_held(facet))) for name, facet in state.items()}


def _held(facet: Mapping[str, Any]) -> Iterator[str]:
    likes, dislikes = facet.get("like") or (), facet.get("dislike") or ()
    yield ", ".join(map(str, likes)) if likes else str(facet.get("status", "nothing"))
    if dislikes:
        yield "not " + ", ".join(map(str, dislikes))


def _trace(trace: Any) -> Any:
    return None if trace is None else _plain(trace)


def _plain(value: Any, depth: int = 0) -> Any:
    """A JSON value with visible texts and numbers of four digits."""
    if isinstance(value, float):
        return float(f"{value:.4g}")
    if value is None or isinstance(value, int):
        return value
    if depth >= DEPTH:
        return "… (deeper than is shown)"
    if isinstance(value, Mapping):
        return {visible(key): _plain(inner, depth + 1) for key, inner in value.items()}
    if isinstance(value, Sequence) and not isinstance(value, str):
        return [_plain(inner, depth + 1) for inner in value]
    return visible(value)
