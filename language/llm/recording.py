"""Runs frozen in a file: every request with its answer, to be answered again without a model."""

from __future__ import annotations

import json
import threading
from pathlib import Path
from typing import Any, BinaryIO

from language.llm.errors import RunStopped
from language.llm.locking import locked


def _read_lines(name: str, path: Path, data: bytes, known: dict[str, dict[str, Any]]) -> int:
    """Take in complete lines; return how many bytes they are. The first line of a key stands."""
    end = data.rfind(b"\n") + 1
    for number, line in enumerate(data[:end].splitlines(), 1):
        try:
            entry = json.loads(line)
            known.setdefault(entry["key"], dict(entry["answer"]))
        except (ValueError, TypeError, KeyError):
            raise RunStopped(
                f"{name}: line {number} of {path} is no recorded answer ({line[:60]!r}); name "
                "another file, or delete that line"
            ) from None
    return end


class Recording:
    """Writes JSON lines ``{"key", "role", "request", "answer"}``, one for each key.

    Several processes may write to one file. A file that exists is continued, and answers what it
    knows: what is asked twice in a run is answered once, or a replay could not tell the two apart.

    Args:
        path: The file; its folder is made if missing.

    Raises:
        RunStopped: The file cannot be written, or holds something else.
    """

    def __init__(self, path: str | Path) -> None:
        self.path = Path(path).expanduser()
        self._lock = threading.Lock()
        self._known: dict[str, dict[str, Any]] = {}
        self._read = 0
        try:
            self.path.parent.mkdir(parents=True, exist_ok=True)
            self._file: BinaryIO = open(self.path, "a+b", buffering=0)  # noqa: SIM115
        except OSError as error:
            raise RunStopped(f"llm.record: cannot write {self.path}: {error.strerror}") from None
        try:
            with locked(self._file):
                self._catch_up()
        except RunStopped:
            self._file.close()
            raise

    def find(self, key: str, role: str) -> dict[str, Any] | None:
        """The answer under a key, None if there is none."""
        with self._lock:
            return self._known.get(key)

    def keep(
        self, key: str, role: str, request: dict[str, Any], answer: dict[str, Any]
    ) -> dict[str, Any]:
        """Append an answer if its key has none yet, in any process; return the one that stands."""
        entry = {"key": key, "role": role, "request": request, "answer": answer}
        line = json.dumps(entry).encode() + b"\n"
        with self._lock:
            if key in self._known or self._file.closed:
                return self._known.get(key, answer)
            with locked(self._file):
                self._catch_up()
                if key not in self._known:
                    self._file.write(line)
                    self._read += len(line)
            return self._known.setdefault(key, answer)

    def close(self) -> None:
        """Close the file; answers that come later are not kept."""
        with self._lock:
            self._file.close()

    def _catch_up(self) -> None:
        """Read what others wrote; cut off a line that a killed process left unfinished."""
        self._file.seek(self._read)
        data = self._file.read()
        self._read += _read_lines("llm.record", self.path, data, self._known)
        if self._file.seek(0, 2) > self._read:
            self._file.truncate(self._read)


class Replay:
    """Answers only from a recording.

    Args:
        path: The file that ``llm.record`` wrote.

    Raises:
        RunStopped: The file is missing or holds something else.
    """

    def __init__(self, path: str | Path) -> None:
        self.path = Path(path).expanduser()
        self._known: dict[str, dict[str, Any]] = {}
        try:
            data = self.path.read_bytes()
        except OSError as error:
            raise RunStopped(
                f"llm.replay: cannot read {self.path}: {error.strerror}; record the run first with "
                f"llm.record={self.path}"
            ) from None
        _read_lines("llm.replay", self.path, data, self._known)

    def find(self, key: str, role: str) -> dict[str, Any]:
        """The recorded answer.

        Raises:
            RunStopped: There is none.
        """
        if key not in self._known:
            raise RunStopped(
                f"llm.replay: {self.path} has no answer to a request of the role {role}: the run "
                "that was recorded differs in a setting, a prompt or a model; record it again, or "
                "replay it with its own settings"
            )
        return self._known[key]

    def keep(
        self, key: str, role: str, request: dict[str, Any], answer: dict[str, Any]
    ) -> dict[str, Any]:
        """Nothing new comes in."""
        return self._known.get(key, answer)

    def close(self) -> None:
        """Nothing is open."""
