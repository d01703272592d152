"""What cannot work ends with one clear message and exit code 1, before anything is written."""

import errno
import os
import runpy
import sys
from pathlib import Path
from typing import Any

import pytest
import yaml

from conf.run import run_experiment
from evaluation.records import LineWriter
from tests.command_line import TRAIN, composed, refused, run_here, train
from train import main

SHORT = ("planner=random", "episodes=1", "logger=none")


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, no_data: str, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty working directory without data sets."""
    monkeypatch.chdir(tmp_path)
    return tmp_path


BAD = [
    (["episodes=0"], "episodes must be a whole number of at least 1, not 0"),
    (["episodes=2.5"], "episodes must be a whole number of at least 1, not 2.5"),
    (["episodes=many"], "episodes must be a whole number"),
    (["split=tset"], "split must be one of test, heldout, train, not 'tset'"),
    (["episodes=true"], "episodes must be a whole number of at least 1, not True"),
    (["seed=-1"], "seed must be a whole number of at least 0, not -1"),
    (["seed=true"], "seed must be a whole number of at least 0, not True"),
    (["resume=no"], "resume must be true or false, not 'no'"),
    (["data.strict=off"], "data.strict must be true or false, not 'off'"),
    (["logger.texts=many"], "logger.texts must be a whole number of at least 0, not 'many'"),
    (["env.id=5"], "env.id must be a text and env.kwargs a mapping, not 5"),
    (["env.kwargs=x"], "env.id must be a text and env.kwargs a mapping"),
    (["workers=0"], "workers must be 'auto' or a whole number of at least 1, not 0"),
    (["workers=true"], "workers must be 'auto' or a whole number of at least 1, not True"),
    (["workers=all"], "workers must be 'auto' or a whole number of at least 1, not 'all'"),
    (["env.max_turns=0"], "max_turns must be a whole number from 1 to 200, not 0"),
    (["env.retrieval=lexicl"], "no retriever 'lexicl'; did you mean 'lexical'?"),
    (["reward.terms.accept=much"], "reward.accept: the weight must be a finite number"),
    (["data.dir=nowhere"], "data.dir=nowhere does not exist"),
    (["env=custom"], "the catalogue 'custom' needs items (a CSV or JSONL file)"),
    (["env=custom", "env.domain=films.yaml", "env.items=x.csv"], "no domain file films.yaml"),
    (["env=custom", "env.items=x.csv"], "x.csv, whole file: cannot be read"),
    (["env.id=CartPol-v1"], "env.id=CartPol-v1 is not registered; did you mean"),
    (["env.id=nowhere:Walk-v0"], "No module named 'nowhere'"),
    (["env.id=CartPole-v1"], "lacks:\n  view: property"),
    (["planner=dreams", "planner.exploration=-1"], "planner.exploration is -1: it must be"),
    (["planner=dreams", "planner.n_el=0"], "planner.n_el must be a whole number in 1.."),
    (["planner=dreams", "planner.k_el=0"], "planner.k_el is 0: it must be at least 1"),
    (["planner=dreams", "planner.n_ex=-1"], "planner.n_ex must be a whole number of at least 0"),
    (["planner=dreams", "planner.top=0"], "planner.top must be a whole number of at least 1"),
    (["planner=dreams", "planner.selection=ucb"], "'ucb': it must be 'uct' or 'puct'"),
    (["planner=dreams", "planner.user_model=leaned"], "it is one of generic, learned"),
    (["planner=ppo", "+planner.hyperparameters.n_stps=8"], "did you mean 'n_steps'?"),
    (["planner=ppo", "planner.total_timesteps=0"], "total_timesteps must be a whole number"),
    (["planner=ppo", "planner.n_envs=0"], "n_envs must be a whole number of at least 1, not 0"),
    (["planner=maskable_ppo", "env.id=CartPole-v1"], "maskable_ppo needs the environment's action"),
    (["planner=dqn", "env.id=Pendulum-v1"], "dqn needs a Discrete action space"),
    (["planner=ppo", "planner.load=agent.zip"], "no agent file agent.zip"),
    (["episodes=9223372036854775808"], "episodes must be at most 1000000"),
    (["logger.kind=foo"], "logger.kind must be one of tensorboard, wandb, both, none, not 'foo'"),
    (["data=null"], "data must be a group of settings, not None"),
    (["planner=dreams_ea", "experience=null"], "experience must be a group of settings"),
    (["ray=null", "runner=ray"], "ray must be a group of settings, not None"),
    (["planner.name=foo"], "planner.name is 'foo', which is no planner"),
    (["env=custom", "env.items=5"], "env.items must be the name of a file or null, not 5"),
    (["env.retrieval=[a]"], "env.retrieval must be a text, not ['a']"),
    (["+env.kwargs.foo=3"], "unexpected keyword argument 'foo'; see env.kwargs and env.id"),
]


@pytest.mark.parametrize(("overrides", "message"), BAD, ids=lambda part: str(part)[:60])
def test_bad_settings(overrides: list[str], message: str, folder: Path) -> None:
    assert message in refused(*SHORT, "run_dir=out", *overrides)
    assert {path.name for path in folder.iterdir()} <= {"no data here"}


def test_the_directory_can_be_used_after_a_mistake(folder: Path) -> None:
    refused(*SHORT, "run_dir=out", "split=tset")
    run_here(*SHORT, "run_dir=out")
    assert (folder / "out" / "summary.json").exists()


def test_bad_run_directories(folder: Path) -> None:
    (folder / "file").write_text("something")
    assert "file is a file; give a directory" in refused(*SHORT, "run_dir=file")
    told = refused(*SHORT, "run_dir=file/below")
    assert "run_dir=file/below cannot be made: Not a directory" in told
    (folder / "full").mkdir()
    (folder / "full" / "thesis.tex").write_text("years of work")
    told = refused(*SHORT, "run_dir=full")
    assert "full is not empty (thesis.tex); add resume=true" in told


def test_a_corrupt_record_names_its_line(folder: Path) -> None:
    run_here(*SHORT, "run_dir=out", "episodes=3")
    path = folder / "out" / "records.jsonl"
    first, second, third = path.read_bytes().splitlines(keepends=True)
    path.write_bytes(first + second.replace(b'"episode"', b"episode", 1) + third)
    told = refused(*SHORT, "run_dir=out", "episodes=3", "resume=true")
    assert "records.jsonl" in told
    assert "line 2" in told


CORRUPT = {
    "no title": (b"id,title,genre,writer\n1,,Drama,A. Lind\n", "line 2"),
    "twice the same id": (b"id,title,genre,writer\n1,A,Drama,B\n1,C,Drama,D\n", "line 3"),
    "broken UTF-8": (b"id,title,genre,writer\n1,\xff\xfe,Drama,A. Lind\n", "line 2"),
    "no genre column": (b"id,title,writer\n1,A,B\n", "no column 'genre'"),
    "another format": (b"PK\x03\x04\x00\x00", "mine.csv"),
    "empty": (b"", "mine.csv"),
}


@pytest.mark.parametrize("name", CORRUPT)
def test_corrupt_items(name: str, folder: Path) -> None:
    content, place = CORRUPT[name]
    (folder / "mine.csv").write_bytes(content)
    told = refused(*SHORT, "run_dir=out", "env=custom", "env.domain=book", "env.items=mine.csv")
    assert "mine.csv" in told
    assert place in told


def test_a_file_that_is_no_agent(folder: Path) -> None:
    (folder / "agent.zip").write_bytes(b"not a zip")
    told = refused(*SHORT, "run_dir=out", "planner=maskable_ppo", "planner.load=agent.zip")
    assert "agent.zip is not an agent file" in told


def test_in_a_process_of_its_own(folder: Path) -> None:
    """The message is the last thing printed, nothing of Python's is, and the exit code is 1."""
    (folder / "mine.csv").write_bytes(CORRUPT["no title"][0])
    own = ("env=custom", "env.domain=book", "env.items=mine.csv")
    for arguments in (own, ("planner=drems",)):
        printed = train(folder, *arguments, "logger=none", code=1)
        assert printed.count("train.py: ") == 1
        assert printed.strip().startswith("train.py: ")
        assert "Traceback" not in printed
        assert "HYDRA_FULL_ERROR" not in printed


@pytest.mark.parametrize("code", [errno.ENOSPC, errno.EFBIG, errno.EROFS])
def test_a_full_disk_is_said(code: int, folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Not as a traceback; and what was finished stays fit for resuming."""
    run_here(*SHORT, "run_dir=whole", "episodes=2")
    append = LineWriter.append

    def full(writer: LineWriter, value: Any) -> None:
        if value["episode"] == 1 and writer.path.name == "records.jsonl":
            raise OSError(code, os.strerror(code))
        append(writer, value)

    with monkeypatch.context() as patch:
        patch.setattr(LineWriter, "append", full)
        message = refused(*SHORT, "run_dir=out", "episodes=2")
    assert f"cannot be written: {os.strerror(code)}" in message
    assert "resume=true" in message
    run_here(*SHORT, "run_dir=out", "episodes=2", "resume=true")
    whole, resumed = (folder / name / "records.jsonl" for name in ("whole", "out"))
    assert resumed.read_bytes() == whole.read_bytes()


def test_a_file_where_nothing_can_be_is_said(folder: Path) -> None:
    told = refused(*SHORT, f"run_dir={'x' * 300}")
    assert f"({'x' * 300}): {os.strerror(errno.ENAMETOOLONG)}" in told
    assert "give another run_dir" in told
    run_here(*SHORT, "run_dir=out")
    (folder / "out" / "summary.json").unlink()
    (folder / "out" / "summary.json.part").mkdir()
    assert os.strerror(errno.EISDIR) in refused(*SHORT, "run_dir=out", "resume=true")


@pytest.mark.parametrize(
    "content", [b"[: {", b"- a list", b"", b"\xff\xfe", b"!!python/object/apply:os.getcwd []"]
)
def test_a_broken_configuration_is_named(content: bytes, folder: Path) -> None:
    run_here(*SHORT, "run_dir=out")
    (folder / "out" / "config.yaml").write_bytes(content)
    told = refused(*SHORT, "run_dir=out", "resume=true")
    assert "config.yaml" in told
    assert "restore it, or remove it" in told


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"data": 5}, "config.yaml: data must be a group of settings, not 5"),
        ({"env": None}, "config.yaml: env must be a group of settings, not None"),
        ({"planner": {}}, "config.yaml: planner.name is None, which is no planner"),
        ({"planner": {"name": "dreams"}}, "config.yaml: planner.parallel is missing"),
        ({"ray": {}, "data": {"strict": True}}, None),  # what is missing is as by default
    ],
    ids=str,
)
def test_a_damaged_configuration_names_its_key(
    change: dict[str, Any], message: str | None, folder: Path
) -> None:
    run_here(*SHORT, "run_dir=out")
    path = folder / "out" / "config.yaml"
    path.write_text(yaml.safe_dump({**yaml.safe_load(path.read_text()), **change}))
    words = ["run_dir=out", "resume=true"]
    if message is None:
        run_experiment(composed(*words), words)
        return
    with pytest.raises(SystemExit) as ended:
        run_experiment(composed(*words), words)
    told = str(ended.value.code)
    assert message in told
    assert told.endswith("; restore the file, or remove it")
    assert "\n" not in told


def test_numbers_are_names(folder: Path) -> None:
    run_experiment(composed(*SHORT, "run_dir=2024_01", "label=7"), ["run_dir=2024_01", "label=7"])
    config = yaml.safe_load((folder / "2024_01" / "config.yaml").read_text())
    assert (config["run_dir"], config["label"]) == ("2024_01", "7")


@pytest.mark.parametrize(
    "words",
    [["label=a(b"], ["seed=[1"], ["run_dir=/tmp/a=b"], ["label=${x}"], ["+seed=3"], ["hydra=null"]],
    ids=str,
)
def test_what_hydra_cannot_read_is_one_line(
    words: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("sys.argv", ["train.py", *words])
    with pytest.raises(SystemExit) as ended:
        main()
    assert str(ended.value.code).startswith("train.py: ")
    assert "\n" not in str(ended.value.code)


@pytest.mark.parametrize("content", ["", "{", "[]", "{}", "[" * 100_000])
def test_a_broken_summary_is_made_again(content: str, folder: Path) -> None:
    run_here(*SHORT, "run_dir=out")
    path = folder / "out" / "summary.json"
    whole = path.read_text(encoding="utf-8")
    path.write_text(content, encoding="utf-8")
    run_here(*SHORT, "run_dir=out", "resume=true")
    assert path.read_text(encoding="utf-8") == whole


@pytest.mark.parametrize("name", ["records.jsonl", "timings.jsonl"])
def test_a_line_that_lacks_something_is_named(name: str, folder: Path) -> None:
    run_here(*SHORT, "run_dir=out")
    (folder / "out" / name).write_text('{"schema":1,"episode":0}\n', encoding="utf-8")
    told = refused(*SHORT, "run_dir=out", "resume=true")
    assert f"{name}, line 1: " in told
    assert "is missing; restore the file" in told


@pytest.mark.parametrize("planner", ["ask_all", "dreams"])
def test_a_terminal_that_knows_only_ascii(planner: str, folder: Path) -> None:
    printed = train(
        folder, f"planner={planner}", "episodes=2", "logger=none", "run_dir=out",
        PYTHONIOENCODING="ascii", PYTHONUTF8="0", LC_ALL="C", TERM="dumb", COLUMNS="20",
    )  # fmt: skip
    assert printed.isascii()
    assert (folder / "out" / "summary.json").exists()


def test_interrupted_before_anything_began(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def interrupted(_: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr("conf.overrides.check_single", interrupted)
    monkeypatch.setattr("sys.argv", ["train.py", "planner=random"])
    with pytest.raises(SystemExit) as ended:
        runpy.run_path(str(TRAIN), run_name="__main__")
    assert ended.value.code == 130
    assert capsys.readouterr().err == "train.py: interrupted before anything began\n"


def test_interrupted_while_it_imports(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    class Interrupting:
        def find_spec(self, name: str, *_: object) -> None:
            if name == "hydra":
                raise KeyboardInterrupt

    for name in [n for n in sys.modules if n == "hydra" or n.startswith("conf.overrides")]:
        monkeypatch.delitem(sys.modules, name)
    monkeypatch.setattr("sys.meta_path", [Interrupting(), *sys.meta_path])
    monkeypatch.setattr("sys.argv", ["train.py", "planner=random"])
    with pytest.raises(SystemExit) as ended:
        runpy.run_path(str(TRAIN), run_name="__main__")
    assert ended.value.code == 130
    assert capsys.readouterr().err == "train.py: interrupted before anything began\n"
