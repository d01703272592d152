"""Which directories are runs, and what they are called."""

from pathlib import Path

import pytest

from evaluation.comparison.errors import ComparisonError
from evaluation.comparison.finding import find_runs, names_of
from tests.evaluation.comparison.made import run_of


@pytest.fixture
def runs(tmp_path: Path) -> Path:
    for name in ("b-0", "a-1", "sweep/a-0"):
        run_of(tmp_path / name, "1")
    (tmp_path / ".hydra").mkdir()
    (tmp_path / ".hydra" / "config.yaml").write_text("run_dir: x\n")
    (tmp_path / "conf").mkdir()
    (tmp_path / "conf" / "config.yaml").write_text("defaults:\n  - env: redial\nrun_dir: null\n")
    (tmp_path / "a-0.log").write_text("no run")
    return tmp_path


def names(found: list[Path]) -> list[str]:
    return [path.name for path in found]


def test_a_run_a_folder_and_a_pattern(runs: Path) -> None:
    assert names(find_runs([runs / "b-0"])) == ["b-0"]
    assert names(find_runs([runs])) == ["a-1", "b-0", "a-0"]
    assert names(find_runs([runs / "a-*"])) == ["a-1"]
    assert names(find_runs([runs / "**" / "a-*"])) == ["a-1", "a-0"]
    assert names(find_runs([runs / "*"])) == ["a-1", "b-0", "a-0"]


def test_each_run_once_in_the_order_given(runs: Path) -> None:
    assert names(find_runs([runs / "b-0", runs, runs / "sweep" / ".." / "b-0"])) == [
        "b-0", "a-1", "a-0",
    ]  # fmt: skip


def test_runs_that_a_folder_links_to(runs: Path, tmp_path_factory: pytest.TempPathFactory) -> None:
    links = tmp_path_factory.mktemp("links")
    for name, there in (("one", runs / "b-0"), ("two", runs / "b-0"), ("up", links)):
        (links / name).symlink_to(there)
    assert names(find_runs([links])) == ["one"]


def test_a_folder_with_brackets_in_its_name_is_no_pattern(tmp_path: Path) -> None:
    run = run_of(tmp_path / "n[1]", "1")
    assert find_runs([run]) == [run]


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("nowhere", "does not exist"),
        ("zz*", "matches nothing"),
        ("*.log", "matches no run"),
        ("a-0.log", "is a file, not the directory"),
        ("b-0/records.jsonl", "give its directory"),
        ("conf", "holds no run"),
    ],
)
def test_what_is_no_run_is_said_in_one_line(runs: Path, name: str, message: str) -> None:
    with pytest.raises(ComparisonError, match=message) as caught:
        find_runs([runs / name])
    assert "\n" not in str(caught.value)


def test_names_do_not_depend_on_where_and_how(runs: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert names_of(find_runs([runs])) == ["a-1", "b-0", "sweep/a-0"]
    assert names_of([runs / "sweep" / "a-0"]) == ["a-0"]
    monkeypatch.chdir(runs)
    assert names_of([Path("a-1"), Path("sweep/../b-0")]) == ["a-1", "b-0"]
