"""``python -m planners.experience show``: what a base holds, safe for a terminal."""

import re
from pathlib import Path

import pytest

from dialogue.experience import write_base
from planners.experience.__main__ import main
from tests.planners.experience.cases import base, case, several

HOSTILE = "\x1b[31mred\x07 [bold]loud[/bold] \ud800\nline"


@pytest.fixture
def file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("COLUMNS", "150")
    write_base(tmp_path / "base.jsonl", several())
    return tmp_path / "base.jsonl"


def shown(capsys: pytest.CaptureFixture[str], *arguments: str | Path) -> str:
    main(["show", *map(str, arguments)])
    return capsys.readouterr().out


def refused(*arguments: str | Path) -> str:
    with pytest.raises(SystemExit) as ended:
        main(["show", *map(str, arguments)])
    return str(ended.value.code)


def listed(text: str) -> list[str]:
    """Numbers of the cases in the last table."""
    table = text[text.rindex("Cases") :]
    return [line.split("│")[1].strip() for line in table.splitlines() if line.startswith("│")]


def test_header_actions_and_cases_are_shown(file: Path, capsys: pytest.CaptureFixture[str]) -> None:
    text = shown(capsys, file)
    assert "crsgym-experience/1" in text
    assert "3, 2 successful (3 heldout)" in text
    assert "0123456789abcdef" in text
    assert listed(text) == ["1", "2", "3", "4", "5", "6"]
    assert "FailureReflection" not in text  # nobody did it


@pytest.mark.parametrize(
    ("options", "numbers"),
    [
        (["--action", "ItemRec"], ["2", "4", "6"]),
        (["--success"], ["1", "2", "3", "4"]),
        (["--failure"], ["5", "6"]),
        (["--turn", "1"], ["1", "3", "5"]),
        (["--turn", "1", "--success", "--action", "StarInquiry"], ["3"]),
        (["--limit", "2"], ["1", "2"]),
    ],
    ids=str,
)
def test_cases_are_filtered(
    options: list[str], numbers: list[str], file: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    text = shown(capsys, file, *options)
    assert listed(text) == numbers
    assert ("4 more; --limit" in text) == (options == ["--limit", "2"])


def test_a_narrow_terminal_keeps_numbers_and_actions(
    file: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COLUMNS", "80")
    text = shown(capsys, file, "--case", "2", "--nearest", "2")
    text += shown(capsys, file)
    assert max(map(len, text.splitlines())) <= 80
    assert listed(text) == ["1", "2", "3", "4", "5", "6"]
    rows = [line for line in text.splitlines() if re.search(r"│ heldout \d+ +│", line)]
    assert len(rows) == 4 + 6
    for row in rows:
        assert re.search(r"│ (yes|no) +│ -?\d+\.\d\d +│", row)
        assert re.search(r"(StarInquiry|ItemRec|GenreInquiry|DirectorInquiry):", row)


def test_one_case_is_shown_in_full(file: Path, capsys: pytest.CaptureFixture[str]) -> None:
    text = shown(capsys, file, "--case", "2")
    for told in ("heldout 0, turn 2", "ItemRec 90%", "rain, thriller", "acceptance.1 0.6"):
        assert told in text
    assert "user: Something with rain, please." in text


def test_the_nearest_cases_are_of_other_dialogues(
    file: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    text = shown(capsys, file, "--case", "2", "--nearest", "1")
    successes, _, failures = text[text.index("Nearest successes") :].partition("Nearest failures")
    rows = [
        [cell.strip() for cell in line.split("│")]
        for side in (successes, failures)
        for line in side.splitlines()
        if line.startswith("│")
    ]
    assert [(row[1], row[2]) for row in rows] == [("4", "heldout 1"), ("6", "heldout 2")]
    assert all("0.000" in row for row in rows)


def test_what_is_not_there_is_said(file: Path, tmp_path: Path) -> None:
    assert "no action 'Quit'; there are GenreInquiry" in refused(file, "--action", "Quit")
    assert "no case 7; there are 6" in refused(file, "--case", "7")
    assert "--nearest needs --case" in refused(file, "--nearest", "2")
    assert "cannot be read" in refused(tmp_path / "none.jsonl")
    assert refused(file, "--limit", "0") == "2"
    assert refused(file, "--success", "--failure") == "2"


def test_hostile_text_is_shown_as_text(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    hostile = case(lines=(("user", HOSTILE),), reason=HOSTILE, query=HOSTILE)
    write_base(tmp_path / "base.jsonl", base([hostile], made_by=HOSTILE))
    text = shown(capsys, tmp_path / "base.jsonl")
    text += shown(capsys, tmp_path / "base.jsonl", "--case", "1")
    assert "\x1b[31m" not in text
    assert "\x07" not in text
    assert "[bold]" in text
    assert "\\x1b[31mred" in text
