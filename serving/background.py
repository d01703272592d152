"""The endpoint beside other work: in a thread of this process, or in a process of its own."""

from __future__ import annotations

import dataclasses
import subprocess
import threading
from collections.abc import Iterator
from contextlib import contextmanager

from language.llm.serving_process import serving_process
from serving.catalogues import Opener
from serving.server import address, listen, make_server
from serving.settings import ServingSettings

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
        ServingProcessError: The process ended before it was ready; its own message is on stderr.
    """
    own = dataclasses.replace(settings or ServingSettings(), port=0)
    with serving_process(arguments(own)) as found:
        yield found


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
