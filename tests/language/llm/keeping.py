"""A process that keeps 50 answers in a shared file and prints which answers stand.

``python -m tests.language.llm.keeping cache|record PATH TEXT``
"""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

from language.llm.cache import Cache
from language.llm.recording import Recording

COUNT = 50


def keep(kind: str, path: str, text: str) -> list[str]:
    """Keep an answer under each of the keys 0, 1, ...; the texts that stand."""
    store = Cache(path) if kind == "cache" else Recording(path)
    kept = [store.keep(str(n), "track", {}, {"text": text})["text"] for n in range(COUNT)]
    store.close()
    return kept


def keep_at_once(kind: str, path: Path) -> list[list[str]]:
    """What two processes that run at the same time find."""
    command = [sys.executable, "-m", "tests.language.llm.keeping", kind, str(path)]
    running = [
        subprocess.Popen([*command, text], stdout=subprocess.PIPE, text=True) for text in "ab"
    ]
    return [json.loads(process.communicate(timeout=60)[0]) for process in running]


if __name__ == "__main__":
    print(json.dumps(keep(*sys.argv[1:4])))
