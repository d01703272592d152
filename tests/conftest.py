"""Fixtures for every test: small worlds, the published data, one hypothesis profile."""

import os
from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings

from catalogs.catalog import Catalog
from tests.small_world import films

settings.register_profile(
    "crsgym",
    deadline=None,
    derandomize="CI" in os.environ,
    print_blob=True,
    suppress_health_check=[HealthCheck.too_slow],
)
settings.load_profile("crsgym")


@pytest.fixture(scope="session")
def small() -> Catalog:
    """A hand-made catalogue of films; see :func:`tests.small_world.films`."""
    return films()


@pytest.fixture
def no_data(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> str:
    """An empty data root, also in CRS_DATA: the bundled samples are used on every machine."""
    folder = tmp_path / "no data here"
    folder.mkdir()
    monkeypatch.setenv("CRS_DATA", str(folder))
    return str(folder)


@pytest.fixture
def real_redial() -> str:
    """The data root with the published ReDial catalogue; skips, with the reason, without it."""
    root = os.environ.get("CRS_DATA", "").strip()
    if not root or not (Path(root).expanduser() / "redial" / "id2info.json").exists():
        pytest.skip(f"needs redial/id2info.json below CRS_DATA ({root or 'not set'})")
    return root
