"""Errors that end a run with a message instead of a traceback."""

from __future__ import annotations

from errno import EACCES, EDQUOT, EFBIG, ENOSPC, EPERM, EROFS

from catalogs.domain import DomainError
from catalogs.rows import CatalogError
from conf.endpoint import EndpointError
from evaluation.records import RecordError
from evaluation.run_dir import RunDirError
from evaluation.runner import EvaluationError
from language.llm.errors import ModelError
from retrieval.dense import EncoderError


class RunError(ValueError):
    """A run that cannot start; the message says why and what to do."""


USER_ERRORS = (
    RunError, RunDirError, RecordError, EvaluationError, CatalogError, DomainError, ModelError,
    EndpointError, EncoderError,
)  # fmt: skip
"""Errors whose message tells a user what to do; anything else shows its traceback."""

INTERRUPTED = 128 + 2
"""Exit code after Ctrl-C, as shells have it."""

UNWRITABLE = (EACCES, EPERM, EROFS, ENOSPC, EFBIG, EDQUOT)
"""Numbers of the errors of a full or read-only disk."""
