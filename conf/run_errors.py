"""Errors that end a run with a message instead of a traceback."""

from __future__ import annotations

import os
from errno import (
    EACCES,
    EDQUOT,
    EEXIST,
    EFBIG,
    EIO,
    EISDIR,
    ELOOP,
    ENAMETOOLONG,
    ENOSPC,
    ENOTDIR,
    EPERM,
    EROFS,
)
from pathlib import Path

from catalogs.domain import DomainError
from catalogs.rows import CatalogError
from conf.endpoint import EndpointError
from dialogue.experience import ExperienceError
from evaluation.ray_cluster import ClusterError
from evaluation.records import RecordError
from evaluation.run_dir import RunDirError
from evaluation.runner import EvaluationError
from language.llm.errors import ModelError
from retrieval.dense import EncoderError


class RunError(ValueError):
    """A run that cannot start; the message says why and what to do."""


USER_ERRORS = (
    RunError, RunDirError, RecordError, EvaluationError, CatalogError, DomainError, ModelError,
    EndpointError, EncoderError, ClusterError, ExperienceError,
)  # fmt: skip
"""Errors whose message tells a user what to do; anything else shows its traceback."""

INTERRUPTED = 128 + 2
"""Exit code after Ctrl-C, as shells have it."""

UNWRITABLE = (
    EACCES, EPERM, EROFS, ENOSPC, EFBIG, EDQUOT, EIO, EEXIST, EISDIR, ENOTDIR, ENAMETOOLONG, ELOOP
)  # fmt: skip
"""Numbers of the errors of a disk that is full, read-only or broken, and of a file's place where
something else is or nothing can be."""


_ONLY_WRITTEN = (EROFS, ENOSPC, EFBIG, EDQUOT, EEXIST)
"""Those of them that no reader meets."""


def reason_of(error: Exception, directory: Path | None = None, key: str = "run_dir") -> str | None:
    """What to tell a user of an error that ended a run; None where its traceback must be seen.

    Args:
        error: What was raised.
        directory: Where the run, or the sweep, writes; None if that is not known.
        key: The setting that names the directory.
    """
    if isinstance(error, USER_ERRORS):
        return str(error)
    if not isinstance(error, OSError) or error.errno not in UNWRITABLE:
        return None
    place = f" ({error.filename})" if error.filename else ""
    if _was_read(error, directory):
        return (
            f"a file cannot be read{place}: {error.strerror}; what is finished is kept: make it "
            f"readable, or name another"
        )
    return (
        f"a file of the run cannot be written{place}: {error.strerror}; what is finished is "
        f"kept: make room or give another {key}, or continue with resume=true"
    )


def verb_of(error: OSError, directory: Path) -> str:
    """What cannot be done to a directory that was to be made, and listed if it was there."""
    if error.errno == ENOTDIR:  # a file is in the way
        return "made"
    return "read" if _was_read(error, directory) else "made"


def _was_read(error: OSError, directory: Path | None) -> bool:
    """Whether a file was to be read: the error does not say, but where the file is mostly does.

    A run reads everywhere and writes below its directory, where it writes what it can read.
    """
    if error.errno in _ONLY_WRITTEN or not isinstance(error.filename, str | os.PathLike):
        return False
    path = Path(error.filename)
    if path.suffix == ".part":
        return False
    if directory is not None and not is_below(path, directory):
        return True
    if error.errno == EISDIR:
        return True
    there = next((one for one in (path, *path.absolute().parents) if os.path.exists(one)), path)
    return not os.access(there, os.R_OK if there == path else os.X_OK)


def is_below(path: Path, directory: Path) -> bool:
    """Whether a path is a directory or in it."""
    inner, outer = (os.path.abspath(one) for one in (path, directory))
    return Path(inner).is_relative_to(outer)
