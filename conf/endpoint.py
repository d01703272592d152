"""The endpoint of the embedded roles, started for one run where ``llm=server`` names none."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Any

PATIENCE = 60.0
"""Seconds that the endpoint may take to end before it is killed."""


class EndpointError(ValueError):
    """The endpoint did not start; the message says what it said."""


@contextmanager
def endpoint_for(config: dict[str, Any]) -> Iterator[dict[str, Any]]:
    """The configuration with an address where it had none; the endpoint ends with the block.

    A configuration that names an address, or needs no endpoint, is yielded as it is.

    Raises:
        EndpointError: ``python -m serving`` did not come up.
    """
    if not _needed(config["llm"]):
        yield config
        return
    command = [sys.executable, "-m", "serving", "--port", "0"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        try:
            llm = {**config["llm"], "base_url": _address(process)}
            yield {**config, "llm": llm}
        finally:
            process.terminate()
            try:
                process.wait(PATIENCE)
            except subprocess.TimeoutExpired:
                process.kill()


def _needed(llm: Mapping[str, Any]) -> bool:
    return llm["backend"] == "server" and llm["base_url"] is None and not llm["replay"]


def _address(process: subprocess.Popen[str]) -> str:
    """The address in the line that the endpoint prints when it is ready."""
    assert process.stdout is not None
    line = process.stdout.readline()
    found = next((word for word in line.split() if word.startswith("http://")), None)
    if found is None:
        code = process.wait(PATIENCE)
        raise EndpointError(
            f"llm=server could not start its endpoint (python -m serving ended with {code}); "
            f"start one and name it with llm.base_url=http://HOST:PORT/v1"
        )
    return found
