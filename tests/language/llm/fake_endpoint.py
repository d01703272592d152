"""A scripted OpenAI-compatible endpoint on a local port."""

from __future__ import annotations

import contextlib
import json
import socket
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any


@dataclass(frozen=True)
class Reply:
    """What the endpoint does with one request; `drop` closes the connection before or amid it."""

    body: bytes
    status: int = 200
    headers: dict[str, str] = field(default_factory=dict)
    delay_s: float = 0.0
    drop: str = ""


def said(
    content: Any,
    finish: str = "stop",
    tokens: tuple[int, int] | None = (100, 10),
    **message: Any,
) -> Reply:
    """A well-formed chat completion; content other than text is written as JSON."""
    text = content if isinstance(content, str) or content is None else json.dumps(content)
    data: dict[str, Any] = {
        "id": "x",
        "object": "chat.completion",
        "choices": [
            {
                "index": 0,
                "finish_reason": finish,
                "message": {"role": "assistant", "content": text, **message},
            }
        ],
    }
    if tokens is not None:
        data["usage"] = {"prompt_tokens": tokens[0], "completion_tokens": tokens[1]}
    return Reply(json.dumps(data).encode())


def failed(
    status: int, message: str = "no", headers: dict[str, str] | None = None, **error: Any
) -> Reply:
    """An error in the shape that OpenAI gives it."""
    body = {"error": {"message": message, **error}}
    return Reply(json.dumps(body).encode(), status, headers or {})


@dataclass
class Seen:
    """One request as it came in; names of headers are in small letters."""

    path: str
    headers: dict[str, str]
    body: dict[str, Any]


class FakeEndpoint:
    """Answers by a script: a list, whose last reply repeats, or a function of the request."""

    def __init__(self) -> None:
        self.seen: list[Seen] = []
        self.script: list[Reply] | Callable[[Seen], Reply] = [said({"reply": "hello"})]
        self.in_flight = 0
        self.most_in_flight = 0
        self._lock = threading.Lock()
        self._open: set[socket.socket] = set()
        self._server = _server(self)
        self._thread = threading.Thread(target=self._server.serve_forever, args=(0.01,))
        self._thread.start()

    @property
    def base_url(self) -> str:
        return f"http://127.0.0.1:{self._server.server_address[1]}/v1"

    def answers(self, *script: Reply) -> None:
        self.script = list(script)

    def take(self, seen: Seen) -> Reply:
        with self._lock:
            self.seen.append(seen)
            self.in_flight += 1
            self.most_in_flight = max(self.most_in_flight, self.in_flight)
            if callable(self.script):
                return self.script(seen)
            return self.script.pop(0) if len(self.script) > 1 else self.script[0]

    def leave(self) -> None:
        with self._lock:
            self.in_flight -= 1

    def opened(self, connection: socket.socket) -> None:
        with self._lock:
            self._open.add(connection)

    def close(self) -> None:
        self._server.shutdown()
        self._thread.join()
        with self._lock:
            for connection in self._open:
                with contextlib.suppress(OSError):
                    connection.shutdown(socket.SHUT_RDWR)
        self._server.server_close()


def _server(endpoint: FakeEndpoint) -> ThreadingHTTPServer:
    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"
        disable_nagle_algorithm = True

        def setup(self) -> None:
            super().setup()
            endpoint.opened(self.connection)

        def do_POST(self) -> None:
            raw = self.rfile.read(int(self.headers["Content-Length"]))
            headers = {name.lower(): value for name, value in self.headers.items()}
            reply = endpoint.take(Seen(self.path, headers, json.loads(raw)))
            try:
                self._give(reply)
            except OSError:
                self.close_connection = True
            finally:
                endpoint.leave()

        def _give(self, reply: Reply) -> None:
            time.sleep(reply.delay_s)
            if reply.drop == "before":
                self.close_connection = True
                return
            self.send_response(reply.status)
            for name, value in reply.headers.items():
                self.send_header(name, value)
            self.send_header("Content-Type", "application/json")
            self.send_header("Content-Length", str(len(reply.body)))
            self.end_headers()
            if reply.drop == "amid":
                self.wfile.write(reply.body[: len(reply.body) // 2])
                self.close_connection = True
                return
            self.wfile.write(reply.body)

        def log_message(self, format: str, *args: Any) -> None:
            pass

    class Server(ThreadingHTTPServer):
        daemon_threads = False
        request_queue_size = 256

    return Server(("127.0.0.1", 0), Handler)
