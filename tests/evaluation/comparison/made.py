"""Run directories made by hand, and a comparison of real small runs."""

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import yaml

from evaluation.canonical import canonical_line
from tests.evaluation.fakes import HOSTILE, record, timing, turn

HIT = {"outcome": "accepted", "success": True}
SCRIPT = "</script><script>window.hacked=true;alert(1)</script><img src=x onerror=alert(2)>"
NASTY = f"{SCRIPT}\u2028{HOSTILE} $x^2$ & 100% _under_ | `code` {{brace}} \\end{{table}} =1+1"
"""What a label, a title, a persona or an utterance may hold."""

TRACE = {
    "elicitation": {
        "actions": ["GenreInquiry", SCRIPT, "ItemRec"],
        "chosen": 1,
        "changed_decision": True,
        "simulations": 12,
        "visits": [5, 6, 1],
        "values": [1.25, 2.5, None],
        "priors": [0.5, 0.25, 0.25],
        "scores": [0.4, 0.5, 0.1],
        "tree": {
            "visits": 12,
            "value": 2.0,
            "priors": [0.5, 0.25, 0.25],
            "actions": [
                {
                    "action": 1,
                    "visits": 6,
                    "value": 2.5,
                    "prior": 0.25,
                    "outcomes": [
                        {
                            "observation": f"'LIKE {SCRIPT}'",
                            "visits": 4,
                            "value": 3.0,
                            "priors": None,
                            "actions": [
                                {"action": 2, "visits": 3, "value": 9.0, "prior": 0.5,
                                 "outcomes": []}
                            ],
                        }
                    ],
                }
            ],
        },
    },
    "exploitation": {
        "chosen": "raw",
        "tree": {
            "strategy": "raw", "query": SCRIPT, "score": 0.5, "visits": 2, "top": "t",
            "children": [
                {"strategy": "drop_noise", "query": "comedy", "score": 0.75, "visits": 1,
                 "top": None, "children": []}
            ],
        },
    },
    "belief": [0.75, 0.25],
    "proposals": [{"agent": SCRIPT, "says": "ask"}, {"agent": "two", "says": ["a", "b"]}],
}  # fmt: skip
"""A trace with both of Dreams' trees, a belief, and something of another method."""


def config(label: str | None = None, seed: int = 0, **changes: Any) -> dict[str, Any]:
    """Settings of a run; ``planner__n_el=5`` changes ``planner.n_el``."""
    made: dict[str, Any] = {
        "env": {"name": "redial", "id": "envs:CRS/Redial-v0", "max_turns": 10},
        "planner": {"name": "ask_all"},
        "reward": {"discount": 0.95},
        "split": "test",
        "seed": seed,
        "label": label,
        "run_dir": "somewhere",
        "catalog": {"items": 3, "source": "by hand"},
    }
    for name, value in changes.items():
        *groups, key = name.split("__")
        place = made
        for group in groups:
            place = place.setdefault(group, {})
        place[key] = value
    return made


def dialogue(hit: bool, episode: int, seed: int = 0, **changes: Any) -> dict[str, Any]:
    """A dialogue of one question and one offer."""
    persona, goal = f"persona {episode % 3}", episode % 4
    made = record(
        turn("GenreInquiry", system="Which genre?", user="comedy"),
        turn("ItemRec", item="t" if hit else "x", system="Try it.", user="yes" if hit else "no"),
        episode=episode, seed=seed, persona=persona, goal_index=goal, **(HIT if hit else {}),
    )  # fmt: skip
    made["return"] = 5.0 * hit + 0.01 * episode
    return made | changes


def write_run(
    folder: Path,
    settings: dict[str, Any],
    records: Sequence[dict[str, Any]],
    finished: bool = True,
    **timings: Any,
) -> Path:
    """Write a run directory."""
    folder.mkdir(parents=True)
    (folder / "config.yaml").write_text(yaml.safe_dump(settings), encoding="utf-8")
    lines = [canonical_line(entry) for entry in records]
    (folder / "records.jsonl").write_bytes(b"".join(lines))
    times = [canonical_line(timing(entry["episode"]) | timings) for entry in records]
    (folder / "timings.jsonl").write_bytes(b"".join(times))
    if finished:
        (folder / "summary.json").write_text(json.dumps({"episodes": len(records)}))
    return folder


def run_of(
    folder: Path, hits: str, label: str | None = None, seed: int = 0, **changes: Any
) -> Path:
    """A run whose dialogues succeed where ``hits`` has a 1."""
    records = [dialogue(hit == "1", k, seed) for k, hit in enumerate(hits)]
    return write_run(folder, config(label, seed, **changes), records)


def hostile_run(folder: Path, label: str = NASTY, seed: int = 0) -> Path:
    """A run in which everything that may hold a text holds a hostile one, with traces."""
    records = []
    for episode in range(3):
        made = dialogue(episode > 0, episode, seed)
        made |= {"goal": {NASTY[:40]: [SCRIPT]}, "targets": ["t", SCRIPT], "persona": NASTY}
        made["opening"] = {"user": NASTY, "said": [["LIKE", "genre", SCRIPT, None]], "heard": []}
        for part in made["turns"]:
            part |= {"system": NASTY, "user": NASTY, "query": SCRIPT, "trace": TRACE}
        records.append(made)
    return write_run(folder, config(label, seed), records)


def judge(run: Path, judge: str = "embedded", episodes: int = 4, turns: int = 2) -> None:
    """Write judgements of a run of :func:`dialogue`; each dialogue has two turns."""
    lines = [
        {
            "schema": 1, "judge": judge, "prompt": None, "episode": k, "transcript": "-",
            "turns": [{"intent": "ask", "retrieval": k == 0}] * (turns - 1)
            + [{"intent": "recommend", "retrieval": True}],
            "fge2": False, "pe2": k < 2,
        }
        for k in range(episodes)
    ]  # fmt: skip
    (run / "judgements.jsonl").write_bytes(b"".join(map(canonical_line, lines)))
