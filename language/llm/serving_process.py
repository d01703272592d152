"""The endpoint of the embedded roles, ``python -m serving``, in a process of its own."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

PATIENCE = 60.0
"""Seconds that the process may take to end before it is killed."""

_ROOT = Path(__file__).resolve().parents[2]


class ServingProcessError(RuntimeError):
    """The process ended before it served; what it said is on stderr."""


@contextmanager
def serving_process(
    arguments: Sequence[str] = ("--port=0",),
) -> Iterator[tuple[subprocess.Popen[str], str]]:
    """Serve for the block; yields the process and the base URL.

    The process ends with the block, and with this process however that ends: killed, this one could
    not end it, but it sees its input close. Ctrl-C is for this process only.

    Args:
        arguments: Of ``python -m serving``.

    Raises:
        ServingProcessError: It did not come up.
    """
    paths = filter(None, (str(_ROOT), os.environ.get("PYTHONPATH")))
    with subprocess.Popen(
        [sys.executable, "-m", "serving", *arguments, "--with-parent"],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
        # It is found from anywhere, and not only from the checkout.
        env={**os.environ, "PYTHONPATH": os.pathsep.join(paths)},
        start_new_session=True,
    ) as process:
        try:
            yield process, _address(process)
        finally:
            process.terminate()
            try:
                process.wait(PATIENCE)
            except subprocess.TimeoutExpired:
                process.kill()


def _address(process: subprocess.Popen[str]) -> str:
    """The address in the line that the process prints when it is ready."""
    assert process.stdout is not None
    line = process.stdout.readline()
    found = next((word for word in line.split() if word.startswith("http://")), None)
    if found is None:
        code = process.wait(PATIENCE)
        raise ServingProcessError(f"python -m serving ended with {code}")
    return found
