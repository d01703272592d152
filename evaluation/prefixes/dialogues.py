"""The dialogues that prefixes are taken from: recorded once, played again at any time.

A line of ``dialogues.jsonl`` is a test dialogue over the bundled films: who played the system, the
episode, and the system's turns. Playing these turns against the same simulated user (same episode,
same seed) gives the dialogue, so the prefixes can be made anew without the policies, which go on
changing. Each policy has test episodes of its own: its number plus a multiple of their count.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import closing
from pathlib import Path
from typing import Any

from dialogue.view import SystemTurn
from envs.crs import CRSEnv
from evaluation.canonical import canonical_line
from evaluation.episode import EpisodeRunner
from evaluation.prefixes.data import CATALOG
from evaluation.records import Record

FILE = Path(__file__).with_name("dialogues.jsonl")
SEED = 0
SHARE = 20
"""Prefixes, each of another dialogue, per policy."""

Recorded = dict[str, Any]


def make_env() -> CRSEnv:
    """The environment of the dialogues."""
    return CRSEnv(CATALOG, split="test")


def record_dialogues(policies: Mapping[str, Callable[[], Any]]) -> bytes:
    """Let policies hold their dialogues; the file's bytes.

    Args:
        policies: Factories by name, in an order that is part of the data.

    Raises:
        ValueError: A policy chose an illegal action, which could not be played again.
    """
    lines: list[Recorded] = []
    for number, (name, make_policy) in enumerate(policies.items()):
        with closing(EpisodeRunner(make_env, make_policy, SEED, "test")()) as session:
            own = episodes_of(number, len(policies))
            lines.extend(_recorded(name, session(episode)[0]) for episode in own)
    return b"".join(canonical_line(line) for line in lines)


def episodes_of(number: int, count: int) -> range:
    """Test episodes of policy ``number`` of ``count``: no two policies share one."""
    return range(number, number + SHARE * count, count)


def read_dialogues(path: Path = FILE) -> list[Recorded]:
    """The recorded dialogues, in the file's order."""
    return [json.loads(line) for line in path.read_bytes().decode("utf-8").splitlines()]


def play(env: CRSEnv, recorded: Recorded) -> Iterator[CRSEnv]:
    """Play a recorded dialogue again; yields the environment before each of the system's turns."""
    env.reset(seed=SEED, options={"episode": recorded["episode"], "split": "test"})
    for turn in recorded["turns"]:
        yield env
        env.play(_turn(env, turn))


def _recorded(policy: str, record: Record) -> Recorded:
    if not all(turn["legal"] for turn in record["turns"]):
        raise ValueError(f"{policy} chose an illegal action in episode {record['episode']}")
    return {
        "policy": policy,
        "episode": record["episode"],
        "turns": [
            {
                "action": turn["action"],
                "text": turn["system"],
                "query": turn["query"],
                **({"ranking": turn["ranking"]} if turn["ranking"] else {}),
            }
            for turn in record["turns"]
        ],
    }


def _turn(env: CRSEnv, turn: Mapping[str, Any]) -> SystemTurn:
    catalog = env.catalog
    ranking: Sequence[str] | None = turn.get("ranking")
    return SystemTurn(
        catalog.domain.actions.index(turn["action"]),
        text=turn["text"],
        query=turn["query"],
        ranking=None
        if ranking is None
        else tuple(catalog.item(item_id).index for item_id in ranking),
    )
