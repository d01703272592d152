"""``python -m planners.experience`` as a program."""

import runpy
import subprocess
import sys

import pytest

from planners.experience.__main__ import main
from tests.command_line import ROOT, interrupt_import


def test_a_file_that_is_none_is_one_line() -> None:
    with pytest.raises(SystemExit) as ended:
        main(["show", "nowhere.jsonl"])
    told = ended.value.code
    assert isinstance(told, str)
    assert told.startswith("planners.experience: nowhere.jsonl cannot be read")


def test_interrupted_while_it_imports(monkeypatch: pytest.MonkeyPatch) -> None:
    interrupt_import(monkeypatch, "rich.console")
    monkeypatch.setattr("sys.argv", ["planners.experience", "show", "x"])
    monkeypatch.delitem(sys.modules, "planners.experience.__main__", raising=False)
    with pytest.raises(SystemExit) as ended:
        runpy.run_module("planners.experience", run_name="__main__", alter_sys=False)
    assert ended.value.code == 130


def test_it_runs_as_a_program() -> None:
    command = [sys.executable, "-m", "planners.experience", "show", "nowhere.jsonl"]
    found = subprocess.run(command, capture_output=True, text=True, cwd=ROOT, check=False)
    assert (found.returncode, found.stdout, found.stderr.count("\n")) == (1, "", 1)
