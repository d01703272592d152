"""Prefixes beside published data sets."""

from pathlib import Path

import pytest

from tests.command_line import run_here
from tests.model_runs import summary_of


@pytest.mark.data
def test_prefixes_are_about_the_bundled_films_whatever_data_there_are(
    tmp_path: Path, real_redial: str
) -> None:
    settings = ("planner=ask_all", "logger=none", f"data.dir={real_redial}", "episodes=5")
    run_here(*settings, "prefixes=true", f"run_dir={tmp_path / 'out'}")
    assert summary_of(tmp_path / "out")["catalog_source"] == "sample_movie"
