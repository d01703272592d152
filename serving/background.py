"""The endpoint beside other work: in a thread of this process, or in a process of its own."""

from __future__ import annotations

import dataclasses
import os
import subprocess
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from serving.catalogues import Opener
from serving.server import address, listen, make_server
from serving.settings import ServingSettings

_ROOT = Path(__file__).resolve().parents[1]
_STOP_S = 20.0


@contextmanager
def running(settings: ServingSettings | None = None, worlds: Opener | None = None) -> Iterator[str]:
    """Serve from a thread of this process at a free port; yields the base URL.

    Args:
        settings: How it behaves; its port is not used.
        worlds: See :func:`serving.app.create_app`.
    """
    own = dataclasses.replace(settings or ServingSettings(), port=0)
    listener = listen(own)
    ready = threading.Event()
    server = make_server(own, ready.set, worlds)

    def serve() -> None:
        try:
            server.run(sockets=[listener])
        finally:
            ready.set()

    thread = threading.Thread(target=serve, name="serving", daemon=True)
    thread.start()
    ready.wait()
    if not server.started:
        listener.close()
        raise RuntimeError("the endpoint did not start; see the error above")
    try:
        yield address(listener)
    finally:
        server.should_exit = True
        thread.join(_STOP_S)


@contextmanager
def start_process(
    settings: ServingSettings | None = None,
) -> Iterator[tuple[subprocess.Popen[str], str]]:
    """Serve from another process at a free port; yields the process and the base URL.

    Raises:
        RuntimeError: The process ended before it was ready; its own message is on stderr.
    """
    own = dataclasses.replace(settings or ServingSettings(), port=0)
    paths = filter(None, (str(_ROOT), os.environ.get("PYTHONPATH")))
    process = subprocess.Popen(
        [sys.executable, "-m", "serving", *arguments(own), "--with-parent"],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
        env={**os.environ, "PYTHONPATH": os.pathsep.join(paths)},
    )
    try:
        assert process.stdout is not None
        words = process.stdout.readline().split()
        if not words:
            raise RuntimeError(f"the endpoint's process ended with code {process.wait(_STOP_S)}")
        yield process, words[-1]
    finally:
        _stop(process)


def _stop(process: subprocess.Popen[str]) -> None:
    process.terminate()
    try:
        process.wait(_STOP_S)
    except subprocess.TimeoutExpired:
        process.kill()
        process.wait()
    for pipe in (process.stdin, process.stdout):
        if pipe is not None:
            pipe.close()


def arguments(settings: ServingSettings) -> list[str]:
    """The command line of ``python -m serving`` that gives these settings."""
    found = [
        f"--host={settings.host}",
        f"--port={settings.port}",
        f"--latency={settings.latency_s!r}",
        f"--jitter={settings.jitter!r}",
        f"--when-full={settings.when_full}",
        f"--hang={settings.hang_s!r}",
        f"--retry-after={settings.retry_after_s!r}",
        f"--seed={settings.seed}",
        f"--largest-body={settings.largest_body}",
    ]
    if settings.capacity is not None:
        found.append(f"--capacity={settings.capacity}")
    found += [f"--fault={kind}={chance!r}" for kind, chance in settings.faults.items()]
    if settings.script:
        found.append(f"--script={','.join(settings.script)}")
    if not settings.json_schema:
        found.append("--no-json-schema")
    if not settings.json_object:
        found.append("--no-json-object")
    return found
