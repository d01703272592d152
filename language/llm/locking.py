"""A lock between processes."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from typing import BinaryIO


@contextmanager
def locked(file: BinaryIO) -> Iterator[None]:
    """Hold the lock of an open file for the block, against other processes that do the same.

    On Windows only the threads of one process are kept apart, by what calls this.
    """
    if sys.platform == "win32":
        yield
        return
    import fcntl

    fcntl.flock(file.fileno(), fcntl.LOCK_EX)
    try:
        yield
    finally:
        fcntl.flock(file.fileno(), fcntl.LOCK_UN)
