"""The HTTP server around the endpoint."""

from __future__ import annotations

import math
import socket
from collections.abc import Callable

import uvicorn
from starlette.applications import Starlette

from serving.app import create_app
from serving.catalogues import Opener
from serving.settings import ServingSettings

BACKLOG = 2048
"""Connections that may wait to be accepted."""

KEEP_ALIVE_S = 600
"""Seconds that idle connections stay open: one closed just as its client sends is a fault that
nobody injected."""


class Server(uvicorn.Server):
    """Tells when it is ready, and lets hanging requests go before it closes.

    Args:
        app: The endpoint.
        settings: How it behaves.
        ready: Called once when requests are accepted.
    """

    def __init__(
        self, app: Starlette, settings: ServingSettings, ready: Callable[[], None]
    ) -> None:
        longest = settings.latency_s * (1.0 + settings.jitter)
        config = uvicorn.Config(
            app,
            log_config=None,
            log_level="critical",  # Faults on purpose look like errors to it.
            access_log=False,
            lifespan="off",
            ws="none",
            backlog=BACKLOG,
            date_header=False,
            server_header=False,
            timeout_keep_alive=KEEP_ALIVE_S,
            timeout_graceful_shutdown=1 + math.ceil(longest),
        )
        super().__init__(config)
        self._app = app
        self._ready = ready

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        """Start, and say so."""
        await super().startup(sockets=sockets)
        self._ready()

    async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
        """End the requests that hang, then close."""
        self._app.state.service.closing.set()
        await super().shutdown(sockets=sockets)


def listen(settings: ServingSettings) -> socket.socket:
    """A socket bound to the address.

    Raises:
        OSError: The address cannot be used; the message names it and the remedy.
    """
    family = socket.AF_INET6 if ":" in settings.host else socket.AF_INET
    # With its protocol named, asyncio sends small packets at once; else each answer waits 40 ms.
    found = socket.socket(family, socket.SOCK_STREAM, socket.IPPROTO_TCP)
    found.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        found.bind((settings.host, settings.port))
    except OSError as error:
        found.close()
        raise OSError(
            f"cannot listen at {settings.host}:{settings.port} ({error.strerror or error}); "
            f"stop what uses it, or choose another port (0: any free one)"
        ) from error
    return found


def address(listener: socket.socket) -> str:
    """The base URL that clients need, ``http://127.0.0.1:8765/v1``."""
    host, port = listener.getsockname()[:2]
    return f"http://{f'[{host}]' if ':' in host else host}:{port}/v1"


def make_server(
    settings: ServingSettings, ready: Callable[[], None], worlds: Opener | None = None
) -> Server:
    """A server that has not started; run it on a socket from :func:`listen`."""
    return Server(create_app(settings, worlds), settings, ready)
