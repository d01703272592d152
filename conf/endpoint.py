"""The endpoint of the embedded roles, started for one run where ``llm=server`` names none."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from language.llm.call import ROLES

PATIENCE = 60.0
"""Seconds that the endpoint may take to end before it is killed."""

_ROOT = Path(__file__).resolve().parents[1]


class EndpointError(ValueError):
    """The endpoint did not start; the message says what it said."""


@contextmanager
def endpoint_for(config: dict[str, Any]) -> Iterator[dict[str, Any]]:
    """The configuration with an address for every role on a server that has none.

    They share one endpoint, which ends with the block, and with this process however that ends. A
    configuration that names all addresses, or needs none, is yielded as it is.

    Raises:
        EndpointError: ``python -m serving`` did not come up.
    """
    llm = config["llm"]
    roles = _without_address(llm)
    if not roles or llm["replay"]:
        yield config
        return
    with _serving() as address:
        given = llm["roles"] or {}
        found = {role: {**(given.get(role) or {}), "base_url": address} for role in roles}
        yield {**config, "llm": {**llm, "roles": {**given, **found}}}


def _without_address(llm: Mapping[str, Any]) -> Sequence[str]:
    """Roles on a server that neither they nor the top name an address of."""
    found = []
    for role in ROLES:
        own = (llm["roles"] or {}).get(role) or {}
        inherits = own.get("backend") in (None, llm["backend"])
        backend = llm["backend"] if inherits else own["backend"]
        address = own.get("base_url") or (llm["base_url"] if inherits else None)
        if backend == "server" and not address:
            found.append(role)
    return found


@contextmanager
def _serving() -> Iterator[str]:
    """An endpoint in a process of its own; its address."""
    paths = filter(None, (str(_ROOT), os.environ.get("PYTHONPATH")))
    with subprocess.Popen(
        # Killed, this process could not end the endpoint: that sees its input close.
        [sys.executable, "-m", "serving", "--port=0", "--with-parent"],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
        env={**os.environ, "PYTHONPATH": os.pathsep.join(paths)},
        # Ctrl-C is for this process, which then ends the endpoint.
        start_new_session=True,
    ) as process:
        try:
            yield _address(process)
        finally:
            process.terminate()
            try:
                process.wait(PATIENCE)
            except subprocess.TimeoutExpired:
                process.kill()


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
