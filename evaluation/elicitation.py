"""Elicitation errors: coarse (ask or recommend?) and fine (after a rejection: about what?)."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from evaluation.reading import (
    Turn,
    asked_facet,
    facets,
    is_ask,
    offer,
    said_before,
    wanted_values,
)
from evaluation.records import Record, RecordError


def cge2(record: Record, k: int = 1) -> tuple[int, int]:
    """CGE2 of one dialogue as (errors, ask and recommend turns) (dreams §A.6.2, Eq. 11-20).

    A turn is wrong when it asks while retrieval is right, or recommends while it is wrong.
    Retrieval is right when a target is among the first k: on an ask turn, of the shared
    retriever's not yet offered items on the tracked state before the turn; on a recommend turn,
    of the turn's ranking (k = 1: the offer). Other turns do not count. The metric is pooled: sum
    of errors over sum of turns.
    """
    targets = set(record["targets"])
    errors = counted = 0
    for turn in record["turns"]:
        if is_ask(record, turn):
            right = not targets.isdisjoint(turn["retrieved"][:k])
            errors += right
        elif (item := offer(turn)) is not None:
            right = not targets.isdisjoint((turn["ranking"] or [item])[:k])
            errors += not right
        else:
            continue
        counted += 1
    return errors, counted


def fge2(record: Record) -> tuple[int, int]:
    """FGE2 of one dialogue as (errors, turns after a rejection with a reason) (dreams §A.6.1).

    After a rejection with stated reason (facet f, value v) the next act is an error when it

    * inquires about a facet other than f, or
    * recommends an item that has v, or that does not fit what the user has asked for in f
      (``all`` facets: every wanted value; ``any`` facets: one of them; nothing wanted: fits).

    FailureReflection and ItemExplanation are no errors. Rejections without a reason and "seen it"
    do not count, and neither does a rejection that nothing follows. An utterance with several
    reasons is met by an inquiry about any of the facets; an item must respect them all.
    """
    errors = counted = 0
    for position, reasons, turn in _after_rejections(record):
        counted += 1
        asked = asked_facet(record, turn)
        if asked is not None:
            errors += asked not in {facet for facet, _ in reasons}
        elif offer(turn) is not None:
            wanted = wanted_values(said_before(record, position))
            errors += any(_ignores(record, turn, reason, wanted) for reason in reasons)
    return errors, counted


Reason = tuple[str, str | None]


def _after_rejections(record: Record) -> Iterator[tuple[int, list[Reason], Turn]]:
    """Turns that follow a rejection with a reason: position, reasons, turn."""
    turns = record["turns"]
    for position in range(1, len(turns)):
        reasons = _reasons(turns[position - 1]["said"])
        if reasons:
            yield position, reasons, turns[position]


def _reasons(acts: list[list[Any]]) -> list[Reason]:
    return [(facet, value) for kind, facet, value, _ in acts if kind == "REJECT" and facet]


def _ignores(record: Record, turn: Turn, reason: Reason, wanted: dict[str, list[str]]) -> bool:
    """Whether an offer repeats what was complained about or misses what was asked for there."""
    facet, value = reason
    try:
        has = turn["item_values"][facet]
    except KeyError as error:
        raise RecordError(
            f"the record of episode {record['episode']} lacks the values of item {turn['item']!r};"
            f" complete it with evaluation.completion.complete_record"
        ) from error
    if value is not None and value in has:
        return True
    asked_for = wanted.get(facet, [])
    fits = [v in has for v in asked_for]
    needs_all = facets(record)[facet][0] == "all"
    return bool(fits) and not (all(fits) if needs_all else any(fits))
