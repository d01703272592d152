"""Linear algebra on one thread: sums that never differ, and no fight over shared cores."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager

_LOCK = threading.RLock()


@contextmanager
def one_thread() -> Iterator[None]:
    """Hold the linear algebra of this process to one thread per caller.

    The limit belongs to the process, and the library that sets it lets only one thread at a time do
    so. Blocks in several threads therefore wait for each other, or one that leaves would lift the
    limit under another's sums. Put it around seconds of work at most; threads that a block starts
    share its limit.
    """
    from threadpoolctl import threadpool_limits  # type: ignore[import-untyped]

    with _LOCK, threadpool_limits(1):
        yield
