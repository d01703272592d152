"""Answers on disk, shared between threads and processes: a repeated run makes no call."""

from __future__ import annotations

import json
import sqlite3
import threading
from pathlib import Path
from typing import Any

from language.llm.errors import RunStopped
from language.llm.locking import locked

FILE = "answers.sqlite"
VERSION = 1
_BUSY_S = 60.0


class Cache:
    """Answers by key in one SQLite file, whose values are JSON text.

    Args:
        folder: Where the file is; made if missing.

    Raises:
        RunStopped: The file cannot be used; so from every method.
    """

    def __init__(self, folder: str | Path) -> None:
        self.file = Path(folder).expanduser() / FILE
        self._lock = threading.Lock()
        self._closed = False
        try:
            self.file.parent.mkdir(parents=True, exist_ok=True)
            with open(self.file.with_suffix(".lock"), "ab") as lock, locked(lock):
                self._connection = self._open()
        except (OSError, sqlite3.Error) as error:
            raise self._unusable(error) from None

    def _open(self) -> sqlite3.Connection:
        connection = sqlite3.connect(
            self.file, timeout=_BUSY_S, isolation_level=None, check_same_thread=False
        )
        connection.execute("PRAGMA journal_mode=WAL")
        # A crash of the machine may lose the last answers, never damage those before.
        connection.execute("PRAGMA synchronous=NORMAL")
        version = connection.execute("PRAGMA user_version").fetchone()[0]
        if version not in (0, VERSION):
            connection.close()
            raise sqlite3.DatabaseError(f"format {version}, where this program writes {VERSION}")
        connection.execute(
            "CREATE TABLE IF NOT EXISTS answers "
            "(key TEXT PRIMARY KEY, role TEXT NOT NULL, answer TEXT NOT NULL) WITHOUT ROWID"
        )
        connection.execute(f"PRAGMA user_version={VERSION}")
        return connection

    def find(self, key: str, role: str) -> dict[str, Any] | None:
        """The answer under a key, None if there is none."""
        try:
            with self._lock:
                if self._closed:
                    return None
                row = self._connection.execute(
                    "SELECT answer FROM answers WHERE key = ?", (key,)
                ).fetchone()
            return None if row is None else self._read(row[0])
        except (sqlite3.Error, ValueError) as error:
            raise self._unusable(error) from None

    def keep(
        self, key: str, role: str, request: dict[str, Any], answer: dict[str, Any]
    ) -> dict[str, Any]:
        """Keep an answer if there is none yet; return the one that stands."""
        try:
            with self._lock:
                if self._closed:
                    return answer
                self._connection.execute(
                    "INSERT OR IGNORE INTO answers VALUES (?, ?, ?)",
                    (key, role, json.dumps(answer)),
                )
                row = self._connection.execute(
                    "SELECT answer FROM answers WHERE key = ?", (key,)
                ).fetchone()
            return self._read(row[0])
        except (sqlite3.Error, ValueError) as error:
            raise self._unusable(error) from None

    def close(self) -> None:
        """Close the file; answers that come later are not kept."""
        with self._lock:
            self._closed = True
            self._connection.close()

    @staticmethod
    def _read(text: str) -> dict[str, Any]:
        found = json.loads(text)
        if not isinstance(found, dict):
            raise ValueError("an answer is no object")
        return found

    def _unusable(self, error: Exception) -> RunStopped:
        if "locked" in str(error):
            remedy = "another process holds it: end that one"
        else:
            remedy = "delete the file (its answers are then asked for again)"
        return RunStopped(
            f"llm.cache: {self.file} cannot be used ({error}); {remedy} or set llm.cache to "
            "another folder"
        )
