"""An environment out of anyone's own YAML and items."""

import json
from pathlib import Path
from typing import Any

import gymnasium as gym
import pytest

from dialogue.view import SystemTurn
from envs.crs import CRSEnv

DOMAIN = """
name: boardgame
noun: game
nouns: games
facets:
  - name: mechanic
    match: all
    inquiry: MechanicInquiry
    goal_min: 2
    vague:
      clever: [auction, deduction]
  - name: designer
    match: any
    inquiry: DesignerInquiry
    person: true
    goal_size: 2
"""
MECHANICS = ("auction", "deduction", "drafting", "trading", "racing")
DESIGNERS = ("Uma Kest", "Ravi Lund", "Bo Anders", "Ines Mora")


def items() -> str:
    """Sixty games; each pair of mechanics has six, by different people."""
    lines = ["title,year,mechanic,designer"]
    number = 0
    for i, first in enumerate(MECHANICS):
        for second in MECHANICS[i + 1 :]:
            for k in range(6):
                number += 1
                designer = DESIGNERS[(number + k) % len(DESIGNERS)]
                lines.append(f"Game {number},{1990 + k},{first}|{second},{designer}")
    return "\n".join(lines) + "\n"


@pytest.fixture
def files(tmp_path: Path) -> dict[str, Any]:
    """The two arguments of the environment."""
    domain, table = tmp_path / "game.yaml", tmp_path / "games.csv"
    domain.write_text(DOMAIN, encoding="utf-8")
    table.write_text(items(), encoding="utf-8")
    return {"domain": str(domain), "items": str(table)}


@pytest.mark.parametrize("channel", ["text", "acts"])
def test_through_gym_make(files: Any, channel: str) -> None:
    env: Any = gym.make("envs:CRS/Custom-v0", channel=channel, split="test", **files)
    base = env.unwrapped
    assert base.domain.actions == (
        "MechanicInquiry", "DesignerInquiry", "FailureReflection", "ItemRec", "ItemExplanation",
    )  # fmt: skip
    assert len(base.catalog) == 60
    successes = 0
    for episode in range(20):
        _, info = env.reset(seed=0, options={"episode": episode})
        for action in (0, 1, 3, 3, 3, 3, 3):
            if info["action_mask"][action]:
                *_, terminated, truncated, info = env.step(action)
                if terminated or truncated:
                    break
        successes += info["is_success"]
    assert successes >= 5


NAMES = [
    "?",
    "...",
    "-",
    "😀",
    "👩\u200d🚀",
    "no",
    "it",
    "the",
    "NO",
    "yes",
    "1999",
    "a|b",
    "[red]",
    "<b>",
]


@pytest.mark.parametrize("person", [False, True])
def test_values_that_no_word_can_name(tmp_path: Path, person: bool) -> None:
    """Signs, emoji and words of every sentence are values like others: dialogues run and end."""
    domain, table = tmp_path / "odd.yaml", tmp_path / "odd.jsonl"
    facets = [
        {"name": "tag", "match": "all", "person": person},
        {"name": "maker", "match": "any", "person": not person},
    ]
    raw = {"name": "odd", "noun": "thing", "facets": facets}
    domain.write_text(json.dumps(raw), encoding="utf-8")
    rows = [{"title": f"Thing {name}", "tag": [name], "maker": [name]} for name in NAMES]
    table.write_text("\n".join(map(json.dumps, rows)), encoding="utf-8")
    env = CRSEnv("custom", domain=str(domain), items=str(table), split="test", order="sequential")
    for episode in range(30):
        env.reset(seed=0, options={"episode": episode})
        ended, turn = False, 0
        while not ended:
            turn += 1
            _, _, terminated, truncated, _ = env.step((0, 1, 3)[turn % 3])
            ended = terminated or truncated
        json.dumps(env.dialogue_record())


def test_a_snapshot_of_a_large_catalogue_is_json(files: Any, tmp_path: Path) -> None:
    """Sets of items are integers of as many bits; Python writes none of over 4,300 digits."""
    table = tmp_path / "many.csv"
    rows = "\n".join(f"Game {n},auction|drafting,Designer {n}" for n in range(20_000))
    table.write_text(f"title,mechanic,designer\n{rows}\n", encoding="utf-8")
    env = CRSEnv("custom", domain=files["domain"], items=str(table), channel="acts", split="test")
    env.reset(seed=0, options={"episode": 0})
    env.play(SystemTurn(3, ranking=(19_999,)))
    saved = env.get_state()
    assert json.loads(json.dumps(saved)) == saved
    offered = env.view.offered
    env.step(3)
    env.set_state(json.loads(json.dumps(saved)))
    assert env.view.offered == offered == 1 << 19_999
    assert env.get_state() == saved


def test_the_bundled_domain_by_name(tmp_path: Path) -> None:
    table = tmp_path / "films.csv"
    rows = [f"Film {i},{1990 + i},comedy|crime|drama,Ada Lind,B. Tash" for i in range(5)]
    table.write_text("title,year,genre,star,director\n" + "\n".join(rows), encoding="utf-8")
    env = CRSEnv("custom", domain="movie", items=str(table), split="test")
    env.reset(seed=0)
    assert env.domain.name == "movie"
    train = CRSEnv("custom", domain="movie", items=str(table))
    with pytest.raises(ValueError, match="the split 'train' has no goal; use another split or"):
        train.reset(seed=0)


def test_what_is_missing_is_said(files: Any) -> None:
    with pytest.raises(ValueError, match=r"'custom' needs domain \(a YAML file\)"):
        gym.make("envs:CRS/Custom-v0", items=files["items"])
    with pytest.raises(ValueError, match=r"'custom' needs items \(a CSV or JSONL file\)"):
        gym.make("envs:CRS/Custom-v0", domain=files["domain"])


def test_a_bad_row_names_file_and_line(files: Any) -> None:
    path = Path(files["items"])
    lines = path.read_text(encoding="utf-8").splitlines()
    lines[6] = ",1990,auction|racing,Uma Kest"
    path.write_text("\n".join(lines), encoding="utf-8")
    with pytest.raises(ValueError, match=r"games\.csv.*line 7.*title is missing"):
        gym.make("envs:CRS/Custom-v0", **files)
    env = gym.make("envs:CRS/Custom-v0", strict=False, **files)
    assert len(env.unwrapped.catalog) == 59  # type: ignore[attr-defined]


def test_a_bad_domain_names_file_and_key(files: Any) -> None:
    path = Path(files["domain"])
    path.write_text(DOMAIN.replace("match: any", "match: some"), encoding="utf-8")
    with pytest.raises(ValueError, match=r"game\.yaml: facets\[1\]: 'match' must be all or any"):
        gym.make("envs:CRS/Custom-v0", **files)


def test_a_column_that_the_domain_does_not_know(files: Any) -> None:
    path = Path(files["items"])
    text = path.read_text(encoding="utf-8").replace("designer\n", "desinger\n", 1)
    path.write_text(text, encoding="utf-8")
    with pytest.raises(ValueError, match=r"games\.csv.*no column 'designer'.*'desinger'"):
        gym.make("envs:CRS/Custom-v0", **files)


def test_a_changed_file_is_read_again(files: Any) -> None:
    first = CRSEnv("custom", **files)
    assert CRSEnv("custom", **files).catalog is first.catalog
    path = Path(files["items"])
    path.write_text(items() + "Newcomer,2001,auction|racing,Uma Kest\n", encoding="utf-8")
    assert len(CRSEnv("custom", **files).catalog) == 61
    assert len(first.catalog) == 60
