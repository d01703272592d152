"""Reading and writing a run's two files."""

import json
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from evaluation.canonical import canonical_line
from evaluation.records import (
    RECORDS,
    TIMINGS,
    RecordError,
    RunFiles,
    read_records,
    read_timings,
    recover,
)
from tests.evaluation.fakes import HOSTILE, record, timing


def write_run(run_dir: Path, count: int) -> None:
    with RunFiles(run_dir) as files:
        for episode in range(count):
            files.append(record(episode=episode, persona=HOSTILE), timing(episode))


def test_round_trip(tmp_path):
    write_run(tmp_path, 3)
    assert read_records(tmp_path) == [record(episode=k, persona=HOSTILE) for k in range(3)]
    assert read_timings(tmp_path) == [timing(k) for k in range(3)]


@settings(max_examples=50)
@given(text=st.text(st.characters(exclude_categories=["Cs"])))
def test_any_text_round_trips_through_the_file(tmp_path_factory, text):
    folder = tmp_path_factory.mktemp("run")
    with RunFiles(folder) as files:
        files.append(record(persona=text), timing(0))
        files.append(record(episode=1, persona=text), timing(1))
    assert [entry["persona"] for entry in read_records(folder)] == [text, text]


def test_nothing_yet(tmp_path):
    assert read_records(tmp_path) == []
    assert recover(tmp_path) == []
    assert list(tmp_path.iterdir()) == []


def test_a_torn_last_line_is_dropped_at_every_byte(tmp_path):
    with RunFiles(tmp_path) as files:
        for episode, text in enumerate(['a "b"', "é 🎬", "\ud800 \u2028"]):
            line = {"schema": 1, "episode": episode, "seed": 0, "success": False, "return": 0.0}
            files.append(line | {"user": text}, timing(episode))
    whole = (tmp_path / RECORDS).read_bytes()
    timings = (tmp_path / TIMINGS).read_bytes()
    ends = [0] + [i + 1 for i, byte in enumerate(whole) if byte == 10]
    for size in range(len(whole) + 1):
        (tmp_path / RECORDS).write_bytes(whole[:size])
        (tmp_path / TIMINGS).write_bytes(timings)
        finished = sum(end <= size for end in ends) - 1
        assert len(read_records(tmp_path)) == finished
        assert len(read_timings(tmp_path)) == finished
        assert (tmp_path / RECORDS).stat().st_size == size, "reading changes nothing"
        assert len(recover(tmp_path)) == finished
        assert (tmp_path / RECORDS).read_bytes() == whole[: ends[finished]]
        assert (tmp_path / TIMINGS).read_bytes().count(b"\n") == finished


def test_a_torn_timing_is_dropped_at_every_byte(tmp_path):
    """The timing is written first, so a torn one belongs to an unfinished episode."""
    write_run(tmp_path, 2)
    timings = (tmp_path / TIMINGS).read_bytes()
    start = timings.index(b"\n") + 1
    records = (tmp_path / RECORDS).read_bytes().splitlines(keepends=True)
    for size in range(start, len(timings)):
        (tmp_path / RECORDS).write_bytes(records[0])
        (tmp_path / TIMINGS).write_bytes(timings[:size])
        assert len(recover(tmp_path)) == 1
        assert (tmp_path / TIMINGS).read_bytes() == timings[:start]


@pytest.mark.parametrize(
    ("line", "said"),
    [
        (b'{"schema":1,"episode":', "not a line of JSON"),
        (b"\x00\x00\x00", "not a line of JSON"),
        (b"\xff\xfe", "not a line of JSON"),
        (b'{"schema":1,"episode":1,"return":NaN}', "NaN is no number of JSON"),
        (b'{"schema":1,"episode":1,"return":-Infinity}', "not a line of JSON"),
        (b"[" * 100_000, "not a line of JSON"),
        (b"[1]", "a JSON object"),
        (b'{"schema":2,"episode":1}', "schema 2 is unknown"),
        (b'{"episode":1}', "schema None is unknown"),
        (b'{"schema":true,"episode":1}', "schema True is unknown"),
        (b'{"schema":1,"episode":"1"}', "'episode' must be"),
        (b'{"schema":1,"episode":1,"seed":0}', "'success', 'return' is missing"),
    ],
)
def test_a_bad_line_is_named_with_a_remedy(tmp_path, line, said):
    good = canonical_line(record())
    (tmp_path / RECORDS).write_bytes(good + line + b"\n" + good)
    for read in (read_records, recover):
        with pytest.raises(RecordError) as caught:
            read(tmp_path)
        message = str(caught.value)
        assert said in message
        assert f"{tmp_path / RECORDS}, line 2" in message
        assert "resume" in message or "new directory" in message or "expected" in message


def test_a_record_without_its_timing_is_refused(tmp_path):
    write_run(tmp_path, 2)
    first = (tmp_path / TIMINGS).read_bytes().splitlines(keepends=True)[0]
    (tmp_path / TIMINGS).write_bytes(first)
    with pytest.raises(RecordError, match=r"line 2: episode 1 .* found nothing"):
        recover(tmp_path)


def test_a_line_is_on_disk_when_append_returns(tmp_path):
    with RunFiles(tmp_path) as files:
        files.append(record(), timing())
        assert json.loads((tmp_path / RECORDS).read_bytes()) == record()
