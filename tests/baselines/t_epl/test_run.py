"""Runs with a memory that Dreams made: the same through an endpoint as without one."""

from pathlib import Path

import pytest

from serving.background import running
from tests.model_runs import overruled, plain, rows, run, samples

__all__ = ["samples"]  # a fixture

SMALL = (
    "planner=t_epl", "planner.simulations=30", "experience.users=3", "experience.n_el=5",
    "episodes=3", "workers=1",
)  # fmt: skip


@pytest.mark.parametrize("env", ["redial", "opendialkg_book"])
def test_a_run_through_the_endpoint_is_the_embedded_run(
    samples: None, tmp_path: Path, env: str
) -> None:
    kept = f"experience.dir={tmp_path / 'experience'}"
    embedded = run(tmp_path / "embedded", f"env={env}", *SMALL, kept)
    assert len(embedded) == 3
    with running() as base_url:
        server = ("llm=server", f"llm.base_url={base_url}")
        served = run(tmp_path / "served", f"env={env}", *SMALL, kept, *server)
    assert plain(served) == embedded
    assert overruled(served) == []
    assert {"policy", "user", "track", "reply"} == set(served[0]["llm"])
    for timing in rows(tmp_path / "served" / "timings.jsonl"):
        assert timing["llm"]["policy"]["calls"] > 0
        assert timing["fallbacks"] == []
