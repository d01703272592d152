"""Comparing two policies on the same episodes."""

from pathlib import Path

import pytest

from evaluation.canonical import canonical_line
from evaluation.paired import PairingError, main, paired_records
from tests.evaluation.fakes import record, turn

HIT = {"outcome": "accepted", "success": True}


def write(folder: Path, name: str, hits: list[bool], seed: int = 0) -> Path:
    """A run directory whose episodes succeed as told."""
    path = folder / name
    path.mkdir()
    lines = [
        canonical_line(
            record(turn("ItemRec", item="t"), episode=k, seed=seed, **(HIT if hit else {}))
        )
        for k, hit in enumerate(hits)
    ]
    (path / "records.jsonl").write_bytes(b"".join(lines))
    return path


def folder_of_targets(folder: Path, name: str, targets: list[str]) -> Path:
    """A run of one episode whose targets are of another catalogue."""
    path = folder / name
    path.mkdir()
    line = canonical_line(record(turn("ItemRec", item="t"), targets=targets, **HIT))
    (path / "records.jsonl").write_bytes(line)
    return path


def test_the_difference_is_printed(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    better = write(tmp_path, "better", [True] * 30)
    worse = write(tmp_path, "worse", [True, False] * 15)
    main([str(better), "--against", str(worse)])
    printed = capsys.readouterr().out
    assert "A: success 1.000" in printed
    assert "B: success 0.500" in printed
    assert "A - B: +0.500" in printed
    assert "p = 0.0002" in printed


def test_only_the_same_episodes_are_paired(tmp_path: Path) -> None:
    one, other = write(tmp_path, "one", [True]), write(tmp_path, "other", [True], seed=1)
    with pytest.raises(PairingError, match="do not hold the same episodes"):
        paired_records([one], [other])
    elsewhere = folder_of_targets(tmp_path, "elsewhere", ["x"])
    with pytest.raises(PairingError, match="targets must agree"):
        paired_records([one], [elsewhere])
    with pytest.raises(PairingError, match="2 runs against 1"):
        paired_records([one, one], [one])


def test_a_missing_run_is_named(tmp_path: Path) -> None:
    with pytest.raises(SystemExit, match="nowhere"):
        main([str(tmp_path / "nowhere"), "--against", str(tmp_path / "nowhere")])
