"""The endpoint as a process of its own: ``python -m serving``."""

from __future__ import annotations

import signal
import socket
import subprocess
import sys
from pathlib import Path

import pytest

from envs.worlds import open_world
from serving.background import start_process
from serving.settings import ServingSettings
from tests.serving.asking import Endpoint, fresh_view, refusal, track_inputs

ROOT = Path(__file__).resolve().parents[2]


def test_a_process_opens_catalogues_by_name(no_data: str, tmp_path: Path) -> None:
    place = open_world("redial")
    origin = dict(place.catalog.origin)
    inputs = track_inputs("I like comedy")
    view = {**inputs["view"], "preferences": inputs["view"]["preferences"]}
    assert fresh_view(place).asked == view["asked"]
    with start_process(ServingSettings(script=("", "rate_limit"))) as (process, base_url):
        served = Endpoint(base_url)
        found = served.result("track", {**inputs, "catalog": origin})
        assert found["acts"][0]["value"] == "comedy"
        assert served.chat("track", {**inputs, "catalog": origin}).status_code == 429
        wrong = {**inputs, "catalog": {**origin, "name": "redail"}}
        assert "did you mean 'redial'?" in refusal(served.chat("track", wrong))
        fewer = {**inputs, "catalog": {**origin, "n_items": 3}}
        assert f"the server's {len(place.catalog)}" in refusal(served.chat("track", fewer))
        lost = {"name": "custom", "domain": "movie", "items": str(tmp_path / "none.csv")}
        assert "none.csv" in refusal(served.chat("track", {**inputs, "catalog": lost}))
        empty = {**inputs, "catalog": {}}
        assert "made in memory" in refusal(served.chat("track", empty))
        assert served.stats()["faults"] == {"rate_limit": 1}
        served.client.close()
        assert process.poll() is None
    assert process.returncode is not None


def test_ctrl_c_ends_it_quietly() -> None:
    with subprocess.Popen(
        [sys.executable, "-m", "serving", "--port=0"],
        cwd=ROOT,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    ) as process:
        assert process.stdout is not None
        line = process.stdout.readline()
        assert line.startswith("serving the embedded roles at http://127.0.0.1:")
        process.send_signal(signal.SIGINT)
        out, err = process.communicate(timeout=20)
    assert (process.returncode, out, err) == (0, "", "")


@pytest.mark.parametrize("separate", [True, False])
def test_a_port_in_use_is_named(separate: bool) -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        port = taken.getsockname()[1]
        if not separate:
            from serving.server import listen

            with pytest.raises(OSError, match=f"cannot listen at 127.0.0.1:{port}"):
                listen(ServingSettings(port=port))
            return
        done = subprocess.run(
            [sys.executable, "-m", "serving", f"--port={port}"],
            cwd=ROOT,
            capture_output=True,
            text=True,
            timeout=60,
            check=False,
        )
    assert done.returncode == 1
    assert done.stderr.startswith(f"error: cannot listen at 127.0.0.1:{port}")
    assert done.stderr.count("\n") == 1
