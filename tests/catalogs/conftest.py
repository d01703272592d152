"""Fixtures: a local file server and a data set that it serves."""

import hashlib
import json
import random
from collections.abc import Iterator
from http.server import ThreadingHTTPServer
from pathlib import Path
from threading import Thread

import pytest

from catalogs.published import Publication, PublishedFile
from tests.catalogs.file_server import LICENCE, Behaviour, Handler


@pytest.fixture
def server(monkeypatch: pytest.MonkeyPatch) -> Iterator[ThreadingHTTPServer]:
    """A local server on a free port, reached past any proxy of the machine."""
    monkeypatch.setenv("no_proxy", "127.0.0.1")
    monkeypatch.setenv("NO_PROXY", "127.0.0.1")
    httpd = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    httpd.behaviour = Behaviour()  # type: ignore[attr-defined]
    thread = Thread(target=httpd.serve_forever, kwargs={"poll_interval": 0.01})
    thread.start()
    yield httpd
    httpd.shutdown()
    thread.join()
    httpd.server_close()


@pytest.fixture
def how(server: ThreadingHTTPServer) -> Behaviour:
    """The server's behaviour, for a data set of a large and a small file."""
    behaviour: Behaviour = server.behaviour  # type: ignore[attr-defined]
    behaviour.bodies["/toy/items.json"] = random.Random(7).randbytes(300_000)
    behaviour.bodies["/toy/kg.json"] = json.dumps({"1": [[0, 2]]}).encode()
    return behaviour


@pytest.fixture
def base(server: ThreadingHTTPServer) -> str:
    return f"http://127.0.0.1:{server.server_address[1]}"


@pytest.fixture
def toy(how: Behaviour, base: str) -> Publication:
    """The table row that describes exactly what the server has."""
    files = [
        PublishedFile(Path(path).name, base + path, len(body), hashlib.sha256(body).hexdigest())
        for path, body in how.bodies.items()
    ]
    return Publication("toy", LICENCE, tuple(files))


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """The data set's folder; its parent is the data root."""
    return tmp_path / "data" / "toy"
