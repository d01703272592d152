"""The shipped prefixes: where they come from, what they hold, and how they are spread."""

import json
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from dialogue.snapshot import view_state
from envs.worlds import open_world
from evaluation.prefixes import data, dialogues
from evaluation.prefixes.__main__ import main
from evaluation.prefixes.data import CATALOG, FILE, Prefix, read_prefixes
from evaluation.prefixes.dialogues import SHARE, episodes_of, make_env, play, read_dialogues
from evaluation.prefixes.making import make_prefixes
from evaluation.records import RecordError


@pytest.fixture(scope="module")
def prefixes() -> tuple[Prefix, ...]:
    return read_prefixes(open_world(CATALOG).catalog)


def test_the_file_is_made_byte_for_byte() -> None:
    assert make_prefixes(read_dialogues()) == FILE.read_bytes()


def test_a_prefix_is_the_dialogue_as_it_was(prefixes: tuple[Prefix, ...]) -> None:
    """Its view is that of the environment at that moment, and so is its hidden side."""
    env = make_env()
    by_episode = {dialogue["episode"]: dialogue for dialogue in read_dialogues()}
    for prefix in prefixes[::5]:
        for here in play(env, by_episode[prefix.source["episode"]]):
            if here.view.turn == len(prefix.exchanges) - 1:
                break
        made = prefix.view(env.catalog, env.world.retriever)
        assert view_state(made) == view_state(env.view), prefix.name
        assert (prefix.goal, prefix.targets) == (
            env.conversation.user.goal, env.conversation.user.acceptable
        )  # fmt: skip
        assert not env.view.ended


def test_no_policy_is_favoured(prefixes: tuple[Prefix, ...]) -> None:
    policies = Counter(prefix.source["policy"] for prefix in prefixes)
    assert len(policies) >= 6
    assert set(policies.values()) == {SHARE}
    assert len({prefix.source["episode"] for prefix in prefixes}) == len(prefixes) >= 120
    shares = [set(episodes_of(k, 7)) for k in range(7)]
    assert len(set.union(*shares)) == 7 * SHARE <= 150


def test_goals_personas_turns_and_gold_are_spread(prefixes: tuple[Prefix, ...]) -> None:
    goals = Counter(prefix.source["goal_index"] for prefix in prefixes)
    personas = Counter(prefix.source["persona"] for prefix in prefixes)
    gold = Counter(prefix.gold.actions[0] for prefix in prefixes)
    turns = Counter(len(prefix.exchanges) - 1 for prefix in prefixes)
    assert (len(goals), len(personas), len(gold)) == (15, 10, 6)
    assert max(goals.values()) - min(goals.values()) <= 1
    assert max(personas.values()) <= 2 * min(personas.values())
    assert max(gold.values()) <= 1.5 * min(gold.values())
    assert max(turns) >= 8
    assert min(turns[t] for t in range(5)) >= 20


def test_the_hidden_part_stands_apart() -> None:
    """Nothing in a line tells the goal but its entry ``hidden``."""
    lines = FILE.read_text(encoding="utf-8").splitlines()
    for line in map(json.loads, lines[1:]):
        assert set(line) == {"prefix", "source", "max_turns", "exchanges", "hidden"}
        told = {key for exchange in line["exchanges"] for key in exchange}
        assert told <= {"turn", "action", "item", "ranking", "query", "system", "user", "heard"}


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"format": "other/1"}, "format"),
        ({"catalog_digest": "0"}, "other items"),
    ],
)
def test_a_file_that_does_not_fit_is_refused(
    change: dict[str, Any], words: str, tmp_path: Path
) -> None:
    header, *lines = FILE.read_text(encoding="utf-8").splitlines()
    path = tmp_path / "prefixes.jsonl"
    path.write_text("\n".join([json.dumps(json.loads(header) | change), *lines]), encoding="utf-8")
    with pytest.raises(RecordError, match=words):
        read_prefixes(open_world(CATALOG).catalog, path)


def test_a_damaged_line_is_named(tmp_path: Path) -> None:
    lines = FILE.read_text(encoding="utf-8").splitlines()
    path = tmp_path / "prefixes.jsonl"
    lines[3] = lines[3].replace('"ItemRec"', '"Sing"').replace('"GenreInquiry"', '"Sing"')
    lines[3] = lines[3].replace('"hidden":', '"hid":')
    path.write_text("\n".join(lines), encoding="utf-8")
    with pytest.raises(RecordError, match="line 4"):
        read_prefixes(open_world(CATALOG).catalog, path)


def test_the_command_line(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    main(["check"])
    main(["statistics"])
    main(["show", "p003"])
    printed = capsys.readouterr().out
    assert "is what its dialogues give" in printed
    assert "140 prefixes; a question is due at" in printed
    assert "-- gold (target): ItemRec" in printed
    with pytest.raises(SystemExit, match="no prefix 'p999'"):
        main(["show", "p999"])
    with pytest.raises(SystemExit, match=r"evaluation\.prefixes make"):
        main(["mke"])


def test_make_writes_where_the_data_are(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(data, "FILE", tmp_path / "prefixes.jsonl")
    monkeypatch.setattr(dialogues, "FILE", tmp_path / "dialogues.jsonl")
    main(["make"])
    assert (tmp_path / "prefixes.jsonl").read_bytes() == FILE.read_bytes()
    (tmp_path / "prefixes.jsonl").write_bytes(b"something else")
    with pytest.raises(SystemExit, match="is not what its dialogues give"):
        main(["check"])
