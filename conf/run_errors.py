"""Errors that end a run with a message instead of a traceback."""

from __future__ import annotations

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


def reason_of(error: Exception) -> str | None:
    """What to tell a user of an error that ended a run; None where its traceback must be seen."""
    if isinstance(error, USER_ERRORS):
        return str(error)
    if isinstance(error, OSError) and error.errno in UNWRITABLE:
        place = f" ({error.filename})" if error.filename else ""
        return (
            f"a file of the run cannot be written{place}: {error.strerror}; what is finished is "
            f"kept: make room or give another run_dir, or continue with resume=true"
        )
    return None
