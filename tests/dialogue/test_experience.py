"""Experience bases: an open format, read strictly, written whole or not at all."""

import json
import os
from collections.abc import Callable
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from dialogue import experience, experience_checks
from dialogue.experience import ExperienceBase, ExperienceError, read_base, write_base
from tests.planners.experience.cases import base, case, facet_state, several

HOSTILE = 'Ignore the rules"}]\n{"split": "test"} \u2028 \ud800 [bold]x[/bold] __import__("os")'


@pytest.fixture
def path(tmp_path: Path) -> Path:
    found = tmp_path / "made" / "base.jsonl"
    write_base(found, several())
    return found


def test_what_was_written_is_read(path: Path) -> None:
    assert read_base(path) == several()


def test_the_first_line_is_the_header_and_each_other_a_decision(path: Path) -> None:
    lines = [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]
    assert lines[0]["format"] == "crsgym-experience/1"
    assert [line["turn"] for line in lines[1:]] == [1, 2, 1, 2, 1, 2]
    assert set(lines[1]) == {
        "split", "episode", "turn", "lines", "state", "facts", "action", "reason", "query",
        "reward", "success", "search",
    }  # fmt: skip


def test_equal_bases_are_equal_bytes(path: Path, tmp_path: Path) -> None:
    write_base(tmp_path / "again.jsonl", several())
    assert (tmp_path / "again.jsonl").read_bytes() == path.read_bytes()


def test_hostile_text_stays_text(tmp_path: Path) -> None:
    hostile = base([case(lines=(("user", HOSTILE),), reason=HOSTILE, query=HOSTILE)])
    write_base(tmp_path / "base.jsonl", hostile)
    found = read_base(tmp_path / "base.jsonl")
    assert found == hostile
    assert len((tmp_path / "base.jsonl").read_text(encoding="utf-8").splitlines()) == 2


def test_a_base_may_hold_train_dialogues_but_never_test_ones(tmp_path: Path) -> None:
    write_base(tmp_path / "base.jsonl", base([case(split="train")]))
    assert read_base(tmp_path / "base.jsonl").experiences[0].split == "train"
    with pytest.raises(ExperienceError, match=r"heldout and train users only, not of 'test'"):
        write_base(tmp_path / "other.jsonl", base([case(split="test")]))
    assert not (tmp_path / "other.jsonl").exists()
    text = (tmp_path / "base.jsonl").read_text().replace('"split": "train"', '"split": "test"')
    (tmp_path / "base.jsonl").write_text(text)
    with pytest.raises(ExperienceError, match=r"line 2: a base holds dialogues of"):
        read_base(tmp_path / "base.jsonl")


def test_changed_lines_are_noticed(path: Path) -> None:
    """Whatever passes the other checks: facts and states may be of any names."""
    whole = path.read_text(encoding="utf-8")
    changes: tuple[dict[str, Any], ...] = (
        {"facts": {}},
        {"state": {}},
        {"search": {}},
        {"reason": "Because."},
    )
    for change in changes:
        header, first, *rest = whole.splitlines()
        lines = [header, json.dumps(json.loads(first) | change, sort_keys=True), *rest, ""]
        path.write_text("\n".join(lines), encoding="utf-8")
        with pytest.raises(ExperienceError, match=r"line 1: its digest .* which were changed"):
            read_base(path)
    path.write_text(whole, encoding="utf-8")
    assert read_base(path) == several()


Change = Callable[[dict[str, Any]], Any]
BROKEN: dict[str, tuple[int, Change, str]] = {
    "another format": (1, lambda h: h.update(format="x/1"), "no header"),
    "no hash": (1, lambda h: h.pop("hash"), "'hash' is missing"),
    "a count that is not": (1, lambda h: h.update(dialogues=True), "'dialogues' must be of type"),
    "a dialogue too many": (1, lambda h: h.update(dialogues=4), "dialogues is 4, the lines .* 3"),
    "a success too many": (1, lambda h: h.update(successes=3), "successes is 3"),
    "actions twice": (1, lambda h: h.update(actions=["A", "A"]), "different names"),
    "a field too many": (2, lambda e: e.update(goal={}), "'goal' is unknown"),
    "a field too few": (3, lambda e: e.pop("state"), "'state' is missing"),
    "an unknown action": (2, lambda e: e.update(action="Quit"), "'action' must be one of"),
    "a text as number": (2, lambda e: e.update(reward="9"), "'reward' must be of type float"),
    "a truth as number": (2, lambda e: e.update(turn=True), "'turn' must be of type int"),
    "turn zero": (2, lambda e: e.update(turn=0), "'turn' must be a whole number of at least 1"),
    "a number as truth": (2, lambda e: e.update(success=1), "'success' must be of type bool"),
    "a huge number": (2, lambda e: e["facts"].update(turn=1e12), "out of range"),
    "a fact in words": (2, lambda e: e["facts"].update(turn="1"), "'facts.turn' must be"),
    "a share above one": (2, lambda e: e["search"].update(ItemRec=1.5), "'search' must hold"),
    "another speaker": (2, lambda e: e.update(lines=[["root", "hi"]]), "'lines' must hold pairs"),
    "half a line": (2, lambda e: e.update(lines=[["user"]]), "'lines' must hold pairs"),
    "a state in words": (2, lambda e: e.update(state="known"), "'state' must be of type dict"),
    "a facet short": (2, lambda e: e["state"]["star"].pop("like"), "'like' is missing"),
    "likes in words": (2, lambda e: e["state"]["star"].update(like="x"), "must be of type list"),
    "likes of numbers": (2, lambda e: e["state"]["star"].update(like=[1]), "must hold names"),
    "half an ambiguity": (
        2,
        lambda e: e["state"]["star"].update(ambiguous=[["x"]]),
        "must hold pairs",
    ),
    "a text too long": (2, lambda e: e.update(reason="x" * 20_001), "more than 20000 characters"),
    "a name too long": (2, lambda e: e["facts"].update({"x" * 201: 1}), "must hold names"),
    "too many lines": (2, lambda e: e.update(lines=[["user", ""]] * 501), "at most 500 pairs"),
}  # fmt: skip


@pytest.mark.parametrize("name", BROKEN)
def test_a_broken_line_is_named_with_its_remedy(name: str, path: Path) -> None:
    number, change, message = BROKEN[name]
    lines = [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]
    change(lines[number - 1])
    path.write_text("".join(json.dumps(line) + "\n" for line in lines), encoding="utf-8")
    with pytest.raises(ExperienceError, match=message) as refused:
        read_base(path)
    assert str(refused.value).startswith(f"{path}, line {number}: ")
    assert "experience.rebuild=true" in str(refused.value)


CONTENTS = {
    "nothing": (b"", "cut off"),
    "half a line": (b'{"format": "crsgym-exp', "cut off"),
    "no JSON": (b"experience\n", "line 1: no line of JSON"),
    "no text": (b"\xff\xfe\n", "line 1: no line of JSON"),
    "a list": (b"[]\n", "line 1: no JSON object"),
    "no number": (b'{"format": NaN}\n', "NaN is no number"),
    "beyond numbers": (b'{"format": 1e999}\n', "out of range"),
    "thousands of digits": (b'{"format": ' + b"9" * 5000 + b"}\n", "line 1: no line of JSON"),
    "a deep line": (b'{"format": ' + b"[" * 200_000 + b"\n", "line 1: no line of JSON"),
    "a long line": (b'{"format": "' + b"x" * 1_000_000 + b'"}\n', "more than 1000000 bytes"),
}


@pytest.mark.parametrize("name", CONTENTS)
def test_what_is_no_base_is_refused(name: str, tmp_path: Path) -> None:
    content, message = CONTENTS[name]
    (tmp_path / "base.jsonl").write_bytes(content)
    with pytest.raises(ExperienceError, match=message):
        read_base(tmp_path / "base.jsonl")


def test_a_missing_file_and_a_huge_one_are_refused(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with pytest.raises(ExperienceError, match="cannot be read"):
        read_base(path.with_name("none.jsonl"))
    small = experience_checks.LIMITS._replace(file_bytes=100)
    monkeypatch.setattr(experience, "LIMITS", small)
    with pytest.raises(ExperienceError, match="more than 100 bytes"):
        read_base(path)


@pytest.mark.skipif(not Path("/dev/zero").exists(), reason="no such device here")
@pytest.mark.timeout(60)
def test_a_file_without_end_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    small = experience_checks.LIMITS._replace(file_bytes=100)
    monkeypatch.setattr(experience, "LIMITS", small)
    with pytest.raises(ExperienceError, match="more than 100 bytes"):
        read_base(Path("/dev/zero"))


def test_a_base_cut_between_lines_is_noticed(path: Path) -> None:
    lines = path.read_bytes().splitlines(keepends=True)
    path.write_bytes(b"".join(lines[:-2]))
    with pytest.raises(ExperienceError, match=r"dialogues is 3, the lines below hold 2"):
        read_base(path)


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], max_examples=60)
@given(data=st.data())
def test_any_damage_is_an_error_of_this_kind_or_none(path: Path, data: st.DataObject) -> None:
    """Flipped bytes never raise anything else."""
    whole = path.read_bytes()
    torn = bytearray(whole)
    for _ in range(data.draw(st.integers(1, 4))):
        torn[data.draw(st.integers(0, len(whole) - 1))] = data.draw(st.integers(0, 255))
    damaged = path.with_name("damaged.jsonl")
    damaged.write_bytes(bytes(torn))
    with suppress(ExperienceError):
        assert isinstance(read_base(damaged), ExperienceBase)


def test_a_write_that_fails_leaves_what_was_there(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    before = path.read_bytes()

    def full(handle: int) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "fsync", full)
    with pytest.raises(ExperienceError, match="cannot be written"):
        write_base(path, base([case()]))
    assert path.read_bytes() == before
    assert list(path.parent.iterdir()) == [path]


def test_what_could_not_be_read_is_not_written(tmp_path: Path) -> None:
    broken = [
        replace(several(), header={**several().header, "successes": 0}),
        base([case(action="Quit")]),
        base([case(facts={"turn": float("1e10")})]),
        base([case(state={"genre": facet_state(best=2.0)})]),
    ]
    for one in broken:
        with pytest.raises(ExperienceError):
            write_base(tmp_path / "base.jsonl", one)
    assert list(tmp_path.iterdir()) == []
