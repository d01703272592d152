"""A damaged record, or timing, of an interrupted run is named by file and line."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from evaluation.record_check import checked_records
from evaluation.records import RECORDS, TIMINGS, RecordError, RunFiles
from tests.evaluation.fakes import record, timing, turn


def talk(episode: int) -> dict[str, Any]:
    turns = turn("GenreInquiry"), turn("ItemRec", item="u")
    return record(*turns, episode=episode)


@pytest.fixture
def run_dir(tmp_path: Path) -> Path:
    """A run of three dialogues."""
    with RunFiles(tmp_path) as files:
        for episode in range(3):
            files.append(talk(episode), timing(episode))
    return tmp_path


def change(path: Path, line: int, changed: Callable[[dict[str, Any]], Any]) -> None:
    rows = [json.loads(row) for row in path.read_text().splitlines()]
    changed(rows[line - 1])
    text = "".join(f"{json.dumps(row)}\n" for row in rows)
    path.write_text(text.replace("Infinity", "1e999"))


def put(**values: Any) -> Callable[[dict[str, Any]], Any]:
    return lambda row: row.update(values)


def test_whole_records_are_given_back(run_dir: Path) -> None:
    assert checked_records(run_dir) == [talk(episode) for episode in range(3)]
    assert checked_records(run_dir / "nowhere") == []


RECORD = {
    "no persona": lambda row: row.pop("persona"),
    "no opening": lambda row: row.pop("opening"),
    "no facets": lambda row: row.pop("facets"),
    "null return": put(**{"return": None}),
    "text as return": put(**{"return": "3"}),
    "infinite return": put(**{"return": float("inf")}),
    "turns are no list": put(turns=5),
    "a turn is no object": lambda row: row["turns"].__setitem__(0, [1]),
    "opening is a text": put(opening="x"),
    "goal null": put(goal=None),
    "failed without failure": put(outcome="failed"),
    "a text as reward": lambda row: row["turns"][0]["rewards"].update(cost="x"),
    "an infinite reward": lambda row: row["turns"][0]["rewards"].update(cost=float("inf")),
    "targets are no list": put(targets=5),
    "seed is a list": put(seed=[1]),
}


@pytest.mark.parametrize("name", RECORD)
def test_a_damaged_record_names_its_line(name: str, run_dir: Path) -> None:
    change(run_dir / RECORDS, 2, RECORD[name])
    with pytest.raises(RecordError) as caught:
        checked_records(run_dir)
    told = str(caught.value)
    assert told.startswith(f"{run_dir / RECORDS}, line 2: ")
    assert "restore the file, or cut it before line 2" in told
    assert "\n" not in told


TIMING = {
    "null seconds": put(seconds_policy=None),
    "infinite seconds": put(seconds_environment=float("inf")),
    "no list of turns": put(seconds_turns=4),
    "a text as cost": put(cost="much"),
    "a list as message": put(failure_message=[1]),
    "a list of roles": put(llm=[1]),
    "a role without counts": put(llm={"user": 5}),
    "a count that is none": put(llm={"user": {"calls": None}}),
    "faults that are none": put(llm={"user": {"calls": 1, "faults": 3}}),
}


@pytest.mark.parametrize("name", TIMING)
def test_a_damaged_timing_names_its_line(name: str, run_dir: Path) -> None:
    change(run_dir / TIMINGS, 3, TIMING[name])
    with pytest.raises(RecordError) as caught:
        checked_records(run_dir)
    assert str(caught.value).startswith(f"{run_dir / TIMINGS}, line 3: ")


@pytest.mark.parametrize(
    "changed", [put(record=5), put(record={}), put(timing=5), put(timing={})], ids=range(4)
)
def test_what_waits_for_its_turn_is_checked_too(
    changed: Callable[[dict[str, Any]], Any], run_dir: Path
) -> None:
    path = run_dir / "ahead.jsonl"
    line = {"schema": 1, "episode": 4, "record": talk(4), "timing": timing(4)}
    path.write_text(f"{json.dumps(line)}\n")
    checked_records(run_dir)
    change(path, 1, changed)
    with pytest.raises(RecordError, match=r"ahead\.jsonl, line 1: "):
        checked_records(run_dir)


def test_records_that_only_do_not_go_together_name_the_file(run_dir: Path) -> None:
    generic = {"schema": 1, "seed": 0, "episode": 3, "return": 2.0, "length": 4, "success": None}
    with RunFiles(run_dir) as files:
        files.append(generic, timing(3))
    with pytest.raises(RecordError, match=r"records\.jsonl: dialogues and other episodes"):
        checked_records(run_dir)
