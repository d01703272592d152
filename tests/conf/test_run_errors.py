"""Errors of files say whether something was read or written, and what to do."""

import errno
import os
from pathlib import Path

import pytest

from conf.run_errors import RunError, reason_of, verb_of


def error(code: int, path: Path | None = None) -> OSError:
    return OSError(code, os.strerror(code), None if path is None else str(path))


def test_users_errors_are_told_and_bugs_are_not() -> None:
    assert reason_of(RunError("say so")) == "say so"
    assert reason_of(KeyError("a bug")) is None
    assert reason_of(error(errno.ENOENT)) is None


def test_what_lies_elsewhere_was_read(tmp_path: Path) -> None:
    told = reason_of(error(errno.EACCES, tmp_path / "items.csv"), tmp_path / "run")
    assert told is not None
    assert f"a file cannot be read ({tmp_path / 'items.csv'}): Permission denied" in told
    assert "run_dir" not in told


def test_what_lies_in_the_directory_was_written(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "records.jsonl"
    for key in ("run_dir", "sweep_dir"):
        told = reason_of(error(errno.EACCES, path), tmp_path, key)
        assert told is not None
        assert f"a file of the run cannot be written ({path})" in told
        assert f"give another {key}" in told
    path.touch()
    monkeypatch.setattr("os.access", lambda *_: False)  # root may read everything
    told = reason_of(error(errno.EACCES, path), tmp_path)
    assert told is not None
    assert "a file cannot be read" in told
    for code, name in ((errno.EROFS, "records.jsonl"), (errno.EACCES, "summary.json.part")):
        (tmp_path / name).touch()
        told = reason_of(error(code, tmp_path / name), tmp_path)
        assert told is not None
        assert "cannot be written" in told


def test_a_full_disk_names_no_file(tmp_path: Path) -> None:
    told = reason_of(error(errno.ENOSPC), tmp_path)
    assert told is not None
    assert "a file of the run cannot be written: No space left on device" in told


def test_a_directory_that_is_there_cannot_be_read(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("os.access", lambda *_: False)
    assert verb_of(error(errno.EACCES, tmp_path), tmp_path) == "read"
    monkeypatch.setattr("os.access", lambda _, mode: mode == os.X_OK)
    assert verb_of(error(errno.EACCES, tmp_path / "new"), tmp_path / "new") == "made"
    monkeypatch.setattr("os.access", lambda _, mode: mode != os.X_OK)
    assert verb_of(error(errno.EACCES, tmp_path / "a" / "b"), tmp_path / "a" / "b") == "read"
