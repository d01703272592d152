"""Judgements on disk and in the summary."""

import json
from pathlib import Path

import pytest

from evaluation.judge import Judgement, TurnLabel
from evaluation.judgements import (
    JUDGEMENTS,
    add_to_summary,
    judged_rates,
    read_judgements,
    write_judgements,
)
from evaluation.records import RecordError
from tests.evaluation.fakes import record

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
    records = [record(episode=3), record(episode=7)]
    for judge in ("embedded", "some-model"):
        write_judgements(tmp_path, records, FOUND, judge, "judge/1")
        assert read_judgements(tmp_path) == FOUND
    lines = [json.loads(line) for line in (tmp_path / JUDGEMENTS).read_text().splitlines()]
    assert [(line["episode"], line["judge"]) for line in lines] == [
        (3, "some-model"), (7, "some-model"),
    ]  # fmt: skip


def test_a_run_that_was_not_judged_says_how(tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError, match="judge_run"):
        read_judgements(tmp_path)
    (tmp_path / JUDGEMENTS).write_text('{"turns": []}\n')
    with pytest.raises(RecordError, match="line 1"):
        read_judgements(tmp_path)


def test_the_summary_keeps_the_rest(tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError, match="resume=true"):
        add_to_summary(tmp_path, {"judge_cge2": 0.1})
    (tmp_path / "summary.json").write_text('{"episodes": 2, "judge_old": 1, "cge2": 0.5}')
    kept = add_to_summary(tmp_path, {"judge_cge2": 0.1})
    assert kept == {"episodes": 2, "cge2": 0.5, "judge_cge2": 0.1}
    assert json.loads((tmp_path / "summary.json").read_text()) == kept
