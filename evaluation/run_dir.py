"""Run directories: refusing to mix two runs, and writing whole files or nothing."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path


class RunDirError(RuntimeError):
    """A run directory that must not be written to; the message says what to do."""


def prepare_run_dir(run_dir: Path, resume: bool = False) -> None:
    """Create a run directory, or check that an existing one may be used.

    Args:
        run_dir: The directory; parents are created.
        resume: Whether an earlier run in it is to be continued.

    Raises:
        RunDirError: The directory holds something and ``resume`` is false, or it is a file.
    """
    if run_dir.exists() and not run_dir.is_dir():
        raise RunDirError(f"{run_dir} is a file; give a directory")
    if run_dir.is_dir() and not resume:
        inside = sorted(entry.name for entry in run_dir.iterdir())
        if inside:
            raise RunDirError(
                f"{run_dir} is not empty ({', '.join(inside[:3])}{', …' if inside[3:] else ''}); "
                f"add resume=true to continue the run in it, or give another run_dir"
            )
    run_dir.mkdir(parents=True, exist_ok=True)


@contextmanager
def locked(run_dir: Path) -> Iterator[None]:
    """Keep other processes out of a run directory, where the system has such locks.

    The lock is on the directory itself: it leaves no file, and ends with the process, however that
    dies.

    Raises:
        RunDirError: Another process holds it.
    """
    try:
        import fcntl
    except ImportError:  # Windows has none
        yield
        return
    handle = os.open(run_dir, os.O_RDONLY)
    try:
        try:
            fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError as error:
            raise RunDirError(
                f"another process is running in {run_dir}; wait for it, or give another run_dir"
            ) from error
        except OSError:
            pass  # some network file systems have no locks
        yield
    finally:
        os.close(handle)


def write_whole(path: Path, text: str) -> None:
    """Write a file so that a reader, or a crash, sees the old text or the new one, never a part."""
    part = path.with_name(path.name + ".part")
    try:
        with part.open("w", encoding="utf-8", newline="\n") as file:
            file.write(text)
            file.flush()
            os.fsync(file.fileno())
        os.replace(part, path)
    except OSError:
        part.unlink(missing_ok=True)  # a full disk needs its room for what is finished
        raise
