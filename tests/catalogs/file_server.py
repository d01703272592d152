"""A small HTTP server that serves files well or badly, and what tests of the downloader share."""

import socket
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler
from pathlib import Path

from catalogs.download import main
from catalogs.published import Publication
from catalogs.transfer import Effort

QUICK = Effort(attempts=3, pause=0.0, timeout=5.0)
LICENCE = "Toy data is licensed CC BY 4.0"


@dataclass
class Behaviour:
    """What the server serves, how it misbehaves, and what it was asked."""

    bodies: dict[str, bytes] = field(default_factory=dict)
    ranges: bool = True
    shifted: bool = False  # answers a range request with another range
    lengthless: bool = False  # announces no length
    drop_after: list[int] = field(default_factory=list)  # bytes sent before each early hang-up
    statuses: list[int] = field(default_factory=list)  # answered first, one a request
    asked: list[tuple[str, str | None]] = field(default_factory=list)


class Handler(BaseHTTPRequestHandler):
    """Serves `server.behaviour`."""

    def log_message(self, format: str, *args: object) -> None:
        pass

    def do_GET(self) -> None:
        how: Behaviour = self.server.behaviour  # type: ignore[attr-defined]
        wanted = self.headers.get("Range")
        how.asked.append((self.path, wanted))
        body = how.bodies.get(self.path)
        if how.statuses or body is None:
            self.send_error(how.statuses.pop(0) if how.statuses else 404)
            return
        start = int(wanted.removeprefix("bytes=").rstrip("-")) if wanted and how.ranges else 0
        if start and start >= len(body):
            self.send_error(416)
            return
        self.send_response(206 if start else 200)
        if start:
            first = 0 if how.shifted else start
            self.send_header("Content-Range", f"bytes {first}-{len(body) - 1}/{len(body)}")
        if not how.lengthless:
            self.send_header("Content-Length", str(len(body) - start))
        self.end_headers()
        end = start + how.drop_after.pop(0) if how.drop_after else len(body)
        self.wfile.write(body[start:end])


def contents(folder: Path) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in folder.iterdir()} if folder.exists() else {}


def served(how: Behaviour) -> dict[str, bytes]:
    return {Path(path).name: body for path, body in how.bodies.items()}


def leave_part(folder: Path, data: bytes) -> Path:
    folder.mkdir(parents=True)
    part = folder / "items.json.part"
    part.write_bytes(data)
    return part


def closed_port() -> int:
    with socket.socket() as sock:
        sock.bind(("127.0.0.1", 0))
        return int(sock.getsockname()[1])


def run(toy: Publication, folder: Path, *more: str) -> int:
    return main(["toy", "--dir", str(folder.parent), *more], {"toy": toy}, QUICK)
