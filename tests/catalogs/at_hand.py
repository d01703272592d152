"""The published data sets, where a developer has them."""

import json
import os
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from catalogs.catalog import Catalog
from catalogs.sources import open_catalog


def published_file(name: str) -> Path:
    """A file below CRS_DATA; skips the test, with the reason, where it is not at hand."""
    root = os.environ.get("CRS_DATA", "")
    path = Path(root) / name
    if not root or not path.exists():
        pytest.skip(f"needs {name} below CRS_DATA ({root or 'not set'})")
    return path


def published_catalog(name: str) -> Catalog:
    """A published catalogue, read once a process; skips where it is not at hand."""
    folder = name.split("_")[0]
    return _opened(name, str(published_file(f"{folder}/id2info.json").parents[1]))


@cache
def _opened(name: str, root: str) -> Catalog:
    return open_catalog(name, data_dir=root)


def published_groups(name: str) -> list[dict[str, Any]]:
    """The published preference groups of a catalogue with their targets."""
    path = published_file("preference_groups.json")
    groups: list[dict[str, Any]] = json.loads(path.read_text(encoding="utf-8"))[name]
    return groups
