"""Judgements on disk and in the summary."""

import json
from pathlib import Path

import pytest

from evaluation.comparison.judged import read_judged
from evaluation.judge import Judgement, TurnLabel
from evaluation.judgements import (
    JUDGEMENTS,
    PART,
    Judged,
    Judging,
    add_to_summary,
    judged_rates,
)
from evaluation.records import Record, RecordError
from tests.evaluation.fakes import record, turn

ASK, TELL = TurnLabel("ask", True), TurnLabel("recommend", True)
FOUND = [
    Judgement((ASK, TELL), True, False),
    Judgement((TurnLabel("other", True), TurnLabel("recommend", False)), False, False),
]


def test_rates_are_pooled_over_turns_and_shares_of_dialogues() -> None:
    rates = judged_rates(FOUND)
    assert rates["judge_cge2"] == pytest.approx(2 / 3)
    assert (rates["judge_fge2"], rates["judge_pe2"]) == (0.5, 0.0)
    assert rates["judge_pe2_ci"] == [0.0, 0.0]
    nothing = judged_rates([Judgement((), False, False)])
    assert (nothing["judge_cge2"], nothing["judge_cge2_ci"]) == (None, None)


def test_judgements_are_read_as_they_were_written(tmp_path: Path) -> None:
    turns = turn("GenreInquiry"), turn("ItemRec", item="t")
    records = [record(*turns, episode=3), record(*turns, episode=7)]
    for judge, prompt in (("embedded", ""), ("some-model", "judge/1")):
        judging = Judging(tmp_path, judge, prompt)
        for talk, found in reversed(list(zip(records, FOUND, strict=True))):
            assert judging.find(talk) is None
            judging.add(talk, Judged(found, {}))
        judging.finish(records)
        told = read_judged(tmp_path, records)
        assert told is not None
        assert (told.judge, list(told.judgements)) == (judge, FOUND)
        assert not (tmp_path / PART).exists()
    lines = [json.loads(line) for line in (tmp_path / JUDGEMENTS).read_text().splitlines()]
    assert [(line["episode"], line["judge"]) for line in lines] == [
        (3, "some-model"), (7, "some-model"),
    ]  # fmt: skip


TALKS = [record(turn("GenreInquiry", user=f"line {k}"), episode=k) for k in range(3)]
ONE = Judged(FOUND[0], {"calls": 1, "cost_usd": 0.5})


def begun(run_dir: Path, judge: str, prompt: str, talks: list[Record]) -> None:
    """A judging that is cut short after some dialogues."""
    judging = Judging(run_dir, judge, prompt)
    for talk in talks:
        judging.add(talk, ONE)
    judging.close()


def known(run_dir: Path, judge: str, prompt: str, talks: list[Record] = TALKS) -> list[int]:
    """Episodes whose judgement need not be made again."""
    judging = Judging(run_dir, judge, prompt)
    return [talk["episode"] for talk in talks if judging.find(talk) == ONE]


def test_what_was_judged_is_known_to_the_next_start(tmp_path: Path) -> None:
    begun(tmp_path, "model", "judge/1", TALKS[1:])
    assert known(tmp_path, "model", "judge/1") == [1, 2]
    assert known(tmp_path, "model", "judge/2") == known(tmp_path, "another", "judge/1") == []
    changed = record(turn("GenreInquiry", user="another line"), episode=1)
    assert known(tmp_path, "model", "judge/1", [changed]) == []
    part = tmp_path / PART
    part.write_bytes(part.read_bytes()[:-9])
    assert known(tmp_path, "model", "judge/1") == [1]
    begun(tmp_path, "model", "judge/1", TALKS[:1])
    assert known(tmp_path, "model", "judge/1") == [0, 1]
    part.write_text("{}\n" + part.read_text())
    with pytest.raises(RecordError, match="line 1"):
        known(tmp_path, "model", "judge/1")


@pytest.mark.parametrize(
    ("old", "new"),
    [
        (b'"intent":"', b'"intent":["ask"],"was":"'),
        (b'"turns":[', b'"turns":[7,'),
        (b'"pe2":', b'"pe2":"no","was":'),
    ],
)
def test_a_line_that_was_changed_by_hand_is_named(tmp_path: Path, old: bytes, new: bytes) -> None:
    begun(tmp_path, "model", "judge/1", TALKS[:1])
    part = tmp_path / PART
    assert old in part.read_bytes()
    part.write_bytes(part.read_bytes().replace(old, new, 1))
    with pytest.raises(RecordError, match="the kept judgement of episode 0 is none"):
        known(tmp_path, "model", "judge/1")


def test_judges_leave_what_others_have_begun(tmp_path: Path) -> None:
    begun(tmp_path, "slow", "judge/1", TALKS[:2])
    for judge, prompt in (("quick", "judge/1"), ("embedded", "")):
        judging = Judging(tmp_path, judge, prompt)
        for talk in TALKS:
            judging.add(talk, ONE)
        judging.finish(TALKS)
        assert len((tmp_path / JUDGEMENTS).read_bytes().splitlines()) == 3
        assert known(tmp_path, "slow", "judge/1") == [0, 1]


def test_an_embedded_judge_judges_anew(tmp_path: Path) -> None:
    begun(tmp_path, "embedded", "", TALKS)
    assert list(tmp_path.iterdir()) == []
    judging = Judging(tmp_path, "embedded", "")
    for talk in TALKS:
        judging.add(talk, ONE)
    judging.finish(TALKS)
    assert known(tmp_path, "embedded", "") == []


def test_a_corrupt_line_is_named_and_a_run_without_any_was_not_judged(tmp_path: Path) -> None:
    assert read_judged(tmp_path, TALKS) is None
    (tmp_path / JUDGEMENTS).write_text('{"turns": []}\n')
    with pytest.raises(RecordError, match="line 1"):
        read_judged(tmp_path, TALKS)


def test_the_summary_keeps_the_rest(tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError, match="resume=true"):
        add_to_summary(tmp_path, {"judge_cge2": 0.1})
    (tmp_path / "summary.json").write_text('{"episodes": 2, "judge_old": 1, "cge2": 0.5}')
    kept = add_to_summary(tmp_path, {"judge_cge2": 0.1})
    assert kept == {"episodes": 2, "cge2": 0.5, "judge_cge2": 0.1}
    assert json.loads((tmp_path / "summary.json").read_text()) == kept
