"""What a decision at a prefix is worth, and the metrics of dreams Table 8."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass
from typing import Any

from dialogue.view import DialogueView, SystemTurn
from evaluation.prefixes.data import Prefix
from evaluation.records import Record
from evaluation.statistics import Interval, bootstrap_interval
from evaluation.tally import Tally


@dataclass(frozen=True, slots=True)
class PrefixScores:
    """A policy on the prefixes.

    Attributes:
        records: One per prefix, see :func:`score_decision`.
        values: Metrics by name; None where nothing counts (no question was asked).
        intervals: Their 95 % bootstrap intervals; prefixes are resampled.
    """

    records: tuple[Record, ...]
    values: Mapping[str, float | None]
    intervals: Mapping[str, Interval | None]


def score_decision(prefix: Prefix, view: DialogueView, turn: SystemTurn) -> dict[str, Any]:
    """Compare a decision with the gold.

    Args:
        prefix: Where it was made.
        view: The prefix's view.
        turn: What was decided; what it leaves open, the shared retriever fills in.

    Returns:
        ``action``, ``item`` (the offer), ``gold`` (names, preferred first), ``rule``, and whether
        the decision is ``right``, ``preferred`` (right and the first of the gold), a question
        (``asks``), ``useful`` (a gold question), ``redundant`` (a question after which nothing new
        can be said), ``premature`` (an offer that is not right); ``due`` is whether the preferred
        action is a question. An illegal action is wrong and none of these.

    Raises:
        ValueError: The action does not exist.
    """
    domain, gold = view.catalog.domain, prefix.gold
    action = turn.action
    if not 0 <= action < len(domain.actions):
        raise ValueError(
            f"action {action} does not exist; this domain has actions 0..{len(domain.actions) - 1}"
        )
    legal = view.mask()[action]
    asks = legal and action <= domain.reflect
    offers = legal and action == domain.recommend
    item = _offer(view, turn) if offers else -1
    if offers:
        target = item >= 0 and bool(prefix.targets >> item & 1)
        right = target or (gold.any_offer and action in gold.actions)
    else:
        right = legal and action in gold.actions
    return {
        "action": domain.actions[action],
        "legal": legal,
        "item": view.catalog.items[item].id if item >= 0 else None,
        "query": turn.query,
        "system": turn.text,
        "search_changed": turn.search_changed,
        "trace": turn.trace,
        "gold": [domain.actions[a] for a in gold.actions],
        "rule": gold.rule,
        "right": right,
        "preferred": right and action == gold.actions[0],
        "due": gold.actions[0] <= domain.reflect,
        "asks": asks,
        "useful": asks and right,
        "redundant": asks and action in gold.needless,
        "premature": offers and not right,
    }


def _offer(view: DialogueView, turn: SystemTurn) -> int:
    if turn.ranking:
        return turn.ranking[0]
    found = view.retriever.top(view, 1)
    return found[0] if found else -1


def is_prefix(record: Record) -> bool:
    """Whether a record is of a prefix."""
    return "prefix" in record


def prefix_tallies(records: Sequence[Record]) -> dict[str, Tally]:
    """The metrics of dreams Table 8 and two more, by their keys in ``summary.json``.

    * ``next_action_accuracy``: share of prefixes with a right decision;
      ``next_action_preferred``: with the preferred one of several.
    * ``useful_ask``: of the prefixes at which a question is due (the preferred gold is one), the
      share at which the policy asks a gold question.
    * ``redundant_question``: of the policy's questions, the share after which nothing new can be
      said.
    * ``premature_recommendation``: share of prefixes at which the policy makes an offer that is not
      right.
    * ``illegal_action``: share of prefixes with an action that is not possible there.
    """
    return {
        "next_action_accuracy": Tally.mean_of(r["right"] for r in records),
        "next_action_preferred": Tally.mean_of(r["preferred"] for r in records),
        "useful_ask": Tally.of((r["due"] and r["useful"], r["due"]) for r in records),
        "redundant_question": Tally.of((r["redundant"], r["asks"]) for r in records),
        "premature_recommendation": Tally.mean_of(r["premature"] for r in records),
        "illegal_action": Tally.mean_of(not r["legal"] for r in records),
    }


def evaluate_prefixes(make_policy: Callable[[], Any], seed: int = 0) -> PrefixScores:
    """Score a policy on the project's prefixes, in this process.

    ``python train.py prefixes=true`` does it with workers, records and resuming.

    Args:
        make_policy: Builds the policy.
        seed: Of the policy's own random numbers, at least 0.

    Raises:
        TypeError: It is no policy, or needs what prefixes lack.
    """
    from evaluation.episode import EpisodeRunner
    from evaluation.prefixes.env import SPLIT, PrefixEnv

    with closing(EpisodeRunner(PrefixEnv, make_policy, seed, SPLIT)()) as session:
        base: Any = session.env.unwrapped
        records = [session(number)[0] for number in range(len(base))]
    tallies = prefix_tallies(records)
    return PrefixScores(
        tuple(records),
        {name: tally.value for name, tally in tallies.items()},
        {name: bootstrap_interval(tally) for name, tally in tallies.items()},
    )
