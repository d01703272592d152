"""What the README shows is run, so that it stays true."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parent.parent
README = (ROOT / "README.md").read_text(encoding="utf-8")
SET_UP = (
    "pip install -c constraints.txt -e . && python train.py env=redial planner=dreams",
    'pip install -c constraints.txt -e ".[test]" && pytest',
)


def section(title: str) -> str:
    """A section's text, up to the next heading of any level."""
    start = README.index(f"{title}\n")
    end = README.find("\n#", start + len(title))
    # A comment in a code block is no heading.
    while end != -1 and README[:end].count("```") % 2:
        end = README.find("\n#", end + 1)
    return README[start:end]


def blocks(text: str, language: str) -> list[str]:
    """The fenced blocks of a language."""
    return re.findall(rf"```{language}\n(.*?)```", text, re.DOTALL)


def command(text: str) -> list[str]:
    """The first indented ``python -m train`` line, as arguments."""
    found = re.search(r"^    python -m train (.*)$", text, re.MULTILINE)
    assert found is not None
    return found.group(1).split()


def run(arguments: list[str], folder: Path) -> str:
    """Run ``python -m train`` in a folder without data; returns what it prints."""
    done = subprocess.run(
        [
            sys.executable,
            "-m",
            "train",
            *arguments,
            "episodes=2",
            "workers=1",
            "run_dir=out",
        ],
        cwd=folder,
        env={**os.environ, "CRS_DATA": str(folder), "PYTHONPATH": f"{ROOT}{os.pathsep}{folder}"},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_the_two_lines_are_there() -> None:
    for line in SET_UP:
        assert f"    {line}\n" in README


def test_no_number_is_missing() -> None:
    assert "@@" not in README


def test_own_items(tmp_path: Path) -> None:
    text = section("### A new environment: your items")
    domain, items = blocks(text, "yaml")[0], blocks(text, "csv")[0]
    assert len((domain + items).splitlines()) < 20
    (tmp_path / "songs.yaml").write_text(domain, encoding="utf-8")
    (tmp_path / "songs.csv").write_text(items, encoding="utf-8")
    assert "Success rate" in run([*command(text), "planner.n_el=20"], tmp_path)


def test_own_class(tmp_path: Path) -> None:
    text = section("### A new environment: your class")
    code = blocks(text, "python")[0]
    assert len(code.splitlines()) < 20
    (tmp_path / "my_envs.py").write_text(code, encoding="utf-8")
    assert "Success rate" in run([*command(text), "planner.n_el=20"], tmp_path)


def test_own_policy(tmp_path: Path) -> None:
    code = blocks(section("### A policy of your own"), "python")[0]
    assert code.count("episodes=150") == 1
    (tmp_path / "my_policy.py").write_text(code.replace("episodes=150", "episodes=2"), "utf-8")
    done = subprocess.run(
        [sys.executable, "my_policy.py"],
        cwd=tmp_path,
        env={**os.environ, "CRS_DATA": str(tmp_path), "PYTHONPATH": str(ROOT)},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    assert 0.0 <= float(done.stdout) <= 1.0


def test_the_loop(tmp_path: Path) -> None:
    code = blocks(section("## Use it"), "python")[0]
    done = subprocess.run(
        [sys.executable, "-c", code],
        cwd=ROOT,
        env={**os.environ, "CRS_DATA": str(tmp_path)},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    assert "user" in done.stdout
    assert "'accept'" in done.stdout
