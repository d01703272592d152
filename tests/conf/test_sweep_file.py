"""What a continued sweep takes from its file, and when it is refused."""

from pathlib import Path

import pytest
import yaml

from conf.jobs import plan
from conf.resume import CONFIG, keep_config
from conf.run_errors import RunError
from conf.sweep_file import SWEEP, check_continuation, keep_sweep, kept_sweep, with_earlier

STATED = ("-m", "planner=random,ask_all", "seed=0", "logger.kind=none", "workers=2")


@pytest.fixture
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A sweep that was begun, in ``all``."""
    monkeypatch.chdir(tmp_path)
    Path("all").mkdir()
    keep_sweep(Path("all"), plan(STATED))
    return Path("all")


OWN = ("sweep_dir=all", "resume=true")


@pytest.mark.parametrize(
    ("words", "found"),
    [
        ((), STATED),
        (("workers=1",), (*STATED[:4], "workers=1")),
        (("logger=none",), (*STATED[:3], "workers=2", "logger=none")),
        (("-m", "+llm.max_calls=3"), (*STATED, "+llm.max_calls=3")),
    ],
)
def test_what_may_differ_comes_on_top(
    words: tuple[str, ...], found: tuple[str, ...], place: Path
) -> None:
    assert with_earlier([*OWN, *words]) == [*found, *OWN]
    assert with_earlier([*words, "resume=True", "sweep_dir='all'"])[: len(found)] == list(found)


def test_a_sweep_that_is_stated_is_taken_at_its_word(place: Path) -> None:
    for words in (["-m", "planner=random", *OWN], ["experience=x", "sweep_dir=all"]):
        assert with_earlier(words) == words
    new = ["-m", "workers=1", "sweep_dir=new", "resume=true"]
    assert with_earlier(new) == new
    assert with_earlier(["experiment=table4", *OWN]) == ["experiment=table4", *OWN]


def test_a_word_that_makes_another_sweep_is_refused(place: Path) -> None:
    with pytest.raises(RunError, match=r"seed=3 would make another sweep than that in all"):
        with_earlier([*OWN, "seed=3", "workers=1"])


def test_what_was_begun_cannot_be_left_out(place: Path) -> None:
    (place / "redial-ask_all-seed0").mkdir()
    other = plan(["-m", "planner=random", *OWN])
    check_continuation(place, other)  # an empty directory holds nothing
    (place / "redial-ask_all-seed0" / "records.jsonl").touch()
    with pytest.raises(RunError, match=r"1 begun runs of the sweep in all are not in this one"):
        check_continuation(place, other)


def test_other_settings_are_found_before_anything_is_written(place: Path) -> None:
    for job in plan(STATED).jobs:
        run_dir = place / job.name
        run_dir.mkdir()
        keep_config(run_dir, {**job.config, "catalog": {"items": 3}, "experience_hash": "x"})
    check_continuation(place, plan(STATED))
    check_continuation(place, plan([*STATED[:-1], "workers=1", "episodes=7"]))
    with pytest.raises(RunError) as caught:
        check_continuation(place, plan([*STATED, "env.max_turns=5"]))
    told = str(caught.value)
    assert "redial-random-seed0/config.yaml is of another run (env.max_turns differ)" in told
    assert "and so are 1 more" in told
    (place / "redial-random-seed0" / CONFIG).write_text("[" * 5000)
    with pytest.raises(RunError, match=r"config\.yaml cannot be read"):
        check_continuation(place, plan(STATED))


@pytest.mark.parametrize(
    "content",
    [
        "arguments: abc\njobs: {a: b}",
        "arguments: [1]\njobs: {a: b}",
        "arguments: [-m]\njobs: {}",
        "arguments: [-m]\njobs: []",
        "arguments: [-m]",
        "- a",
        "",
        "[" * 5000,
        "[: {",
        "\x00",
    ],
    ids=lambda text: text[:20],
)
def test_a_damaged_file_is_named(content: str, tmp_path: Path) -> None:
    path = tmp_path / SWEEP
    path.write_text(content)
    with pytest.raises(RunError, match="delete it and state the sweep again") as caught:
        kept_sweep(path)
    assert str(path) in str(caught.value)
    assert "\n" not in str(caught.value)


def test_the_file_is_read_back(place: Path) -> None:
    kept = kept_sweep(place / SWEEP)
    assert kept["arguments"] == list(STATED)
    assert list(kept["jobs"]) == ["redial-random-seed0", "redial-ask_all-seed0"]
    assert yaml.safe_load((place / SWEEP).read_text()) == kept
