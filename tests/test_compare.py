"""The command line ``compare.py``."""

import errno
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

import compare
from tests.command_line import ROOT, interrupt_import
from tests.evaluation.comparison.made import run_of


@pytest.fixture
def runs(tmp_path: Path) -> Path:
    run_of(tmp_path / "a", "1110", "a")
    run_of(tmp_path / "b", "1000", "b")
    return tmp_path


def test_it_prints_the_table_and_writes_the_files(
    runs: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    compare.main([str(runs), "--out", str(runs / "out"), "--title", "[mine]"])
    printed = capsys.readouterr().out
    for name in ("md", "csv", "tex", "html"):
        assert (runs / "out" / f"comparison.{name}").stat().st_size
        assert f"comparison.{name}" in printed
    assert "[mine]" in printed
    assert "Against a" in printed


def test_formats_metrics_and_reference(runs: Path, capsys: pytest.CaptureFixture[str]) -> None:
    out = runs / "out"
    compare.main(
        [str(runs / "*"), "--out", str(out), "--format", "md,csv", "--against", "b",
         "--metrics", "success_rate,fge2_turns"]
    )  # fmt: skip
    assert sorted(path.name for path in out.iterdir()) == [
        "comparison.csv", "comparison.md", "comparison_tests.csv",
    ]  # fmt: skip
    text = (out / "comparison.md").read_text(encoding="utf-8")
    assert "| Method | Dialogues | SR ↑ | FGE2 turns ↓ |" in text
    assert "## Against b" in text
    assert "┃" not in capsys.readouterr().out


def test_a_page_to_hand_on_holds_nothing_that_was_said(runs: Path) -> None:
    with_them, without = runs / "with", runs / "without"
    compare.main([str(runs), "--out", str(with_them), "--format", "html"])
    compare.main([str(runs), "--out", str(without), "--format", "html", "--no-transcripts"])
    pages = [(out / "comparison.html").read_text() for out in (with_them, without)]
    assert [page.count('id="texts-') for page in pages] == [2, 0]
    assert ["made without transcripts" in page for page in pages] == [False, True]


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["nowhere"], "nowhere does not exist"),
        (["{runs}", "--against", "c"], "no method 'c'"),
        (["{runs}", "--metrics", "x"], "no run has the metric 'x'"),
        (["{runs}", "--format", "pdf"], "no format 'pdf'"),
        (["{runs}", "--out", "{runs}/a/config.yaml"], "is a file"),
        (["{runs}", "--out", "/proc/none/out"], "cannot be read or written"),
        (["{runs}/nested"], "summary.json is no JSON (maximum recursion depth"),
    ],
)
def test_errors_are_one_line(runs: Path, arguments: list[str], message: str) -> None:
    run_of(runs / "nested", "1110", "nested")
    (runs / "nested" / "summary.json").write_text("[" * 100_000)
    if "nested" not in arguments[0]:
        shutil.rmtree(runs / "nested")
    given = [argument.replace("{runs}", str(runs)) for argument in arguments]
    if "--out" not in given:
        given += ["--out", str(runs / "out")]
    with pytest.raises(SystemExit) as ended:
        compare.main(given)
    told = ended.value.code
    assert isinstance(told, str)
    assert told.startswith("compare.py: ")
    assert message in told
    assert "\n" not in told


@pytest.mark.parametrize(
    "arguments", [[], ["--format", ""], ["a", "--nonsense"], ["a", "--out", ""], [""], [" "]]
)
def test_what_it_does_not_understand_ends_with_2(
    arguments: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(SystemExit) as ended:
        compare.main(arguments)
    assert ended.value.code == 2
    assert "usage: compare.py" in capsys.readouterr().err


def test_what_may_not_be_looked_at_is_not_said_to_be_missing(
    runs: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def closed(path: Path, **_: object) -> None:
        raise PermissionError(errno.EACCES, os.strerror(errno.EACCES), str(path))

    monkeypatch.setattr("pathlib.Path.stat", closed)
    with pytest.raises(SystemExit) as ended:
        compare.main([str(runs / "a")])
    assert ended.value.code == (
        f"compare.py: a file cannot be read or written ({runs / 'a'}): Permission denied"
    )


def test_interrupted_while_it_imports(monkeypatch: pytest.MonkeyPatch) -> None:
    interrupt_import(monkeypatch, "rich.console")
    with pytest.raises(SystemExit) as ended:
        compare.main(["a"])
    assert ended.value.code == 130


def test_it_runs_as_a_program(runs: Path) -> None:
    command = [sys.executable, str(ROOT / "compare.py"), str(runs), "--format", "terminal"]
    environment = {"PYTHONIOENCODING": "ascii", "PATH": ""}
    found = subprocess.run(
        command, capture_output=True, text=True, cwd=runs, env=environment, check=False
    )
    assert (found.returncode, found.stderr) == (0, "")
    assert "Against a" in found.stdout
    failed = subprocess.run([*command[:2], "x"], capture_output=True, text=True, check=False)
    assert (failed.returncode, failed.stdout) == (1, "")
    assert failed.stderr.count("\n") == 1
