"""``summary.json``: its keys, its values, and how it is written."""

import errno

import pytest

from evaluation.records import RECORDS, read_records, read_timings
from evaluation.run_dir import RunDirError, prepare_run_dir, write_whole
from evaluation.runner import evaluate
from evaluation.summary import CatalogFacts, read_summary, summarize, write_summary
from tests.evaluation.fakes import FakeEnv, GuessPolicy, ObserverPolicy, PlainEnv
from tests.evaluation.test_metrics import KNOWN, TIMINGS
from tests.evaluation.test_metrics import RECORDS as DIALOGUES

FACTS = CatalogFacts(6583, "ReDial")
REWARDS = ["explore", "retrieve", "attitude", "cost", "accept"]
REQUIRED = {
    *("success_rate", "recall@1", "recall@5", "recall@10", "average_turns", "return"),
    *(f"reward_{term}" for term in REWARDS),
    *("cge2", "fge2", "pe2", "pe2_eligible", "search_changed_decision", "seconds_per_turn"),
    *("episodes", "catalog_items", "catalog_source"),
}


@pytest.fixture
def summary():
    return summarize(DIALOGUES, TIMINGS, FACTS)


def test_every_key_is_there_and_flat(summary):
    assert set(summary) >= REQUIRED
    for key, value in summary.items():
        if key.endswith("_ci"):
            assert value is None or [type(bound) for bound in value] == [float, float]
        else:
            assert value is None or isinstance(value, float | int | str)


def test_every_metric_lies_in_its_interval(summary):
    for key, known in KNOWN.items():
        assert summary[key] == pytest.approx(known)
        low, high = summary[f"{key}_ci"]
        assert low - 1e-9 <= known <= high + 1e-9


def test_counts_and_groups(summary):
    assert summary["episodes"] == 4
    assert (summary["catalog_items"], summary["catalog_source"]) == (6583, "ReDial")
    assert summary["pe2_eligible_dialogues"] == 2
    assert summary["success_rate/persona/one"] == 0.25
    assert summary["episodes/persona/one"] == 4
    assert summary["success_rate/goal/0"] == 0.25
    assert summary["personas_p"] == 1.0


def test_no_episodes_no_values():
    summary = summarize([], [], None)
    assert summary["episodes"] == 0
    assert summary["success_rate"] is None
    assert "catalog_items" not in summary


def test_a_run_is_summarised_from_its_files(tmp_path):
    evaluate(FakeEnv, GuessPolicy, episodes=6, seed=0, run_dir=tmp_path)
    written = write_summary(tmp_path, FACTS)
    assert read_summary(tmp_path) == written
    assert written == summarize(read_records(tmp_path), read_timings(tmp_path), FACTS)
    assert sorted(file.name for file in tmp_path.iterdir()) == [
        "records.jsonl",
        "summary.json",
        "timings.jsonl",
    ]


def test_a_plain_environment_has_the_keys_that_exist(tmp_path):
    evaluate(PlainEnv, ObserverPolicy, episodes=4, seed=0, run_dir=tmp_path)
    summary = write_summary(tmp_path, None)
    assert summary["episodes"] == 4
    assert 0.0 <= summary["success_rate"] <= 1.0
    assert summary["average_turns"] == 3.0
    assert "cge2" not in summary


def test_an_unfinished_run_has_no_summary(tmp_path):
    with pytest.raises(FileNotFoundError, match="resume=true"):
        read_summary(tmp_path)


def test_a_failed_write_leaves_the_old_file(tmp_path):
    write_whole(tmp_path / "a.json", "old")
    with pytest.raises(UnicodeEncodeError):
        write_whole(tmp_path / "a.json", "new \ud800")
    assert (tmp_path / "a.json").read_text() == "old"


def test_a_failed_write_takes_no_room(tmp_path, monkeypatch):
    def full(_):
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr("os.fsync", full)
    with pytest.raises(OSError, match="No space left"):
        write_whole(tmp_path / "a.json", "new")
    assert list(tmp_path.iterdir()) == []


def test_run_directories(tmp_path):
    prepare_run_dir(tmp_path / "a" / "b")
    prepare_run_dir(tmp_path / "a" / "b")
    (tmp_path / "a" / "b" / RECORDS).write_text("x")
    with pytest.raises(RunDirError, match=r"records\.jsonl.*resume=true"):
        prepare_run_dir(tmp_path / "a" / "b")
    prepare_run_dir(tmp_path / "a" / "b", resume=True)
    with pytest.raises(RunDirError, match="is a file"):
        prepare_run_dir(tmp_path / "a" / "b" / RECORDS, resume=True)
