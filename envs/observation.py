"""The numeric observation: a flat float32 vector of named entries, made of the public view."""

from __future__ import annotations

import math
import struct

import numpy as np
from numpy.typing import NDArray

from catalogs.domain import Domain
from dialogue.state import Status
from dialogue.view import DialogueView

FACET_ENTRIES = (
    "missing", "ambiguous", "stated", "corrected", "likes", "dislikes", "doubts", "unclear",
    "confidence", "asked", "evasions", "closed",
)  # fmt: skip
GLOBAL_ENTRIES = (
    "turn", "rejections", "seen", "just_rejected", "details_asked", "impatience", "streak",
    "explained", "candidates", "entropy", "score_1", "score_2", "score_3",
)  # fmt: skip


class Observer:
    """Encodes views of one catalogue.

    All entries are in [0, 1]: flags and one-hot entries are 0 or 1; counts are ``n / (n + 2)``
    (``likes``, ``dislikes``, ``doubts``, ``unclear``, ``asked``, ``evasions``, ``rejections``,
    ``seen``, ``streak``, ``explained``); ``turn`` is a share of the limit, ``impatience`` a share
    of 3; ``candidates`` is the size of the best tier as ``1 / size``; ``entropy`` is in units of
    log2(N); scores are shares of constraints met.

    Attributes:
        names: Name of each entry, in order: ``<facet>.<entry>`` for each facet, the global entries,
            ``reason.<facet>`` (the last rejection's stated reason) and ``last.<action>``.
    """

    def __init__(self, domain: Domain, n_items: int) -> None:
        facets = [facet.name for facet in domain.facets]
        self.names: tuple[str, ...] = (
            *(f"{facet}.{entry}" for facet in facets for entry in FACET_ENTRIES),
            *GLOBAL_ENTRIES,
            *(f"reason.{facet}" for facet in facets),
            *(f"last.{action}" for action in domain.actions),
        )
        self._bits = math.log2(max(2, n_items))
        self._shares = [n / (n + 2.0) for n in range(256)]
        self._facet_rows: dict[tuple[int, ...], bytes] = {}
        n_facets = domain.n_facets
        self._reasons = [_one_hot(n_facets, f) for f in range(-1, n_facets)]
        self._actions = [_one_hot(n_facets + 3, a) for a in range(-1, n_facets + 3)]

    @property
    def size(self) -> int:
        """Number of entries."""
        return len(self.names)

    def encode(self, view: DialogueView) -> NDArray[np.float32]:
        """The observation of a view, shape ``(size,)``, dtype float32."""
        shares = self._shares
        best = view.assess()
        parts = [self._facet(view, f) for f in range(len(view.asked))]
        parts.append(
            _GLOBALS.pack(
                view.turn / view.max_turns,
                shares[view.rejections],
                shares[view.seen],
                view.just_rejected,
                view.details >= 0,
                view.impatience / 3.0,
                shares[view.streak],
                shares[view.explained],
                1.0 / best.candidates if best.candidates else 0.0,
                best.entropy / self._bits,
                *best.scores,
            )
        )
        parts.append(self._reasons[view.reason[0] + 1])
        parts.append(self._actions[view.last_action + 1])
        return np.frombuffer(b"".join(parts), dtype=np.float32).copy()

    def _facet(self, view: DialogueView, f: int) -> bytes:
        """A facet's entries as packed floats; few combinations occur, so they are packed once."""
        state = view.state
        key = (
            len(state.likes[f]),
            len(state.dislikes[f]),
            len(state.doubts[f]),
            len(state.ambiguous[f]),
            view.asked[f],
            state.evasions[f],
            state.closed[f],
            state.corrected[f],
        )
        row = self._facet_rows.get(key)
        if row is None:
            status = [0.0] * len(Status)
            status[state.status(f)] = 1.0
            counts = [self._shares[n] for n in key[:4]]
            rest = [state.confidence(f), self._shares[key[4]], self._shares[key[5]], float(key[6])]
            row = self._facet_rows[key] = _pack([*status, *counts, *rest])
        return row


_GLOBALS = struct.Struct(f"={len(GLOBAL_ENTRIES)}f")


def _pack(row: list[float]) -> bytes:
    return struct.pack(f"={len(row)}f", *row)


def _one_hot(size: int, index: int) -> bytes:
    return _pack([1.0 if i == index else 0.0 for i in range(size)])
