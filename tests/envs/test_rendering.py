"""The dialogue as text, also with titles that would like to break it."""

import json
from pathlib import Path
from typing import Any

import pytest

from catalogs.catalog import Catalog, ItemRow, build_catalog
from catalogs.domain import load_domain
from catalogs.goal import Goal
from dialogue.view import SystemTurn
from envs.crs import CRSEnv
from envs.rendering import WIDTH, printable
from tests.small_world import PLAIN, env_of, goal, persona, world

HOSTILE = {
    "quotes": "He said \"No\", 'maybe' and `yes`",
    "newlines": "One\nTwo\r\nThree\u2028Four\u2029Five\x0bSix\x85Seven",
    "html": "<script>alert(1)</script> & <b>bold</b>",
    "rtl": "\u202eevil\u202c \u05e9\u05dc\u05d5\u05dd \u0645\u0631\u062d\u0628\u0627 \u2067x\u2069",
    "emoji": "\U0001f3ac Night \U0001f469\u200d\U0001f680 \u2764\ufe0f",
    "control": "bell\x07 escape\x1b[31mred\x1b[0m null\x00 tab\t",
    "markup": "[bold red]Rich[/] {format} %s $HOME \\n",
    "separators": "a,b;c|d\te",
    "long": "Very long " * 1000,
    "surrogate": "lone \ud800 half",
}


def hostile() -> Catalog:
    """One film per hostile title, whose values are hostile too."""
    rows = [
        ItemRow(
            f"id {name}",
            title,
            1990 + i,
            (("drama", f"genre {name}"), (f"Star {title[:80]}",), ("D. Rector",)),
            plot=title,
            popularity=float(i),
        )
        for i, (name, title) in enumerate(HOSTILE.items())
    ]
    return build_catalog(load_domain("movie"), rows, "hostile films")


def talk(env: CRSEnv, item: int) -> None:
    """Ask about everything, then offer and explain one item."""
    env.reset(seed=0, options={"episode": 0})
    for turn in (0, 1, 2, SystemTurn(4, ranking=(item,)), 5):
        if not (env.conversation.terminated or env.conversation.truncated):
            env.play(turn)


@pytest.mark.parametrize("name", HOSTILE)
@pytest.mark.parametrize("channel", ["text", "acts"])
def test_hostile_titles(channel: str, name: str) -> None:
    """One line per utterance, nothing but printable characters, and the record keeps the title."""
    catalog = hostile()
    item = catalog.item(f"id {name}")
    place = world(catalog, [Goal(item.values)], [persona(PLAIN)])
    env = env_of(place, channel=channel, render_mode="ansi")
    talk(env, item.index)
    assert env.conversation.accepted
    rendered = env.render()
    assert rendered is not None
    lines = rendered.split("\n")
    assert lines.pop() == ""
    assert len(lines) == 2 * len(env.view.exchanges) - 1
    assert rendered.splitlines() == lines
    for line in lines:
        assert line.isprintable()
        assert line[2:].startswith((" system [", " user"))
        assert len(line) <= WIDTH + 40
    record = env.dialogue_record()
    assert json.loads(json.dumps(record)) == record
    assert record["turns"][3]["item"] == f"id {name}"
    if channel == "text" and name != "long":
        assert item.label in record["turns"][3]["system"]


def test_printable() -> None:
    assert printable("a\nb\u202ec\x00d  e") == "a b c d e"
    assert printable("  ") == ""
    assert printable("x" * 10_000) == "x" * (WIDTH - 1) + "\u2026"
    assert printable("x" * WIDTH) == "x" * WIDTH
    assert printable("H\u00e9l\u00e8ne \u738b \U0001f3ac") == "H\u00e9l\u00e8ne \u738b \U0001f3ac"


def test_ansi_shows_the_whole_dialogue(small: Catalog) -> None:
    wanted = goal(small, "thriller|crime|drama", "Ada Lind", "B. Tash")
    env = env_of(world(small, [wanted]), channel="text", render_mode="ansi")
    talk(env, small.item("cellar").index)
    rendered = env.render()
    assert rendered is not None
    for exchange in env.view.exchanges:
        assert printable(exchange.user_text) in rendered
        assert printable(exchange.system_text) in rendered
    assert " 0 user   " in rendered
    assert " 1 system [GenreInquiry] " in rendered
    assert " 4 system [ItemRec] " in rendered
    assert env.render() == rendered


def test_acts_are_shown_by_name(small: Catalog) -> None:
    wanted = goal(small, "thriller|crime|drama", "Ada Lind", "B. Tash")
    env = env_of(world(small, [wanted]), render_mode="ansi")
    talk(env, small.item("cellar").index)
    rendered = env.render()
    assert rendered is not None
    assert "LIKE(genre=" in rendered
    assert "LIKE(star=Ada Lind)" in rendered
    assert "[ItemRec] Cellar (1999)" in rendered
    assert "REJECT" in rendered


def test_human_prints_each_turn_once(small: Catalog, capsys: pytest.CaptureFixture[str]) -> None:
    wanted = goal(small, "thriller|crime|drama", "Ada Lind", "B. Tash")
    place = world(small, [wanted])
    env, twin = (env_of(place, channel="text", render_mode=mode) for mode in ("human", "ansi"))
    talk(env, small.item("cellar").index)
    printed = capsys.readouterr().out
    talk(twin, small.item("cellar").index)
    assert printed == twin.render()
    assert env.render() is None
    assert capsys.readouterr().out == ""


def test_without_a_mode_nothing_is_shown(
    small: Catalog, capsys: pytest.CaptureFixture[str]
) -> None:
    env = env_of(world(small, [goal(small, "comedy", "", "")]))
    talk(env, 0)
    assert env.render() is None
    assert capsys.readouterr().out == ""


def test_hostile_titles_from_a_file(tmp_path: Path) -> None:
    """Through the loader as well: JSON Lines of the user's own."""
    lines: list[dict[str, Any]] = [
        {
            "id": name,
            "title": title,
            "genre": ["drama", "comedy", "crime"],
            "star": ["Ada Lind"],
            "director": ["B. Tash"],
        }
        for name, title in HOSTILE.items()
        if name not in ("surrogate", "control")
    ]
    path = tmp_path / "films.jsonl"
    path.write_text("\n".join(json.dumps(line) for line in lines), encoding="utf-8")
    env = CRSEnv("custom", domain="movie", items=str(path), split="test", render_mode="ansi")
    env.reset(seed=0)
    while env.action_masks()[4] and not env.conversation.terminated:
        if env.conversation.truncated:
            break
        env.step(4)
    rendered = env.render()
    assert rendered is not None
    assert all(line.isprintable() for line in rendered.split("\n"))
