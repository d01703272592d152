"""Run directories by name, by pattern, or inside other directories."""

from __future__ import annotations

import glob
import os
import re
from collections.abc import Iterator, Sequence
from pathlib import Path

from evaluation.comparison.errors import ComparisonError
from evaluation.records import RECORDS

CONFIG = "config.yaml"
_MARKS = (CONFIG, RECORDS)
_OF_A_RUN = re.compile(r"^run_dir:", re.MULTILINE)
_OF_HYDRA = re.compile(r"^defaults:", re.MULTILINE)


def find_runs(paths: Sequence[Path]) -> list[Path]:
    """The run directories that paths stand for, each once, in the order given.

    A path is a run directory, a directory with runs somewhere inside, or a pattern of such paths
    (for shells that leave patterns alone). Hidden directories are passed over.

    Raises:
        ComparisonError: A path stands for no run.
    """
    found: dict[Path, Path] = {}
    for path in paths:
        for run_dir in _of_path(path):
            found.setdefault(run_dir.resolve(), run_dir)
    return list(found.values())


def is_run(folder: Path) -> bool:
    """Whether a directory is one that a run wrote to: it has records, or a run's configuration."""
    if (folder / RECORDS).is_file():
        return True
    try:
        config = (folder / CONFIG).read_text(encoding="utf-8", errors="replace")
    except OSError:
        return False
    return bool(_OF_A_RUN.search(config)) and not _OF_HYDRA.search(config)


def names_of(run_dirs: Sequence[Path]) -> list[str]:
    """Short names: each path as seen from the deepest directory that holds all of them.

    They depend neither on how the paths were written nor on where the directory lies.
    """
    resolved = [run_dir.resolve() for run_dir in run_dirs]
    parents = [str(path.parent) for path in resolved]
    top = os.path.commonpath(parents) if parents else ""
    return [path.relative_to(top).as_posix() for path in resolved]


def _of_path(path: Path) -> list[Path]:
    text = str(path.expanduser())
    if os.path.exists(text):
        return _of_directory(Path(text))
    if glob.has_magic(text):
        matches = [Path(match) for match in sorted(glob.glob(text, recursive=True))]
        runs = [run for match in matches if match.is_dir() for run in _inside(match)]
        if runs:
            return runs
        what = "matches nothing" if not matches else "matches no run and no directory with runs"
        raise ComparisonError(f"{path} {what}; give directories that train.py wrote (run_dir=DIR)")
    raise ComparisonError(f"{path} does not exist; give directories that train.py wrote")


def _of_directory(path: Path) -> list[Path]:
    if not path.is_dir():
        hint = f"; give its directory, {path.parent}" if path.name in _MARKS else ""
        raise ComparisonError(f"{path} is a file, not the directory of a run{hint}")
    runs = list(_inside(path))
    if not runs:
        raise ComparisonError(
            f"{path} holds no run ({RECORDS}, {CONFIG}); give directories that train.py wrote"
        )
    return runs


def _inside(top: Path) -> Iterator[Path]:
    for folder, inner, _ in os.walk(top):
        if is_run(Path(folder)):
            inner.clear()
            yield Path(folder)
        else:
            inner[:] = sorted(name for name in inner if not name.startswith("."))
            paths = [Path(folder, name) for name in inner]
            yield from (path for path in paths if path.is_symlink() and is_run(path))
